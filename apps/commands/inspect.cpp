// `tessera inspect FILE`: what is in a scene, a point cloud, a multiplane image or a capture, and
// what is wrong with it.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <variant>

#include "apps/command_table.h"
#include "apps/commands/capture_summary.h"
#include "apps/commands/multiplane_summary.h"
#include "apps/commands/progress.h"
#include "apps/commands/run_folder.h"
#include "apps/commands/scene_summary.h"
#include "apps/program.h"
#include "assets/captures/capture_reader.h"
#include "assets/io.h"
#include "assets/multiplane_io.h"
#include "core/file_io.h"
#include "core/options.h"

namespace tessera::apps {
namespace {

template <class Summary>
void print(const std::filesystem::path& input, const std::string& size, const Summary& summary,
           bool json) {
  if (json) {
    fmt::print("{}\n", to_json(summary));
  } else {
    fmt::print("{}{}{}\n{}", input.string(), size.empty() ? "" : ": ", size, to_text(summary));
  }
}

}  // namespace

int run_inspect(const std::vector<std::string>& arguments) {
  std::filesystem::path input;
  bool json = false;
  core::OptionTable options("tessera inspect", "Says what is in a scene or a capture.",
                            "tessera inspect scene.ply");
  options.positional("FILE", input,
                     "a scene, a point cloud, a multiplane image, a run's or a capture's folder");
  options.flag("--json", json, "the same as JSON").common();
  if (const auto help = options.parse(arguments)) {
    fmt::print("{}", *help);
    return kExitDone;
  }

  input = multiplane_file(input);
  if (assets::is_multiplane(input) || assets::names_multiplane(input)) {
    print(input, "", summarize(assets::read_multiplane_video(input)), json);
    return kExitDone;
  }
  if (is_run_folder(input)) input = scene_file(input);
  if (assets::is_capture(input)) {
    assets::CaptureOptions wanted;
    wanted.photos_required = false;
    print(input, "", summarize(assets::read_capture(input, wanted)), json);
    return kExitDone;
  }
  const assets::SceneFile file = assets::read_scene_or_points(input);
  const std::string size = bytes_text(static_cast<double>(core::size_of_file(input)));
  std::visit([&](const auto& content) { print(input, size, summarize(content), json); }, file);
  return kExitDone;
}

}  // namespace tessera::apps
