// What rules of cleaning say of Gaussians that are placed by hand, and that they keep what is
// right.
// SPDX-License-Identifier: MIT
#include "render/gaussian/clean.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/table_entry.h"
#include "tests/support/random_scene.h"

namespace tessera::render {
namespace {

core::Array<float> values(std::string_view rule, const core::GaussianCloud& cloud,
                          std::span<const core::PosedCamera> cameras = {}, int threads = 2) {
  core::ThreadPool pool(threads);
  return core::entry_named(clean_rules(), rule, "rule").values(cloud, cameras, pool);
}

// 11 x 11 x 11 balls a unit apart before the camera, each `sigma` wide.
core::GaussianCloud lattice(double sigma) {
  core::GaussianCloud cloud(0, 11 * 11 * 11);
  for (int64_t i = 0; i < cloud.size(); ++i) {
    const int64_t row = i / 11, layer = row / 11;
    cloud.plane(0)[i] = static_cast<float>(i % 11 - 5);
    cloud.plane(1)[i] = static_cast<float>(row % 11 - 5);
    cloud.plane(2)[i] = static_cast<float>(layer);
    for (int a = 0; a < 3; ++a) {
      cloud.plane(core::kLogScalePlane + a)[i] = static_cast<float>(std::log(sigma));
    }
    cloud.plane(core::kQuaternionPlane)[i] = 1;
    cloud.plane(core::kOpacityPlane)[i] = 2;
  }
  return cloud;
}

TEST(Clean, OfWhatIsAsItShouldBeNothingGoes) {
  const core::GaussianCloud cloud = lattice(0.3);
  core::Rigid back;
  back.translation = {0, 0, 12};
  const core::PosedCamera camera = test::pinhole_camera(640, 640, back);
  for (const CleanRule& rule : clean_rules()) {
    const core::Array<float> found = values(rule.name, cloud, {&camera, 1});
    ASSERT_EQ(found.size(), cloud.size());
    EXPECT_TRUE(std::none_of(found.begin(), found.end(), [&](float v) {
      return rule.removes(v, rule.threshold);
    })) << rule.name;
  }
}

TEST(Clean, EachRuleFindsWhatItIsFor) {
  core::GaussianCloud cloud = lattice(0.3);
  const float inf = std::numeric_limits<float>::infinity();
  cloud.plane(core::kShPlane + 1)[0] = std::numeric_limits<float>::quiet_NaN();
  cloud.plane(core::kLogScalePlane)[0] = -inf;
  cloud.plane(core::kOpacityPlane)[1] = -5;
  cloud.plane(core::kLogScalePlane + 2)[2] = std::log(20.0F);
  cloud.plane(core::kLogScalePlane + 1)[3] = std::log(0.3F * 150);
  cloud.plane(core::kMeanPlane + 2)[4] = 500;
  core::Rigid back;
  back.translation = {0, 0, 12};
  const core::PosedCamera camera = test::pinhole_camera(640, 640, back);
  const std::pair<const char*, std::vector<int64_t>> kExpected[] = {
      {"broken", {0}}, {"opacity", {1}}, {"size", {2, 3}}, {"needle", {3}}, {"isolated", {4}}};
  for (const auto& [name, expected] : kExpected) {
    const CleanRule& rule = core::entry_named(clean_rules(), name, "rule");
    const core::Array<float> found = values(name, cloud, {&camera, 1});
    std::vector<int64_t> gone;
    for (int64_t i = 0; i < cloud.size(); ++i) {
      if (rule.removes(found[i], rule.threshold)) gone.push_back(i);
    }
    EXPECT_EQ(gone, expected) << name;
  }
}

TEST(Clean, ValuesAreWhatTheirNamesSay) {
  core::GaussianCloud cloud = lattice(0.25);
  cloud.plane(core::kLogScalePlane + 1)[7] = std::log(0.5F);
  cloud.plane(core::kLogScalePlane + 2)[7] = std::log(2.0F);
  // The outer 2 % of 1,331 are 26 of a layer's 121: the box is that of all.
  EXPECT_NEAR(extent(cloud), std::sqrt(300.0) / 2, 1e-6);
  EXPECT_NEAR(values("opacity", cloud)[0], 1 / (1 + std::exp(-2.0)), 1e-6);
  EXPECT_NEAR(values("size", cloud)[7], 2 / extent(cloud), 1e-6);
  EXPECT_NEAR(values("needle", cloud)[7], 4, 1e-5);
  // An edge's neighbors are as far as an inner one's within a factor of two; one that is moved out
  // by 100 is about a hundred times as far.
  EXPECT_NEAR(values("isolated", cloud)[665], 1, 1e-5);
  cloud.plane(core::kMeanPlane)[665] = 105;
  EXPECT_NEAR(values("isolated", cloud)[665], 100 / std::sqrt((6 * 1 + 2 * 2) / 8.0), 1.5);
  // What is as wide as it stands apart is no floater but a background.
  cloud.plane(core::kLogScalePlane)[665] = std::log(100.0F);
  EXPECT_NEAR(values("isolated", cloud)[665], 1, 0.05);
}

TEST(Clean, ViewsAreCountedByPictures) {
  const core::GaussianCloud cloud = lattice(0.01);
  core::Rigid back;
  back.translation = {0, 0, 1};
  const core::PosedCamera cameras[] = {test::pinhole_camera(64, 48, back),
                                       test::pinhole_camera(64, 48)};
  const core::Array<float> found = values("views", cloud, cameras);
  constexpr double kReach = 4;  // pixels that a splat without extent may cover
  int64_t compared = 0;
  for (int64_t i = 0; i < cloud.size(); ++i) {
    int expected = 0;
    bool near_edge = false;
    for (const core::PosedCamera& posed : cameras) {
      const double z = cloud.plane(2)[i] + posed.cam_from_world.translation.z;
      if (z <= 0.01) continue;
      const double x = posed.camera.fx * cloud.plane(0)[i] / z + posed.camera.cx;
      const double y = posed.camera.fy * cloud.plane(1)[i] / z + posed.camera.cy;
      const double outside = std::max(std::abs(x - 32) - 32, std::abs(y - 24) - 24);
      near_edge = near_edge || std::abs(outside) < kReach;
      expected += outside < 0 ? 1 : 0;
    }
    if (near_edge) continue;
    EXPECT_EQ(found[i], expected) << i;
    ++compared;
  }
  EXPECT_GT(compared, 1000);
}

TEST(Clean, AnyNumberOfThreadsGivesTheSameValues) {
  test::RandomCloud spec;
  spec.count = 20000;
  const core::PosedCamera camera = test::pinhole_camera(64, 48);
  const core::GaussianCloud cloud = test::random_cloud(spec, camera);
  for (const CleanRule& rule : clean_rules()) {
    const core::Array<float> one = values(rule.name, cloud, {&camera, 1}, 1);
    for (const int threads : {2, 5}) {
      EXPECT_EQ(values(rule.name, cloud, {&camera, 1}, threads), one) << rule.name;
    }
  }
}

TEST(Clean, ScenesWithoutGaussiansOrWithFewHaveValues) {
  for (const int64_t count : {0, 1, 2}) {
    core::GaussianCloud cloud(0, count);
    for (int64_t i = 0; i < count; ++i) cloud.plane(core::kQuaternionPlane)[i] = 1;
    const core::PosedCamera camera = test::pinhole_camera(64, 48);
    for (const CleanRule& rule : clean_rules()) {
      for (const float value : values(rule.name, cloud, {&camera, 1})) {
        EXPECT_TRUE(std::isfinite(value)) << rule.name;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::render
