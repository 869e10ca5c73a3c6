// Real stereo pairs with true disparity, for the prediction of the right picture from the left one.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assets/depth.h"
#include "assets/photos/image_io.h"
#include "core/camera.h"
#include "core/image.h"
#include "models/multiplane/plan.h"

namespace tessera::models {

struct StereoPair {
  std::string name;
  core::Image8 left;
  core::Image8 right;
  core::ImageF disparity;  // of the left picture, in pixels; 0: unknown
};

// Rectified cameras that stand one unit apart; any focal length does.
inline core::PosedCamera left_camera(const StereoPair& pair) {
  core::PosedCamera camera;
  camera.camera.width = pair.left.width;
  camera.camera.height = pair.left.height;
  camera.camera.fx = camera.camera.fy = pair.left.width;
  camera.camera.cx = 0.5 * pair.left.width;
  camera.camera.cy = 0.5 * pair.left.height;
  return camera;
}

inline core::PosedCamera right_camera(const StereoPair& pair) {
  core::PosedCamera camera = left_camera(pair);
  camera.cam_from_world.translation = {-1, 0, 0};
  return camera;
}

// `disparity` of the left picture, in pixels; 0: unknown.
inline DepthPhoto depth_photo(const StereoPair& pair, const core::ImageF& disparity) {
  DepthPhoto photo;
  photo.photo = pair.left;
  photo.camera = left_camera(pair);
  photo.inverse_depth = disparity;
  for (float& value : photo.inverse_depth.data) {
    value /= static_cast<float>(photo.camera.camera.fx);
  }
  return photo;
}

// The pairs of `folder` that are there.
inline std::vector<StereoPair> stereo_pairs(const std::filesystem::path& folder) {
  const auto pair = [&](const char* name, const char* left, const char* right,
                        const char* disparity, float per_pixel) {
    StereoPair found{name, assets::read_image(folder / left), assets::read_image(folder / right),
                     assets::read_depth(folder / disparity).values};
    for (float& value : found.disparity.data) value /= per_pixel;
    return found;
  };
  std::vector<StereoPair> pairs;
  if (exists(folder / "aloe")) {
    pairs.push_back(pair("Aloe", "aloe/aloeL.jpg", "aloe/aloeR.jpg", "aloe/aloeGT.png", 1));
  }
  if (exists(folder / "middlebury_cones")) {
    pairs.push_back(pair("cones", "middlebury_cones/im2.png", "middlebury_cones/im6.png",
                         "middlebury_cones/disp2.pgm", 4));
  }
  if (exists(folder / "motorcycle")) {
    pairs.push_back(pair("Motorcycle", "motorcycle/left.png", "motorcycle/right.png",
                         "motorcycle/disparity.png", 256));
  }
  return pairs;
}

}  // namespace tessera::models
