// `tessera convert IN OUT`: a scene or a multiplane image from one format into another.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "apps/command_table.h"
#include "apps/commands/progress.h"
#include "apps/commands/run_folder.h"
#include "apps/commands/scene_output.h"
#include "apps/program.h"
#include "assets/io.h"
#include "assets/multiplane_io.h"
#include "core/error.h"
#include "core/options.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

void convert_multiplane(const fs::path& input, const fs::path& output,
                        const assets::MultiplaneWriteOptions& how, bool force) {
  assets::check_multiplane_writable(output, "OUT", how);
  check_replaced(input, output, "OUT", force);
  const core::MultiplaneVideo video = assets::read_multiplane_video(input);
  assets::write_multiplane(output, video, how);
  fmt::print("{}: {}{}\n", output.string(),
             plural(static_cast<int64_t>(video.image.layers.size()), "layer"),
             video.moving.empty() ? "" : ", " + plural(video.frame_count(), "frame"));
  for (const std::string& loss : assets::multiplane_losses(output, video, how)) {
    fmt::print("  lost: {}\n", loss);
  }
}

void convert_scene(const fs::path& input, const fs::path& output, bool force) {
  check_scene_output(input, output, "OUT", force);
  const core::GaussianScene scene = assets::read_scene(input);
  for (const std::string& note : scene.notes) fmt::print("{}: {}\n", input.string(), note);
  write_scene_output(output, scene, "OUT", force);
  fmt::print("{}", scene_output_text(output, scene));
}

}  // namespace

int run_convert(const std::vector<std::string>& arguments) {
  fs::path input;
  fs::path output;
  bool force = false;
  assets::MultiplaneWriteOptions how;
  core::OptionTable options("tessera convert", "Writes a scene in another format.",
                            "tessera convert scene.ply scene.splat");
  options.positional("IN", input, "a scene of Gaussians, a run's folder, or a multiplane image");
  options.positional("OUT", output, "the file to write; its extension tells the format");
  options.flag("--force", force, "replace a file that exists").common();
  options
      .add(
          "--format", how.format, "NAME",
          "of a multiplane image, if the extension does not tell: tmpi, glb, gltf, llff, html, mtv")
      .common();
  options.add("--planes", how.planes, "N", "of a multiplane image as LLFF").range(2, 1024).common();
  if (const auto help = options.parse(arguments)) {
    fmt::print("{}", *help);
    return kExitDone;
  }

  input = multiplane_file(input);
  if (assets::is_multiplane(input) || assets::names_multiplane(input)) {
    convert_multiplane(input, output, how, force);
  } else {
    for (const char* option : {"--format", "--planes"}) {
      if (!options.is_given(option)) continue;
      throw core::UsageError(option,
                             "it is of multiplane images, and the input is none; leave it "
                             "out");
    }
    convert_scene(scene_file(input), output, force);
  }
  return kExitDone;
}

}  // namespace tessera::apps
