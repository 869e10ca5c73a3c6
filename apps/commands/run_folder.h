// A run's folder, which may be named wherever its scene is meant.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace tessera::apps {

// Whether `path` is a folder that `tessera reconstruct` wrote: it holds run.json and scene.ply.
bool is_run_folder(const std::filesystem::path& path);

// The scene in a run's folder; any other path as it is, but throws core::IoError for a folder
// without a scene.
std::filesystem::path scene_file(const std::filesystem::path& path);

// The multiplane image in a folder that `tessera photo3d` wrote; any other path as it is.
std::filesystem::path multiplane_file(const std::filesystem::path& path);

}  // namespace tessera::apps
