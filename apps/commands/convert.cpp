// `tessera convert IN OUT`: a scene or a multiplane image from one format into another.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "apps/command_table.h"
#include "apps/commands/progress.h"
#include "apps/commands/run_folder.h"
#include "apps/program.h"
#include "assets/io.h"
#include "assets/multiplane_io.h"
#include "assets/origin_sidecar.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/options.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

void check_replaced(const fs::path& input, const fs::path& output, bool force) {
  std::error_code ignored;
  if (!fs::exists(output, ignored) || force) return;
  if (fs::equivalent(input, output, ignored)) {
    throw core::UsageError("OUT", output.string() +
                                      " is the input too; give another name, or --force to replace "
                                      "it once the new file is whole");
  }
  throw core::UsageError("OUT",
                         output.string() + " exists; give another name, or --force to replace it");
}

void print_losses(const std::vector<std::string>& losses) {
  for (const std::string& loss : losses) fmt::print("  lost: {}\n", loss);
}

void convert_multiplane(const fs::path& input, const fs::path& output,
                        const assets::MultiplaneWriteOptions& how, bool force) {
  assets::check_multiplane_writable(output, "OUT", how);
  check_replaced(input, output, force);
  const core::MultiplaneVideo video = assets::read_multiplane_video(input);
  assets::write_multiplane(output, video, how);
  fmt::print("{}: {}{}\n", output.string(),
             plural(static_cast<int64_t>(video.image.layers.size()), "layer"),
             video.moving.empty() ? "" : ", " + plural(video.frame_count(), "frame"));
  print_losses(assets::multiplane_losses(output, video, how));
}

void convert_scene(const fs::path& input, const fs::path& output, bool force) {
  assets::check_writable(output, "OUT");
  std::error_code ignored;
  if (fs::is_directory(output, ignored)) {
    throw core::UsageError("OUT", output.string() + " is a folder; give the name of a file");
  }
  check_replaced(input, output, force);
  const core::GaussianScene scene = assets::read_scene(input);
  for (const std::string& note : scene.notes) fmt::print("{}: {}\n", input.string(), note);
  if (!force && assets::replaces_sidecar(output, scene)) {
    throw core::UsageError("OUT", assets::sidecar_path(output).string() +
                                      " exists and holds another offset than the scene has; give "
                                      "another name, or --force to replace it");
  }
  assets::write_scene(output, scene);
  fmt::print("{}: {}, {}\n", output.string(), plural(scene.cloud.size(), "Gaussian"),
             bytes_text(static_cast<double>(core::size_of_file(output))));
  print_losses(assets::losses(output, scene));
  if (assets::has_origin(scene.origin_in_file)) {
    fmt::print("{}: the offset of the coordinates\n", assets::sidecar_path(output).string());
  }
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
