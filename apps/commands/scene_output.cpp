// SPDX-License-Identifier: MIT
#include "apps/commands/scene_output.h"

#include <fmt/format.h>

#include "apps/commands/progress.h"
#include "assets/io.h"
#include "assets/origin_sidecar.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::apps {

namespace fs = std::filesystem;

void check_replaced(const fs::path& input, const fs::path& output, const std::string& option,
                    bool force) {
  std::error_code ignored;
  if (!fs::exists(output, ignored) || force) return;
  if (fs::equivalent(input, output, ignored)) {
    throw core::UsageError(option, output.string() +
                                       " is the input too; give another name, or --force to "
                                       "replace it once the new file is whole");
  }
  throw core::UsageError(option,
                         output.string() + " exists; give another name, or --force to replace it");
}

void check_scene_output(const fs::path& input, const fs::path& output, const std::string& option,
                        bool force) {
  assets::check_writable(output, option);
  std::error_code ignored;
  if (fs::is_directory(output, ignored)) {
    throw core::UsageError(option, output.string() + " is a folder; give the name of a file");
  }
  check_replaced(input, output, option, force);
}

void write_scene_output(const fs::path& output, const core::GaussianScene& scene,
                        const std::string& option, bool force) {
  if (!force && assets::replaces_sidecar(output, scene)) {
    throw core::UsageError(option, assets::sidecar_path(output).string() +
                                       " exists and holds another offset than the scene has; give "
                                       "another name, or --force to replace it");
  }
  assets::write_scene(output, scene);
}

std::string scene_output_text(const fs::path& output, const core::GaussianScene& scene) {
  std::string text =
      fmt::format("{}: {}, {}\n", output.string(), plural(scene.cloud.size(), "Gaussian"),
                  bytes_text(static_cast<double>(core::size_of_file(output))));
  for (const std::string& loss : assets::losses(output, scene)) {
    text += fmt::format("  lost: {}\n", loss);
  }
  if (assets::has_origin(scene.origin_in_file)) {
    text +=
        fmt::format("{}: the offset of the coordinates\n", assets::sidecar_path(output).string());
  }
  return text;
}

}  // namespace tessera::apps
