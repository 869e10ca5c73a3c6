// What must not change a rasterizer's results, and what every backend refuses.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "render/gaussian/rasterizer.h"
#include "tests/support/raster_scenes.h"
#include "tests/support/raster_variant.h"

namespace tessera::render {
namespace {

using test::RasterScene;

// Everything that a forward and a backward pass give.
struct Results {
  RenderOutput output;
  RasterizeGradient gradient;
  std::vector<float> radii;
};

bool same_vector(const math::Vec3<double>& a, const math::Vec3<double>& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

void expect_bit_equal(const Results& a, const Results& b) {
  EXPECT_TRUE(a.output.color == b.output.color);
  EXPECT_TRUE(a.output.alpha == b.output.alpha);
  EXPECT_TRUE(a.output.depth == b.output.depth);
  EXPECT_TRUE(a.output.depth_variance == b.output.depth_variance);
  EXPECT_TRUE(a.output.median_depth == b.output.median_depth);
  EXPECT_TRUE(a.output.normal == b.output.normal);
  EXPECT_EQ(a.radii, b.radii);
  EXPECT_TRUE(a.gradient.parameters == b.gradient.parameters);
  EXPECT_TRUE(a.gradient.mean2d_x == b.gradient.mean2d_x);
  EXPECT_TRUE(a.gradient.mean2d_y == b.gradient.mean2d_y);
  EXPECT_TRUE(a.gradient.absolute_mean2d_x == b.gradient.absolute_mean2d_x);
  EXPECT_TRUE(a.gradient.absolute_mean2d_y == b.gradient.absolute_mean2d_y);
  EXPECT_TRUE(same_vector(a.gradient.camera_rotation, b.gradient.camera_rotation));
  EXPECT_TRUE(same_vector(a.gradient.camera_translation, b.gradient.camera_translation));
  EXPECT_TRUE(same_vector(a.gradient.background, b.gradient.background));
}

RenderOutputGradient random_output_gradient(const core::Camera& camera) {
  RenderOutputGradient d;
  d.color = core::ImageF(camera.width, camera.height, 3);
  d.alpha = core::ImageF(camera.width, camera.height, 1);
  d.depth = core::ImageF(camera.width, camera.height, 1);
  test::Random random(31);
  for (core::ImageF* image : {&d.color, &d.alpha, &d.depth}) {
    for (float& v : image->data) v = static_cast<float>(random.uniform(-1, 1));
  }
  return d;
}

Results run(Rasterizer& rasterizer, const RasterScene& scene) {
  Results results;
  RasterizeOptions options = scene.options;
  options.depth = options.normals = true;
  rasterizer.forward(scene.cloud, scene.camera, options, results.output);
  const std::span<const float> radii = rasterizer.radii();
  results.radii.assign(radii.begin(), radii.end());
  results.gradient.parameters.reset(scene.cloud.parameters.plane_count(), scene.cloud.size());
  results.gradient.absolute = results.gradient.pose = true;
  rasterizer.backward(scene.cloud, random_output_gradient(scene.camera.camera), results.gradient);
  return results;
}

class RasterizerInvariantsTest : public testing::TestWithParam<test::RasterVariant> {};

TEST_P(RasterizerInvariantsTest, TheNumberOfThreadsChangesNoBit) {
  for (const RasterScene& scene : test::raster_scenes()) {
    SCOPED_TRACE(scene.name);
    core::ThreadPool one(1);
    const Results expected = run(*GetParam().make(one), scene);
    for (const int threads : {2, 3, 5, 7}) {
      SCOPED_TRACE(testing::Message() << threads << " threads");
      core::ThreadPool pool(threads);
      expect_bit_equal(run(*GetParam().make(pool), scene), expected);
    }
  }
}

TEST_P(RasterizerInvariantsTest, WhatWasDrawnBeforeChangesNoBit) {
  core::ThreadPool pool(2);
  const std::unique_ptr<Rasterizer> used = GetParam().make(pool);
  std::vector<RasterScene> scenes = test::raster_scenes();
  std::reverse(scenes.begin(), scenes.end());
  for (const RasterScene& scene : scenes) {
    SCOPED_TRACE(scene.name);
    expect_bit_equal(run(*used, scene), run(*GetParam().make(pool), scene));
  }
}

TEST_P(RasterizerInvariantsTest, HowGaussiansAreStoredChangesNoBit) {
  core::ThreadPool pool(2);
  for (const RasterScene& scene : test::raster_scenes()) {
    SCOPED_TRACE(scene.name);
    const int64_t count = scene.cloud.size();
    std::vector<int64_t> source(count);
    for (int64_t i = 0; i < count; ++i) source[i] = count - 1 - i;
    RasterScene reversed = scene;
    reversed.cloud.parameters.gather(source);
    for (int64_t i = 0; i < count; ++i) reversed.cloud.ids[i] = scene.cloud.ids[source[i]];

    const std::unique_ptr<Rasterizer> rasterizer = GetParam().make(pool);
    const Results expected = run(*rasterizer, scene);
    Results got = run(*rasterizer, reversed);
    got.gradient.parameters.gather(source);
    EXPECT_TRUE(got.output.color == expected.output.color);
    EXPECT_TRUE(got.output.depth == expected.output.depth);
    EXPECT_TRUE(got.gradient.parameters == expected.gradient.parameters);
    for (int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(got.radii[source[i]], expected.radii[i]);
      ASSERT_EQ(got.gradient.mean2d_x[source[i]], expected.gradient.mean2d_x[i]);
    }
  }
}

TEST_P(RasterizerInvariantsTest, BackwardAddsToGradientsThatCallersZero) {
  core::ThreadPool pool(1);
  const RasterScene scene = test::scenes::of_degree(2);
  const std::unique_ptr<Rasterizer> rasterizer = GetParam().make(pool);
  Results once = run(*rasterizer, scene);
  RasterizeGradient twice = once.gradient;
  rasterizer->backward(scene.cloud, random_output_gradient(scene.camera.camera), twice);
  for (int p = 0; p < twice.parameters.plane_count(); ++p) {
    for (int64_t i = 0; i < scene.cloud.size(); ++i) {
      ASSERT_EQ(twice.parameters.plane(p)[i], 2 * once.gradient.parameters.plane(p)[i]);
    }
  }
  EXPECT_TRUE(twice.mean2d_x == once.gradient.mean2d_x);
  EXPECT_TRUE(twice.absolute_mean2d_y == once.gradient.absolute_mean2d_y);
}

// Pixels pull a Gaussian in all directions: signed, most of it cancels.
TEST_P(RasterizerInvariantsTest, AbsoluteGradientsAreSumsOfMagnitudes) {
  core::ThreadPool pool(1);
  const RasterScene scene = test::scenes::of_degree(0);
  const RasterizeGradient gradient = run(*GetParam().make(pool), scene).gradient;
  double sum_signed = 0;
  double sum_absolute = 0;
  for (int64_t i = 0; i < scene.cloud.size(); ++i) {
    for (const auto& [with_sign, absolute] :
         {std::pair(gradient.mean2d_x[i], gradient.absolute_mean2d_x[i]),
          std::pair(gradient.mean2d_y[i], gradient.absolute_mean2d_y[i])}) {
      ASSERT_GE(absolute, (1 - 1e-4) * std::abs(with_sign) - 1e-6) << i;
      sum_signed += std::abs(with_sign);
      sum_absolute += absolute;
    }
  }
  EXPECT_GT(sum_absolute, 1.5 * sum_signed);
}

TEST_P(RasterizerInvariantsTest, ADegreeAboveTheCloudsIsTheCloudsOwn) {
  core::ThreadPool pool(1);
  RasterScene scene = test::scenes::of_degree(1);
  const std::unique_ptr<Rasterizer> rasterizer = GetParam().make(pool);
  scene.options.sh_degree = 1;
  const Results expected = run(*rasterizer, scene);
  scene.options.sh_degree = core::kMaxShDegree;
  expect_bit_equal(run(*rasterizer, scene), expected);
}

// Gaussians that are not finite are not drawn and leave no trace.
TEST_P(RasterizerInvariantsTest, WhatIsNotFiniteIsNotDrawn) {
  core::ThreadPool pool(1);
  RasterScene scene = test::scenes::of_degree(1);
  const std::unique_ptr<Rasterizer> rasterizer = GetParam().make(pool);
  const float bad[] = {NAN, INFINITY, -INFINITY};
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < scene.cloud.size(); ++i) {
    if (i % 10 == 3) {
      scene.cloud.plane(static_cast<int>(i / 10 % 3))[i] = bad[i / 10 % 3];
    } else if (i % 10 == 7) {
      for (int k = 0; k < 4; ++k) scene.cloud.plane(core::kQuaternionPlane + k)[i] = 0;
    } else {
      kept.push_back(i);
    }
  }
  RasterScene clean = scene;
  clean.cloud.parameters.gather(kept);
  core::Array<uint64_t> ids(static_cast<int64_t>(kept.size()));
  for (size_t i = 0; i < kept.size(); ++i) ids[i] = scene.cloud.ids[kept[i]];
  clean.cloud.ids = ids;
  const Results got = run(*rasterizer, scene);
  const Results expected = run(*rasterizer, clean);
  EXPECT_TRUE(got.output.color == expected.output.color);
  for (int p = 0; p < scene.cloud.parameters.plane_count(); ++p) {
    for (size_t i = 0; i < kept.size(); ++i) {
      ASSERT_EQ(got.gradient.parameters.plane(p)[kept[i]],
                expected.gradient.parameters.plane(p)[i]);
    }
    for (int64_t i = 3; i < scene.cloud.size(); i += 10) {
      ASSERT_EQ(got.gradient.parameters.plane(p)[i], 0.0F);
    }
  }
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const core::Error& error) {
    return error.what();
  }
  return "";
}

TEST_P(RasterizerInvariantsTest, RefusesWhatCannotBeDrawn) {
  core::ThreadPool pool(1);
  const std::unique_ptr<Rasterizer> rasterizer = GetParam().make(pool);
  const RasterScene scene = test::scenes::of_degree(0);
  RenderOutput output;
  const auto forward = [&](const core::PosedCamera& camera, const RasterizeOptions& options) {
    return refusal([&] { rasterizer->forward(scene.cloud, camera, options, output); });
  };
  core::PosedCamera empty = scene.camera, flat = scene.camera;
  empty.camera.width = 0;
  flat.camera.fy = 0;
  RasterizeOptions degree;
  degree.sh_degree = core::kMaxShDegree + 1;
  EXPECT_NE(forward(empty, {}).find("0x48"), std::string::npos);
  EXPECT_NE(forward(flat, {}).find("focal length"), std::string::npos);
  EXPECT_NE(forward(scene.camera, degree).find("SH degree 5"), std::string::npos);

  RasterizeGradient gradient;
  gradient.parameters.reset(scene.cloud.parameters.plane_count(), scene.cloud.size());
  RenderOutputGradient d = random_output_gradient(scene.camera.camera);
  const auto backward = [&] {
    return refusal([&] { rasterizer->backward(scene.cloud, d, gradient); });
  };
  EXPECT_NE(backward().find("without the forward pass"), std::string::npos);
  rasterizer->forward(scene.cloud, scene.camera, {}, output);
  d.alpha = core::ImageF(3, 3, 1);
  EXPECT_NE(backward().find("gradient of alpha"), std::string::npos);
  d.alpha = {};
  gradient.parameters.reset(2, scene.cloud.size());
  EXPECT_NE(backward().find("planes"), std::string::npos);
}

TEST(Rasterizers, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  core::ThreadPool pool(1);
  const std::string message = refusal([&] { make_rasterizer("gpu", pool); });
  EXPECT_NE(message.find("cpu, reference"), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Backends, RasterizerInvariantsTest,
                         testing::ValuesIn(test::raster_variants()),
                         [](const auto& variant) { return variant.param.name(); });

}  // namespace
}  // namespace tessera::render
