// Commands that start, watch and steer a training.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "core/error.h"
#include "viewer/ui/command_words.h"
#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

constexpr double kShare = 0.03;  // of the training's time, for pictures

void attach(Viewer& viewer, const Words& words) {
  std::unique_ptr<Training> training = viewer.host().attach(word(words, 1, "a run's folder"));
  training->watch(kShare);
  viewer.watch(std::move(training), words[1]);
}

// "train CAPTURE OUT [options]", or one of the reins.
void train(Viewer& viewer, const Words& words) {
  const std::string& what = word(words, 1, "what to do");
  if (what == "pause" || what == "resume" || what == "save" || what == "stop") {
    if (viewer.training() == nullptr) {
      throw core::Error("no training is watched; attach FOLDER watches one");
    }
    Training& training = viewer.training()->training();
    const bool heard = what == "pause"    ? training.pause()
                       : what == "resume" ? training.resume()
                       : what == "save"   ? training.save()
                                          : training.stop();
    if (!heard) throw core::Error("the training does not answer; it may have ended");
    return;
  }
  const std::string& out = word(words, 2, "the folder of the run");
  viewer.host().start_training(what, out, {words.begin() + 3, words.end()});
  attach(viewer, {"attach", out});
  viewer.say("Training " + what + "; it goes on when this window is closed");
}

void owners(Viewer& viewer, const Words& words) {
  if (viewer.training() == nullptr) throw core::Error("no training is watched");
  TrainingWatch& watch = *viewer.training();
  watch.show_owners(on_or_off(words, watch.shows_owners()));
}

constexpr CommandEntry kCommands[] = {
    {"attach", "FOLDER", "watch the training that writes there", attach},
    {"detach", "", "watch it no longer; it goes on",
     [](Viewer& v, const Words&) { v.watch(nullptr, {}); }},
    {"train", "CAPTURE OUT [OPTION...] | pause|resume|save|stop",
     "start a training of its own process, or steer the one that is watched", train},
    {"owners", "[on|off]", "show which rank owns what", owners},
};

}  // namespace

std::span<const CommandEntry> training_commands() {
  return kCommands;
}

}  // namespace tessera::viewer
