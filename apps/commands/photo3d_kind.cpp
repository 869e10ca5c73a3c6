// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "apps/commands/photo3d_sources.h"
#include "apps/commands/run_folder.h"
#include "apps/commands/video_reader.h"
#include "assets/captures/capture_reader.h"
#include "assets/io.h"
#include "assets/multiplane_io.h"
#include "core/error.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kDepthMap = static_cast<unsigned>(Photo3dKind::kDepthMap);
constexpr unsigned kNetwork = static_cast<unsigned>(Photo3dKind::kNetwork);
constexpr unsigned kPair = static_cast<unsigned>(Photo3dKind::kPair);
constexpr unsigned kScene = static_cast<unsigned>(Photo3dKind::kScene);
constexpr unsigned kCapture = static_cast<unsigned>(Photo3dKind::kCapture);
constexpr unsigned kClip = static_cast<unsigned>(Photo3dKind::kClip);
constexpr unsigned kNetworkClip = static_cast<unsigned>(Photo3dKind::kNetworkClip);
constexpr unsigned kClips = kClip | kNetworkClip;
constexpr unsigned kWithDepth = kDepthMap | kNetwork | kClips;

struct KindName {
  Photo3dKind kind;
  std::string_view name;
};

constexpr KindName kNames[] = {
    {Photo3dKind::kDepthMap, "a photo with its depth map"},
    {Photo3dKind::kNetwork, "a photo whose depth a network gives"},
    {Photo3dKind::kPair, "a stereo pair"},
    {Photo3dKind::kScene, "a Gaussian scene"},
    {Photo3dKind::kCapture, "a capture"},
    {Photo3dKind::kClip, "a clip with its depth"},
    {Photo3dKind::kNetworkClip, "a clip whose depth a network gives"},
};

// An option and the kinds that have a use for it; those of no row suit all.
struct Use {
  std::string_view option;
  unsigned kinds;
};

constexpr Use kUses[] = {
    {"--depth-model-size", kNetwork | kNetworkClip},
    {"--depth-model-range", kNetwork | kNetworkClip},
    {"--depth-is", kWithDepth},
    {"--depth-scale", kWithDepth},
    {"--max-shift", kWithDepth | kPair | kScene},
    {"--stereo-baseline", kWithDepth | kPair},
    {"--stereo-offset", kWithDepth | kPair},
    {"--max-disparity", kPair},
    {"--focal", kWithDepth | kPair},
    {"--fov", kWithDepth | kPair},
    {"--capture", kScene},
    {"--camera", kScene},
    {"--up", kScene},
    {"--views", kCapture},
    {"--measure", kCapture},
    {"--steps", kCapture},
    {"--nearest", kCapture},
    {"--farthest", kCapture},
    {"--ranks", kCapture},
    {"--loop", kClips},
    {"--loop-frames", kClips},
    {"--clip-fps", kClips},
    {"--planner", kWithDepth | kPair | kScene},
    {"--largest-error", kWithDepth | kPair | kScene},
    {"--refiner", kDepthMap | kNetwork | kPair | kScene},
};

constexpr std::string_view kOfFilms[] = {"--motion", "--amount", "--frames", "--fps",
                                         "--film-width"};

bool has_poses(const fs::path& folder) {
  const auto readers = assets::capture_readers();
  return std::any_of(readers.begin(), readers.end(),
                     [&](const auto& reader) { return reader.probe(folder); });
}

Photo3dKind kind_of_clip(const Photo3dOptions& options) {
  if (!options.depth_model.empty()) return Photo3dKind::kNetworkClip;
  if (!options.depth.empty()) return Photo3dKind::kClip;
  throw core::UsageError("PHOTO",
                         "a clip has no depth: add --depth FILE, --depth FOLDER with one file a "
                         "frame, or --depth-model FILE");
}

// "a photo with its depth map or a stereo pair".
std::string names_of(unsigned kinds) {
  std::string names;
  for (const KindName& entry : kNames) {
    if ((kinds & static_cast<unsigned>(entry.kind)) == 0) continue;
    if (!names.empty()) names += " or ";
    names += entry.name;
  }
  return names;
}

}  // namespace

Photo3dKind kind_of_input(const Photo3dOptions& options) {
  if (!fs::exists(options.input)) {
    throw core::IoError(options.input, "there is no such file or folder");
  }
  const bool has_other =
      !options.second.empty() || !options.depth.empty() || !options.depth_model.empty();
  if (is_run_folder(options.input) || assets::names_scene(options.input)) {
    if (!has_other) return Photo3dKind::kScene;
    throw core::UsageError("PHOTO", "a Gaussian scene has depth; leave the other file out");
  }
  if (assets::is_multiplane(options.input) || assets::names_multiplane(options.input)) {
    throw core::UsageError(
        "PHOTO", fmt::format("{} is made already: tessera render draws it, tessera convert writes "
                             "it in another format",
                             options.input.string()));
  }
  const int sources = int{!options.second.empty()} + int{!options.depth.empty()} +
                      int{!options.depth_model.empty()};
  if (sources > 1) {
    throw core::UsageError("PHOTO",
                           "depth comes from the pair or from the file, not from both; "
                           "leave one out");
  }
  if (!options.second.empty()) return Photo3dKind::kPair;
  const bool is_folder = fs::is_directory(options.input);
  if (sources > 0 && is_folder && has_poses(options.input)) {
    throw core::UsageError("PHOTO",
                           fmt::format("{} is a capture, whose poses give depth; leave the depth "
                                       "out, or name the folder of a clip's frames",
                                       options.input.string()));
  }
  if (names_video(options.input) || (sources > 0 && is_folder)) return kind_of_clip(options);
  if (!options.depth_model.empty()) return Photo3dKind::kNetwork;
  if (!options.depth.empty()) return Photo3dKind::kDepthMap;
  if (is_folder && !has_poses(options.input) && holds_frames(options.input)) {
    throw core::IoError(options.input,
                        assets::no_capture_reason(options.input) +
                            "; frames of a camera that stands still need --depth or --depth-model");
  }
  if (assets::is_capture(options.input)) return Photo3dKind::kCapture;
  throw core::UsageError("PHOTO",
                         "one photo has no depth: add --depth FILE, --depth-model FILE, or the "
                         "right photo of a stereo pair");
}

void refuse_other_options(const core::OptionTable& table, const Photo3dOptions& options,
                          Photo3dKind kind) {
  const auto bit = static_cast<unsigned>(kind);
  for (const Use& use : kUses) {
    if ((use.kinds & bit) != 0 || !table.is_given(use.option)) continue;
    throw core::UsageError(std::string(use.option),
                           fmt::format("it is of {}, and the input is {}; leave it out",
                                       names_of(use.kinds), names_of(bit)));
  }
  if (table.is_given("--focal") && table.is_given("--fov")) {
    throw core::UsageError("--fov", "--focal says the same; leave one out");
  }
  if (table.is_given("--loop-frames") && options.loop == "none") {
    throw core::UsageError("--loop-frames", "--loop none takes all frames; leave one out");
  }
  if (!assets::names_multiplane(options.output)) return;
  for (const std::string_view option : kOfFilms) {
    if (!table.is_given(option)) continue;
    throw core::UsageError(std::string(option),
                           fmt::format("it is of films, and {} has none; leave it out, or name a "
                                       "folder or x.mp4",
                                       options.output.string()));
  }
}

}  // namespace tessera::apps
