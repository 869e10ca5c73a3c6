// A COLMAP model as its three files state it, binary or text, before photos are looked for.
//
// Ids are names, not positions: they may be sparse, in any order and as large as 2^32 - 1.
// Format: https://colmap.github.io/format.html and COLMAP's src/colmap/scene/reconstruction_io.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/camera.h"
#include "core/capture.h"

namespace tessera::assets {

struct ColmapImage {
  uint32_t id = 0;
  uint32_t camera_id = 0;
  core::Rigid cam_from_world;
  std::string name;
};

struct ColmapPoint {
  uint64_t id = 0;
  core::ColoredPoint point;
};

struct ColmapModel {
  std::map<uint32_t, core::Camera> cameras;
  std::vector<ColmapImage> images;
  std::vector<ColmapPoint> points;
  int64_t dropped_points = 0;  // position not finite
};

// Whether `folder` holds cameras and images, in either form.
bool has_colmap_model(const std::filesystem::path& folder);

// Binary if it is there, else text. Throws IoError naming file and byte (or line) of what is wrong.
ColmapModel read_colmap_model(const std::filesystem::path& folder);

ColmapModel read_colmap_binary(const std::filesystem::path& folder);
ColmapModel read_colmap_text(const std::filesystem::path& folder);

// What both forms share. `where` names the record: "camera 3". Throw IoError on `file`.
core::Camera make_colmap_camera(const std::filesystem::path& file, const std::string& where,
                                core::CameraModel model, uint64_t width, uint64_t height,
                                const double* parameters);
core::Rigid make_colmap_pose(const std::filesystem::path& file, const std::string& where,
                             const std::array<double, 4>& quaternion_wxyz,
                             const std::array<double, 3>& translation);
[[noreturn]] void refuse_colmap_camera(const std::filesystem::path& file, const std::string& where,
                                       const std::string& model);
void add_colmap_point(ColmapModel& model, const ColmapPoint& point);

}  // namespace tessera::assets
