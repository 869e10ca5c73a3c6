// Commands of the camera's path and its film.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/file_io.h"
#include "viewer/ui/command_words.h"
#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

constexpr double kMostSeconds = 3600;

size_t key_number(const Viewer& viewer, const Words& words, size_t at) {
  const double place = number(words, at);
  if (place < 1 || place > static_cast<double>(viewer.path().keys.size())) {
    throw core::UsageError("path",
                           fmt::format("has key frames 1 to {}", viewer.path().keys.size()));
  }
  return static_cast<size_t>(place) - 1;
}

void film(Viewer& viewer, const Words& words) {
  const std::string& file = word(words, 2, "a file");
  int width = viewer.view_rect().width, height = viewer.view_rect().height;
  if (words.size() > 3) {
    width = static_cast<int>(number(words, 3));
    height = static_cast<int>(number(words, 4));
  }
  if (width < 2 || height < 2 || width > 16384 || height > 16384) {
    throw core::UsageError("path film", "has 2 to 16384 pixels on a side");
  }
  viewer.film_path(file, width / 2 * 2, height / 2 * 2);
}

void path(Viewer& viewer, const Words& words) {
  const std::string& what = word(words, 1, "what to do");
  CameraPath& path = viewer.path();
  if (what == "add") {
    path.keys.push_back(key_of(viewer.camera().target()));
  } else if (what == "remove") {
    path.keys.erase(path.keys.begin() + static_cast<int64_t>(key_number(viewer, words, 2)));
  } else if (what == "order") {
    const size_t from = key_number(viewer, words, 2), to = key_number(viewer, words, 3);
    const core::CameraKey key = path.keys[from];
    path.keys.erase(path.keys.begin() + static_cast<int64_t>(from));
    path.keys.insert(path.keys.begin() + static_cast<int64_t>(to), key);
  } else if (what == "go") {
    viewer.camera().go_to(view_of(path.keys[key_number(viewer, words, 2)]));
  } else if (what == "clear") {
    path.keys.clear();
  } else if (what == "turntable") {
    path.keys = turntable_keys(viewer.camera().target(), viewer.camera().up());
  } else if (what == "seconds") {
    path.seconds = std::clamp(number(words, 2), 0.1, kMostSeconds);
  } else if (what == "rate") {
    path.frames_per_second = std::clamp(number(words, 2), 1.0, 240.0);
  } else if (what == "play") {
    viewer.play_path();
  } else if (what == "film") {
    film(viewer, words);
  } else if (what == "cancel") {
    viewer.cancel_film();
  } else if (what == "save") {
    if (path.keys.empty()) throw core::Error("there are no key frames to save; K sets them");
    const math::Vec3<double> origin = viewer.items().empty()
                                          ? math::Vec3<double>{0, 0, 0}
                                          : viewer.items().front().origin_in_file;
    core::write_file_atomically(word(words, 2, "a file"), path_json(path, origin));
    viewer.say("Saved the path to " + words[2]);
  } else {
    throw core::UsageError("path",
                           "is by add, remove, order, go, clear, turntable, seconds, rate, "
                           "play, film, cancel or save, not " +
                               what);
  }
}

constexpr CommandEntry kCommands[] = {
    {"path",
     "add | remove N | order N TO | go N | clear | turntable | seconds S | rate FPS | play | film "
     "FILE [W H] | cancel | save FILE",
     "key frames of the camera, and the film through them", path},
};

constexpr ActionEntry kActions[] = {
    {"Path", "Key frame here", "path add", "K"},
    {"Path", "Play", "path play", "Space"},
    {"Path", "Turntable", "path turntable", ""},
    {"Path", "Clear", "path clear", ""},
};

}  // namespace

std::span<const CommandEntry> path_commands() {
  return kCommands;
}

std::span<const ActionEntry> path_actions() {
  return kActions;
}

}  // namespace tessera::viewer
