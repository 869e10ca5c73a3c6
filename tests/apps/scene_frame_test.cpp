// A scene without cameras stands whole and in the middle of the picture all around the turntable.
// SPDX-License-Identifier: MIT
#include "apps/commands/scene_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "apps/commands/camera_path.h"

namespace tessera::apps {
namespace {

using math::Vec3;

// Like a guitar on its stand: most Gaussians in a small body, few along a long neck that leans, and
// one in a hundred astray.
core::GaussianCloud guitar(Vec3<double> up, Vec3<double> ahead) {
  constexpr int kCount = 1000;
  core::GaussianCloud cloud(0, kCount);
  for (int i = 0; i < kCount; ++i) {
    double height = 0.3 * std::sin(1.7 * i);
    double depth = 0.1 * std::cos(2.3 * i);
    if (i % 10 == 0) height = 0.3 + 1.7 * i / kCount;
    if (i % 10 == 0) depth = 0.2 * height;
    if (i % 100 == 99) height = depth = 40;
    const Vec3<double> mean = Vec3<double>{3, -2, 5} + up * height + ahead * depth;
    cloud.plane(core::kMeanPlane)[i] = static_cast<float>(mean.x);
    cloud.plane(core::kMeanPlane + 1)[i] = static_cast<float>(mean.y);
    cloud.plane(core::kMeanPlane + 2)[i] = static_cast<float>(mean.z);
    for (int a = 0; a < 3; ++a) cloud.plane(core::kLogScalePlane + a)[i] = std::log(0.01F);
    cloud.plane(core::kOpacityPlane)[i] = 2;
  }
  return cloud;
}

// The largest part of the half picture that a Gaussian (as a ball of three deviations) reaches to
// each side, of those that are not astray.
struct Reach {
  double left = 0, right = 0, top = 0, bottom = 0;
};

Reach reach_of(const core::GaussianCloud& cloud, const core::PosedCamera& posed) {
  Reach reach;
  for (int64_t i = 0; i < cloud.size(); ++i) {
    if (i % 100 == 99) continue;
    const Vec3<double> p =
        posed.cam_from_world.rotation *
            Vec3<double>{cloud.plane(0)[i], cloud.plane(1)[i], cloud.plane(2)[i]} +
        posed.cam_from_world.translation;
    EXPECT_GT(p.z, 0);
    const double x = posed.camera.fx / (0.5 * posed.camera.width * p.z);
    const double y = posed.camera.fy / (0.5 * posed.camera.height * p.z);
    reach.left = std::max(reach.left, (0.03 - p.x) * x);
    reach.right = std::max(reach.right, (0.03 + p.x) * x);
    reach.top = std::max(reach.top, (0.03 - p.y) * y);
    reach.bottom = std::max(reach.bottom, (0.03 + p.y) * y);
  }
  return reach;
}

void expect_whole(const core::GaussianCloud& cloud, const core::Camera& camera, Vec3<double> up) {
  const SceneFrame frame = frame_from_cloud(cloud, up, camera);
  Reach most;
  for (const core::PosedCamera& posed : turntable(frame, camera, 16)) {
    const Reach reach = reach_of(cloud, posed);
    most.left = std::max(most.left, reach.left);
    most.right = std::max(most.right, reach.right);
    most.top = std::max(most.top, reach.top);
    most.bottom = std::max(most.bottom, reach.bottom);
  }
  EXPECT_LE(most.left, 1);
  EXPECT_LE(most.right, 1);
  EXPECT_LE(most.top, 1);
  EXPECT_LE(most.bottom, 1);
  EXPECT_GE(std::max({most.left, most.right, most.top, most.bottom}), 0.8) << "too far away";
  if (std::max(most.top, most.bottom) > std::max(most.left, most.right)) {
    EXPECT_NEAR(most.top, most.bottom, 0.1) << "not in the middle";
  }
}

TEST(SceneFrame, HoldsABareSceneWholeAllAround) {
  for (const auto& [width, height] : {std::pair{320, 180}, {180, 320}, {200, 200}}) {
    for (const double fov : {25.0, 50.0, 90.0}) {
      SCOPED_TRACE(testing::Message() << width << "x" << height << ", " << fov << " degrees");
      expect_whole(guitar({0, -1, 0}, {0, 0, 1}), pinhole(width, height, fov), {0, -1, 0});
      expect_whole(guitar({0, 0, 1}, {0, 1, 0}), pinhole(width, height, fov), {0, 0, 1});
    }
  }
}

// Such as one on its back: its up is not the axis along which it is longest.
TEST(SceneFrame, HoldsABareSceneWholeWithAnotherUp) {
  expect_whole(guitar({1, 0, 0}, {0, 0, 1}), pinhole(320, 180, 50), {0, -1, 0});
}

TEST(SceneFrame, OfOneGaussianIsFinite) {
  core::GaussianCloud cloud(0, 1);
  const SceneFrame frame = frame_from_cloud(cloud, {0, -1, 0}, pinhole(64, 48, 50));
  EXPECT_TRUE(std::isfinite(frame.distance));
  EXPECT_GT(frame.distance, 0);
}

}  // namespace
}  // namespace tessera::apps
