// Start clouds: the defaults of each strategy, random points.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "models/gaussian/model.h"
#include "models/gaussian/random_start.h"
#include "tests/models/synthetic.h"

namespace tessera::models {
namespace {

std::vector<core::ColoredPoint> unit_square() {
  std::vector<core::ColoredPoint> points(4);
  points[1].position = {1, 0, 0};
  points[2].position = {0, 1, 0};
  points[3].position = {1, 1, 0};
  points[3].rgb[0] = 255;
  return points;
}

TEST(StartCloud, HasTheDefaults) {
  core::ThreadPool pool(1);
  TrainSettings settings;
  const core::GaussianCloud cloud = cloud_from_points(unit_square(), settings, pool);
  ASSERT_EQ(cloud.size(), 4);
  EXPECT_EQ(cloud.parameters.plane_count(), 59);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(1 / (1 + std::exp(-cloud.plane(core::kOpacityPlane)[i])), 0.1, 1e-6);
    for (int a = 0; a < 3; ++a) {
      EXPECT_NEAR(std::exp(cloud.plane(core::kLogScalePlane + a)[i]), std::sqrt(4.0 / 3), 1e-6);
    }
    EXPECT_EQ(cloud.plane(core::kQuaternionPlane)[i], 1);
    EXPECT_EQ(cloud.ids[i], static_cast<uint64_t>(i));
  }
  EXPECT_NEAR(0.5 + 0.28209479177387814 * cloud.plane(core::kShPlane)[3], 1.0, 1e-6);
  EXPECT_EQ(cloud.plane(core::kShPlane + 3)[3], 0);
}

TEST(StartCloud, OfMcmcIsSmallAndHalfOpaque) {
  core::ThreadPool pool(1);
  TrainSettings settings;
  settings.strategy = "mcmc";
  settings.sh_degree = 1;
  const core::GaussianCloud cloud = cloud_from_points(unit_square(), settings, pool);
  EXPECT_EQ(cloud.parameters.plane_count(), core::plane_count(1));
  EXPECT_NEAR(cloud.plane(core::kOpacityPlane)[0], 0, 1e-7);
  EXPECT_NEAR(std::exp(cloud.plane(core::kLogScalePlane)[0]), 0.1 * std::sqrt(4.0 / 3), 1e-6);
}

TEST(StartCloud, OfASceneKeepsWhatTheDegreeHolds) {
  TrainSettings settings;
  settings.sh_degree = 2;
  core::GaussianCloud scene(3, 4);
  EXPECT_EQ(used_sh_degree(scene), 0);
  scene.plane(core::kShPlane + 3 * 8)[2] = 0.5F;  // the last of degree 2
  EXPECT_EQ(used_sh_degree(scene), 2);
  scene.plane(core::kShPlane + 3 * 9)[1] = 0.5F;
  EXPECT_EQ(used_sh_degree(scene), 3);
  const core::GaussianCloud cloud =
      cloud_from_scene(scene, std::vector<int64_t>{1, 2, 3}, settings);
  EXPECT_EQ(cloud.sh_degree, 2);
  EXPECT_EQ(used_sh_degree(cloud), 2);
  EXPECT_EQ(cloud.plane(core::kShPlane + 3 * 8)[1], 0.5F);
  EXPECT_EQ(cloud.ids[2], 3U);
}

TEST(StartCloud, LeavesOutPointsThatAreNotFinite) {
  core::ThreadPool pool(1);
  std::vector<core::ColoredPoint> points = unit_square();
  points[2].position.y = NAN;
  EXPECT_EQ(cloud_from_points(points, {}, pool).size(), 3);
  EXPECT_THROW(cloud_from_points({}, {}, pool), core::Error);
}

TEST(SceneExtent, IsTheLargestDistanceFromTheMean) {
  const std::vector<core::PosedCamera> cameras = {looking_at_origin({4, 0, 0}, 100, 80, 120),
                                                  looking_at_origin({-4, 0, 0}, 100, 80, 120)};
  EXPECT_NEAR(scene_extent(cameras), 4.4, 1e-12);
  EXPECT_EQ(scene_extent(std::vector<core::PosedCamera>{cameras[0]}), 1);
}

TEST(GaussianBudget, FollowsThePixelsUnlessItIsGiven) {
  const std::vector<core::PosedCamera> cameras(
      10, looking_at_origin({4, 0, 0}, 100, 80, 120));  // 100x80 pixels
  TrainSettings settings;
  EXPECT_EQ(gaussian_budget(settings, cameras, 5), 800);
  EXPECT_EQ(gaussian_budget(settings, cameras, 900), 900);
  // 100 photos of a megapixel: 30 sqrt(1e8) in a standard run, a share of it in a shorter one, but
  // not less than 40,000.
  const std::vector<core::PosedCamera> many(100, looking_at_origin({4, 0, 0}, 1000, 1000, 900));
  EXPECT_EQ(gaussian_budget(settings, many, 5), 300000);
  settings.iterations = 15000;
  EXPECT_EQ(gaussian_budget(settings, many, 5), 150000);
  settings.iterations = 3000;
  EXPECT_EQ(gaussian_budget(settings, many, 5), 40000);
  settings.strategy = "mcmc";
  EXPECT_EQ(gaussian_budget(settings, cameras, 5), 1000000);
  settings.max_gaussians = 7;
  EXPECT_EQ(gaussian_budget(settings, cameras, 5), 7);
}

TEST(CommonPositions, LieWhereHalfTheCamerasSee) {
  std::vector<core::PosedCamera> cameras;
  for (int i = 0; i < 12; ++i) {
    const double angle = 2 * M_PI * i / 12;
    cameras.push_back(
        looking_at_origin({4 * std::cos(angle), 1, 4 * std::sin(angle)}, 100, 80, 120));
  }
  const std::vector<math::Vec3<double>> positions = common_positions(cameras, 500, 7);
  ASSERT_EQ(positions.size(), 500U);
  for (const math::Vec3<double>& p : positions) EXPECT_LT(std::sqrt(dot(p, p)), 2.7);
  EXPECT_EQ(common_positions(cameras, 500, 7)[499].x, positions[499].x);
  EXPECT_EQ(common_positions(cameras, 10, 7, 490)[9].x, positions[499].x);
  EXPECT_NE(common_positions(cameras, 500, 8)[499].x, positions[499].x);
}

TEST(CommonPositions, OfCamerasThatLookOutwardsLieBeforeThem) {
  std::vector<core::PosedCamera> cameras;
  for (int i = 0; i < 6; ++i) {
    const double angle = 2 * M_PI * i / 6;
    core::PosedCamera camera =
        looking_at_origin({-std::cos(angle), 0.1, -std::sin(angle)}, 100, 80, 120);
    camera.cam_from_world.translation = {0, 0, -1};  // stands one unit along its own axis
    cameras.push_back(camera);
  }
  for (const math::Vec3<double>& position : common_positions(cameras, 200, 1)) {
    int seen = 0;
    for (const core::PosedCamera& camera : cameras) {
      const auto p = camera.cam_from_world.rotation * position + camera.cam_from_world.translation;
      seen += p.z > 0 && std::fabs(p.x / p.z) < 0.5 && std::fabs(p.y / p.z) < 0.5 ? 1 : 0;
    }
    EXPECT_GE(seen, 1);
  }
}

// Photos of a disc of radius 0.5 around the origin, transparent beside it.
MemoryPhotos disc_photos(uint8_t alpha_of_disc) {
  MemoryPhotos photos;
  for (int i = 0; i < 12; ++i) {
    const double angle = 2 * M_PI * i / 12;
    MemoryPhotos::View view;
    view.camera = looking_at_origin({4 * std::cos(angle), 1, 4 * std::sin(angle)}, 64, 64, 80);
    view.photo.pixels = core::Image8(64, 64, 4);
    for (int y = 0; y < 64; ++y) {
      for (int x = 0; x < 64; ++x) {
        const bool disc = std::hypot(x - 31.5, y - 31.5) < 0.5 * 80 / std::sqrt(17.0);
        const uint8_t pixel[4] = {200, 100, 50, disc ? alpha_of_disc : uint8_t{0}};
        std::copy_n(pixel, 4, &view.photo.pixels.at(x, y));
      }
    }
    photos.views.push_back(view);
  }
  return photos;
}

TEST(RandomPoints, LieInsideTheVisualHullAndHaveThePhotosColors) {
  MemoryPhotos photos = disc_photos(255);
  const std::vector<core::ColoredPoint> points = random_points(photos, photos.all(), 300, 4);
  ASSERT_EQ(points.size(), 300U);
  for (const core::ColoredPoint& point : points) {
    EXPECT_LT(std::sqrt(dot(point.position, point.position)), 0.75);
    EXPECT_EQ(point.rgb[0], 200);
    EXPECT_EQ(point.rgb[2], 50);
  }
  // Photos without anything in them say nothing about where to start.
  MemoryPhotos empty = disc_photos(0);
  EXPECT_EQ(random_points(empty, empty.all(), 300, 4).size(), 300U);
}

TEST(RandomPoints, DefaultLeavesRoomToGrow) {
  EXPECT_EQ(default_random_points(30000), 15000);
  EXPECT_EQ(default_random_points(200000), 20000);
  EXPECT_EQ(default_random_points(10), 1000);
}

}  // namespace
}  // namespace tessera::models
