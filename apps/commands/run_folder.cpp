// SPDX-License-Identifier: MIT
#include "apps/commands/run_folder.h"

#include "core/error.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace

bool is_run_folder(const fs::path& path) {
  return is_file(path / "run.json") && is_file(path / "scene.ply");
}

fs::path scene_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  if (!is_file(path / "scene.ply")) {
    throw core::IoError(path,
                        "is a folder without a scene.ply; name a scene's file or the folder "
                        "of a run");
  }
  return path / "scene.ply";
}

fs::path multiplane_file(const fs::path& path) {
  std::error_code ignored;
  const fs::path image = path / "scene.tmpi";
  return is_file(path / "photo3d.json") && fs::is_directory(image, ignored) ? image : path;
}

}  // namespace tessera::apps
