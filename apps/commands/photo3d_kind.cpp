// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_kind.h"

#include <fmt/format.h>

#include <string_view>

#include "apps/commands/run_folder.h"
#include "assets/captures/capture_reader.h"
#include "assets/io.h"
#include "assets/multiplane_io.h"
#include "core/error.h"

namespace tessera::apps {
namespace {

constexpr unsigned kDepthMap = static_cast<unsigned>(Photo3dKind::kDepthMap);
constexpr unsigned kNetwork = static_cast<unsigned>(Photo3dKind::kNetwork);
constexpr unsigned kPair = static_cast<unsigned>(Photo3dKind::kPair);
constexpr unsigned kScene = static_cast<unsigned>(Photo3dKind::kScene);
constexpr unsigned kCapture = static_cast<unsigned>(Photo3dKind::kCapture);

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
};

// An option and the kinds that have a use for it; those of no row suit all.
struct Use {
  std::string_view option;
  unsigned kinds;
};

constexpr Use kUses[] = {
    {"--depth-model-size", kNetwork},
    {"--depth-model-range", kNetwork},
    {"--depth-is", kDepthMap | kNetwork},
    {"--depth-scale", kDepthMap | kNetwork},
    {"--max-shift", kDepthMap | kNetwork | kPair | kScene},
    {"--stereo-baseline", kDepthMap | kNetwork | kPair},
    {"--stereo-offset", kDepthMap | kNetwork | kPair},
    {"--max-disparity", kPair},
    {"--focal", kDepthMap | kNetwork | kPair},
    {"--fov", kDepthMap | kNetwork | kPair},
    {"--capture", kScene},
    {"--camera", kScene},
    {"--up", kScene},
    {"--views", kCapture},
    {"--measure", kCapture},
    {"--steps", kCapture},
    {"--nearest", kCapture},
    {"--farthest", kCapture},
    {"--planner", kDepthMap | kNetwork | kPair | kScene},
    {"--largest-error", kDepthMap | kNetwork | kPair | kScene},
};

constexpr std::string_view kOfFilms[] = {"--motion", "--amount", "--frames", "--fps",
                                         "--film-width"};

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
  if (!options.depth_model.empty()) return Photo3dKind::kNetwork;
  if (!options.depth.empty()) return Photo3dKind::kDepthMap;
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
