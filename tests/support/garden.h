// Points and cameras of a real scene (test_garden.npz) as Gaussians to draw.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <filesystem>
#include <string>

#include "tests/support/npz.h"
#include "tests/support/raster_scenes.h"

namespace tessera::test {

// Every `stride`-th point as an opaque ball, seen by camera `view` (0 to 2) at 1/8 of its size.
inline RasterScene garden_scene(const std::filesystem::path& npz, int view, int64_t stride) {
  const auto means = read_npz<float>(npz, "means3d");
  const auto colors = read_npz<uint8_t>(npz, "colors");
  const auto poses = read_npz<float>(npz, "viewmats");
  const auto intrinsics = read_npz<float>(npz, "Ks");
  RasterScene scene;
  scene.name = "garden, view " + std::to_string(view);
  scene.cloud = core::GaussianCloud(0, static_cast<int64_t>(means.size()) / 3 / stride);
  for (int64_t i = 0; i < scene.cloud.size(); ++i) {
    for (int k = 0; k < 3; ++k) {
      scene.cloud.plane(core::kMeanPlane + k)[i] = means[3 * stride * i + k];
      scene.cloud.plane(core::kLogScalePlane + k)[i] = std::log(0.01F);
      const float color = static_cast<float>(colors[3 * stride * i + k]) / 255.0F;
      scene.cloud.plane(core::kShPlane + k)[i] = (color - 0.5F) / 0.28209479F;
    }
    scene.cloud.plane(core::kQuaternionPlane)[i] = 1;
    scene.cloud.plane(core::kOpacityPlane)[i] = 1;
  }
  core::Camera& c = scene.camera.camera;
  const float* k = intrinsics.data() + 9 * view;
  c.width = 648;
  c.height = 416;  // of 420: whole at 1/8
  c.fx = k[0];
  c.cx = k[2];
  c.fy = k[4];
  c.cy = k[5];
  c = scaled(c, c.width / 8, c.height / 8);
  const float* m = poses.data() + 16 * view;
  core::Rigid& pose = scene.camera.cam_from_world;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) pose.rotation.m[row][column] = m[4 * row + column];
  }
  pose.translation = {m[3], m[7], m[11]};
  return scene;
}

}  // namespace tessera::test
