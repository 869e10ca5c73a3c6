// What a reconstruction starts from: posed photos, perhaps points. Readers in assets/captures make
// it.
//
// The frame is the input's own after `world_from_file`'s axis change if the format has another one
// (a transforms.json stays in its world; only camera axes are turned to OpenCV's). Coordinates that
// float32 cannot hold are shifted: file coordinates = capture coordinates + origin_in_file.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/camera.h"
#include "core/math/vec.h"

namespace tessera::core {

struct CaptureView {
  std::string name;                  // as the capture names it, e.g. "left/0001.jpg"; unique
  std::filesystem::path image_path;  // on disk
  std::filesystem::path mask_path;   // empty if there is none
  std::filesystem::path depth_path;  // empty if there is none; 16-bit millimetres
  Camera camera;                     // for the photo at its full size on disk
  int prescaled = 1;                 // the photo on disk is this many times smaller (images_2, ...)
  Rigid cam_from_world;
  bool is_test = false;  // the capture itself says so (Blender's transforms_test.json)
};

struct ColoredPoint {
  math::Vec3<double> position;
  uint8_t rgb[3] = {128, 128, 128};
};

struct Capture {
  std::filesystem::path folder;
  std::string kind;                // "COLMAP", "transforms.json", "Blender"
  bool alpha_is_opacity = false;   // alpha is composited over a background; else it is a mask
  std::vector<CaptureView> views;  // sorted by name
  std::vector<ColoredPoint> points;
  math::Vec3<double> origin_in_file = {0, 0, 0};
  std::vector<std::string> notes;     // what was noticed and decided, one sentence each
  std::vector<std::string> warnings;  // missing photos and the like
};

}  // namespace tessera::core
