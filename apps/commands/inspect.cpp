// `tessera inspect FILE`: what is in a scene, a point cloud or a capture, and what is wrong with
// it. SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <variant>

#include "apps/command_table.h"
#include "apps/commands/scene_summary.h"
#include "apps/program.h"
#include "assets/io.h"
#include "core/file_io.h"
#include "core/options.h"

namespace tessera::apps {

int run_inspect(const std::vector<std::string>& arguments) {
  std::filesystem::path input;
  bool json = false;
  core::OptionTable options("tessera inspect", "Say what is in a scene or a capture.",
                            "tessera inspect scene.ply");
  options.positional("FILE", input, "a scene, a point cloud or a capture's folder");
  options.flag("--json", json, "the same as JSON").common();
  if (const auto help = options.parse(arguments)) {
    fmt::print("{}", *help);
    return kExitDone;
  }

  const assets::SceneFile file = assets::read_scene_or_points(input);
  std::visit(
      [&](const auto& content) {
        const auto summary = summarize(content);
        if (json) {
          fmt::print("{}\n", to_json(summary));
        } else {
          fmt::print("{}: {} bytes\n{}", input.string(), core::size_of_file(input),
                     to_text(summary));
        }
      },
      file);
  return kExitDone;
}

}  // namespace tessera::apps
