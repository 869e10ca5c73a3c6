// Gaussians turned, scaled and shifted show what they showed, from a camera that was moved alike.
// SPDX-License-Identifier: MIT
#include "render/gaussian/transform.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/math/sh.h"
#include "render/gaussian/rasterizer.h"
#include "tests/support/random_scene.h"

namespace tessera::render {
namespace {

core::Similarity some_similarity(uint64_t seed) {
  const core::Rigid pose = test::random_pose(seed);
  return {pose.rotation, {0.5, -1.25, 3}, 1.7};
}

bool same_bytes(const core::GaussianCloud& a, const core::GaussianCloud& b) {
  return a.parameters == b.parameters && a.ids == b.ids;
}

TEST(Transform, HarmonicsOfEveryDegreeAreTurnedExactly) {
  const math::Mat3<double> rotation = test::random_pose(5).rotation;
  test::Random random(1);
  for (int degree = 1; degree <= core::kMaxShDegree; ++degree) {
    const ShRotation turn = sh_rotation(rotation, degree);
    const int n = 2 * degree + 1, first = degree * degree;
    for (int trial = 0; trial < 50; ++trial) {
      double c[9], turned[9] = {};
      for (int k = 0; k < n; ++k) c[k] = random.normal();
      for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) turned[i] += turn.m[i * n + k] * c[k];
      }
      math::Vec3<double> d = {random.normal(), random.normal(), random.normal()};
      d = d * (1 / std::sqrt(dot(d, d)));
      double there[25], before[25];
      math::sh_basis<double>(degree, d, there);
      math::sh_basis<double>(degree, math::transposed_times(rotation, d), before);
      double is = 0, was = 0;
      for (int k = 0; k < n; ++k) {
        is += turned[k] * there[first + k];
        was += c[k] * before[first + k];
      }
      EXPECT_NEAR(is, was, 1e-12) << "degree " << degree;
    }
  }
}

TEST(Transform, PicturesFromTheMovedCameraAreTheSame) {
  for (int degree = 0; degree <= core::kMaxShDegree; ++degree) {
    const core::PosedCamera camera = test::pinhole_camera(64, 48, test::random_pose(2));
    test::RandomCloud spec;
    spec.count = 200;
    spec.sh_degree = degree;
    core::GaussianCloud cloud = test::random_cloud(spec, camera);
    core::ThreadPool pool(1);
    const std::unique_ptr<Rasterizer> rasterizer = make_rasterizer("reference", pool);
    RenderOutput before, after;
    rasterizer->forward(cloud, camera, {}, before);
    const core::Similarity similarity = some_similarity(3 + degree);
    transform(cloud, similarity);
    core::PosedCamera moved = camera;
    moved.cam_from_world.rotation = camera.cam_from_world.rotation * transpose(similarity.rotation);
    moved.cam_from_world.translation =
        -(moved.cam_from_world.rotation * similarity(center_in_world(camera.cam_from_world)));
    rasterizer->forward(cloud, moved, {}, after);
    double largest = 0;
    for (int64_t i = 0; i < before.color.data.size(); ++i) {
      largest = std::max<double>(largest, std::abs(before.color.data[i] - after.color.data[i]));
    }
    // A splat at the cut of 1/255 may appear or vanish by rounding.
    EXPECT_LT(largest, 5e-3) << "degree " << degree;
  }
}

TEST(Transform, WhatIsLeftAsItIsKeepsItsBits) {
  test::RandomCloud spec;
  spec.sh_degree = 2;
  const core::GaussianCloud cloud = test::random_cloud(spec, test::pinhole_camera(64, 48));
  core::GaussianCloud copy = cloud;
  transform(copy, {});
  EXPECT_TRUE(same_bytes(copy, cloud));
  core::Similarity shift;
  shift.translation = {1, 0, 0};
  transform(copy, shift);
  for (int p = core::kLogScalePlane; p < copy.parameters.plane_count(); ++p) {
    for (int64_t i = 0; i < copy.size(); ++i) ASSERT_EQ(copy.plane(p)[i], cloud.plane(p)[i]);
  }
  EXPECT_FALSE(same_bytes(copy, cloud));
}

TEST(Transform, OnlyThoseThatAreNamedMove) {
  test::RandomCloud spec;
  spec.sh_degree = 3;
  const core::GaussianCloud cloud = test::random_cloud(spec, test::pinhole_camera(64, 48));
  core::GaussianCloud part = cloud, whole = cloud;
  core::Array<uint8_t> moved(cloud.size(), uint8_t{0});
  for (int64_t i = 0; i < cloud.size(); i += 3) moved[i] = 1;
  transform(part, some_similarity(9), moved.view());
  transform(whole, some_similarity(9));
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    for (int64_t i = 0; i < cloud.size(); ++i) {
      ASSERT_EQ(part.plane(p)[i], (i % 3 == 0 ? whole : cloud).plane(p)[i]);
    }
  }
}

TEST(Transform, ThereAndBackIsTheSameWithinRounding) {
  test::RandomCloud spec;
  spec.sh_degree = 4;
  const core::GaussianCloud cloud = test::random_cloud(spec, test::pinhole_camera(64, 48));
  core::GaussianCloud copy = cloud;
  transform(copy, some_similarity(7));
  transform(copy, some_similarity(7).inverse());
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    for (int64_t i = 0; i < cloud.size(); ++i) {
      ASSERT_NEAR(copy.plane(p)[i], cloud.plane(p)[i], 2e-5) << "plane " << p;
    }
  }
}

}  // namespace
}  // namespace tessera::render
