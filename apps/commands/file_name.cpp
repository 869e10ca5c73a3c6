// SPDX-License-Identifier: MIT
#include "apps/commands/file_name.h"

#include <algorithm>
#include <string_view>

#include "core/lower_case.h"

namespace tessera::apps {
namespace {

// A list rather than a rule about letters: no folder's name is refused by accident.
constexpr std::string_view kExtensions[] = {
    // Scenes of splats.
    ".ply", ".splat", ".spz", ".sog", ".ksplat", ".glb", ".gltf", ".rad",
    // Points, meshes, volumes.
    ".3ds", ".abc", ".dae", ".e57", ".fbx", ".las", ".laz", ".obj", ".off", ".pcd", ".pts", ".stl",
    ".usd", ".usda", ".usdc", ".usdz", ".vdb", ".vtk", ".wrl", ".x3d", ".xyz",
    // Pictures and films.
    ".bmp", ".exr", ".gif", ".hdr", ".jp2", ".jpeg", ".jpg", ".png", ".ppm", ".svg", ".tga", ".tif",
    ".tiff", ".webp", ".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpg", ".webm",
    // Data.
    ".bin", ".ckpt", ".csv", ".h5", ".html", ".json", ".npy", ".npz", ".pt", ".pth", ".tar", ".txt",
    ".yaml", ".yml", ".zip"};

}  // namespace

bool names_file(const std::filesystem::path& path) {
  const std::string extension = core::lower_case(path.extension().string());
  return std::find(std::begin(kExtensions), std::end(kExtensions), extension) !=
         std::end(kExtensions);
}

}  // namespace tessera::apps
