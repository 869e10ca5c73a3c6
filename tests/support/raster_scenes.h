// The scenes that every rasterizer backend is tested on.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "render/gaussian/rasterizer.h"
#include "tests/support/random_scene.h"

namespace tessera::test {

struct RasterScene {
  std::string name;
  core::GaussianCloud cloud;
  core::PosedCamera camera;
  render::RasterizeOptions options;
  // By how much float's rounding is amplified beyond the usual: where an exponent is the small
  // difference of large terms.
  double condition = 1;
};

namespace scenes {

inline RasterScene random(const std::string& name, RandomCloud spec,
                          const core::PosedCamera& camera) {
  RasterScene scene;
  scene.name = name;
  scene.cloud = random_cloud(spec, camera);
  scene.camera = camera;
  scene.options.background = {0.2F, 0.5F, 0.9F};
  return scene;
}

inline RasterScene one() {
  const core::PosedCamera camera = pinhole_camera(33, 20);
  RandomCloud spec;
  spec.count = 1;
  RasterScene scene = random("one", spec, camera);
  place(scene.cloud, 0, camera, 15, 11, 3, {2, 3, 5});
  return scene;
}

inline RasterScene of_degree(int degree) {
  RandomCloud spec;
  spec.seed = 10 + degree;
  spec.count = 300;
  spec.sh_degree = degree;
  return random("degree " + std::to_string(degree), spec,
                pinhole_camera(64, 48, random_pose(spec.seed)));
}

inline RasterScene antialiased() {
  RandomCloud spec;
  spec.seed = 20;
  spec.count = 300;
  spec.min_pixels = 0.05;
  RasterScene scene = random("antialiased", spec, pinhole_camera(64, 48, random_pose(20)));
  scene.options.antialiased = true;
  return scene;
}

inline RasterScene near_plane(float near_plane) {
  RandomCloud spec;
  spec.seed = 21;
  spec.count = 300;
  spec.min_depth = -1;
  spec.max_depth = 1.5;
  RasterScene scene = random("around a near plane of " + std::to_string(near_plane), spec,
                             pinhole_camera(64, 48, random_pose(21)));
  scene.options.near_plane = near_plane;
  return scene;
}

// Centers on and beside the borders of tiles of 16.
inline RasterScene tile_borders() {
  const core::PosedCamera camera = pinhole_camera(50, 40);
  RandomCloud spec;
  spec.seed = 22;
  spec.count = 90;
  RasterScene scene = random("tile borders", spec, camera);
  for (int64_t i = 0; i < spec.count; ++i) {
    const double size = 0.2 + 0.07 * static_cast<double>(i);
    const int64_t half_x = i / 12 % 3 - 1, half_y = i / 36 - 1;
    const double u = 16 * static_cast<double>(i % 4) + 0.5 * static_cast<double>(half_x);
    const double v = 16 * static_cast<double>(i / 4 % 3) + 0.5 * static_cast<double>(half_y);
    place(scene.cloud, i, camera, u, v, 1.5 + 0.01 * static_cast<double>(i * 37 % 90),
          {size, size, size});
  }
  return scene;
}

inline RasterScene needles() {
  const core::PosedCamera camera = pinhole_camera(64, 48, random_pose(23));
  RandomCloud spec;
  spec.seed = 23;
  spec.count = 150;
  RasterScene scene = random("needles", spec, camera);
  scene.condition = 200;
  Random r(24);
  for (int64_t i = 0; i < spec.count; ++i) {
    const double z = r.uniform(1, 8), v = r.uniform(0, 48), u = r.uniform(0, 64);
    place(scene.cloud, i, camera, u, v, z, {0.01, 30, 0.02});
  }
  return scene;
}

// Nothing, and all, of the light.
inline RasterScene extreme_opacities() {
  RandomCloud spec;
  spec.seed = 25;
  spec.count = 60;
  RasterScene scene = random("opacity 0 and 1", spec, pinhole_camera(40, 30, random_pose(25)));
  for (int64_t i = 0; i < spec.count; ++i) {
    scene.cloud.plane(core::kOpacityPlane)[i] = i % 3 == 0 ? -80.0F : 80.0F;
  }
  return scene;
}

// All in one plane before an unturned camera, and some of them clones of others.
inline RasterScene equal_depths() {
  const core::PosedCamera camera = pinhole_camera(48, 32);
  RandomCloud spec;
  spec.seed = 26;
  spec.count = 120;
  RasterScene scene = random("equal depths", spec, camera);
  for (int64_t i = 0; i < spec.count; ++i) {
    scene.cloud.plane(core::kMeanPlane + 2)[i] = 2;
    for (int p = 0; i >= 100 && p < scene.cloud.parameters.plane_count(); ++p) {
      scene.cloud.plane(p)[i] = scene.cloud.plane(p)[i - 100];
    }
  }
  return scene;
}

inline RasterScene principal_point_outside() {
  core::PosedCamera camera = pinhole_camera(48, 32, random_pose(27));
  camera.camera.cx = -20;
  camera.camera.cy = 47;
  RandomCloud spec;
  spec.seed = 27;
  spec.count = 200;
  return random("principal point outside", spec, camera);
}

// A scene placed for a pinhole camera and seen through a lens in its stead.
inline RasterScene through_lens(const std::string& name, core::CameraModel model,
                                const std::array<double, 8>& distortion) {
  RandomCloud spec;
  spec.count = 300;
  spec.min_pixels = 0.5;
  spec.max_pixels = 8;
  spec.seed = static_cast<uint64_t>(model) + 20;
  RasterScene scene = random(name, spec, pinhole_camera(64, 48, random_pose(spec.seed)));
  scene.camera.camera.model = model;
  scene.camera.camera.distortion = distortion;
  return scene;
}

}  // namespace scenes

inline std::vector<RasterScene> raster_scenes() {
  using scenes::random;
  std::vector<RasterScene> all;
  for (int degree = 0; degree <= core::kMaxShDegree; ++degree) {
    all.push_back(scenes::of_degree(degree));
  }
  RandomCloud spec;
  spec.count = 0;
  all.push_back(random("none", spec, pinhole_camera(33, 20)));
  all.push_back(scenes::one());
  spec.count = 3000;
  all.push_back(random("thousands", spec, pinhole_camera(64, 48, random_pose(3))));
  spec.count = 40;
  all.push_back(random("1x1", spec, pinhole_camera(1, 1)));
  all.push_back(random("17x33", spec, pinhole_camera(17, 33, random_pose(4))));
  spec.min_pixels = 200;
  spec.max_pixels = 5000;
  all.push_back(random("huge", spec, pinhole_camera(64, 48, random_pose(5))));
  spec.count = 500;
  spec.min_pixels = 1e-4;
  spec.max_pixels = 0.1;
  all.push_back(random("tiny", spec, pinhole_camera(64, 48, random_pose(6))));
  spec.count = 400;
  spec.min_pixels = 4;
  spec.max_pixels = 10;
  spec.min_logit = 4;
  spec.max_logit = 9;
  all.push_back(random("opaque", spec, pinhole_camera(64, 48, random_pose(7))));
  all.push_back(scenes::antialiased());
  all.push_back(scenes::near_plane(0.01F));
  all.push_back(scenes::near_plane(0.5F));
  all.push_back(scenes::tile_borders());
  all.push_back(scenes::needles());
  all.push_back(scenes::extreme_opacities());
  all.push_back(scenes::equal_depths());
  all.push_back(scenes::principal_point_outside());
  using core::CameraModel;
  all.push_back(scenes::through_lens("radial", CameraModel::kRadial, {-0.3, 0.1}));
  all.push_back(scenes::through_lens("folding back", CameraModel::kSimpleRadial, {-2.0}));
  all.push_back(
      scenes::through_lens("fisheye", CameraModel::kOpenCvFisheye, {0.05, -0.02, 0.01, -0.004}));
  all.push_back(scenes::through_lens("FOV", CameraModel::kFov, {1.2}));
  return all;
}

}  // namespace tessera::test
