// Every planner: the reference view is the photo, whatever the depth; the same for any number of
// threads.
// SPDX-License-Identifier: MIT
#include "models/multiplane/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/error.h"
#include "models/multiplane/planner.h"
#include "tests/models/multiplane/made_photos.h"

namespace tessera::models {
namespace {

class EveryPlanner : public testing::TestWithParam<PlannerEntry> {
 protected:
  static PlanSettings settings() {
    PlanSettings settings;
    settings.planner = GetParam().name;
    settings.baseline = 1;
    return settings;
  }
  static core::MultiplaneImage build(const DepthPhoto& photo, int threads = 2) {
    core::ThreadPool pool(threads);
    return build_multiplane(photo, settings(), pool);
  }
};

float inverse_depth_at(const core::MultiplaneLayer& layer, const core::Camera& camera, int x,
                       int y) {
  return static_cast<float>(layer.plane.x * (x + 0.5 - camera.cx) / camera.fx +
                            layer.plane.y * (y + 0.5 - camera.cy) / camera.fy + layer.plane.z);
}

// Texels stand for pixels, so in the reference view the nearest opaque one shows.
void expect_reference_view(const core::MultiplaneImage& image, const DepthPhoto& photo) {
  const core::Camera& camera = photo.camera.camera;
  core::ImageF nearest(camera.width, camera.height, 1);
  nearest.data.fill(0);
  core::Image8 seen(camera.width, camera.height, 3);
  for (const core::MultiplaneLayer& layer : image.layers) {
    const core::Image8& page = image.pages[layer.page];
    for (int y = -core::kLayerGutter; y < layer.window.height + core::kLayerGutter; ++y) {
      for (int x = -core::kLayerGutter; x < layer.window.width + core::kLayerGutter; ++x) {
        const uint8_t* texel = &page.at(layer.x + x, layer.y + y);
        const int u = layer.window.left + x;
        const int v = layer.window.top + y;
        if (x < 0 || y < 0 || x >= layer.window.width || y >= layer.window.height) {
          ASSERT_EQ(texel[3], 0);
          continue;
        }
        const float inverse_depth = inverse_depth_at(layer, camera, u, v);
        if (texel[3] == 0) continue;
        ASSERT_EQ(texel[3], 255);
        ASSERT_GT(inverse_depth, 0);
        if (inverse_depth <= nearest.at(u, v)) continue;
        nearest.at(u, v) = inverse_depth;
        for (int c = 0; c < 3; ++c) seen.at(u, v, c) = texel[c];
      }
    }
  }
  for (const float inverse_depth : nearest.data) ASSERT_GT(inverse_depth, 0);
  EXPECT_EQ(seen, photo.photo);
}

float steps(float x, float y) {
  if (std::hypot(x - 60, y - 40) < 25) return 31 + 0.1F * x;
  return y > 70 ? 18 : 6 + 0.02F * x;
}

TEST_P(EveryPlanner, ShowsThePhotoInTheReferenceView) {
  const DepthPhoto photo = made_photo(150, 100, steps);
  const core::MultiplaneImage image = build(photo);
  EXPECT_GE(image.layers.size(), 3U);
  expect_reference_view(image, photo);
}

TEST_P(EveryPlanner, IsNearTheDepth) {
  const DepthPhoto photo = made_photo(150, 100, steps);
  const core::MultiplaneImage image = build(photo);
  const core::Camera& camera = photo.camera.camera;
  double squares = 0;
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      double least = INFINITY;
      for (const core::MultiplaneLayer& layer : image.layers) {
        const int u = x - layer.window.left;
        const int v = y - layer.window.top;
        if (u < 0 || v < 0 || u >= layer.window.width || v >= layer.window.height) continue;
        if (image.pages[layer.page].at(layer.x + u, layer.y + v, 3) == 0) continue;
        const double error =
            camera.fx * (inverse_depth_at(layer, camera, x, y) - photo.inverse_depth.at(x, y));
        least = std::min(least, error * error);
      }
      squares += least;
    }
  }
  EXPECT_LT(std::sqrt(squares / (camera.width * camera.height)), 0.6)
      << "pixels at a baseline of 1";
}

TEST_P(EveryPlanner, IsTheSameForAnyNumberOfThreads) {
  const DepthPhoto photo = made_photo(150, 100, steps);
  const core::MultiplaneImage one = build(photo, 1);
  for (const int threads : {2, 5}) {
    const core::MultiplaneImage many = build(photo, threads);
    EXPECT_EQ(one.layers, many.layers);
    EXPECT_EQ(one.pages, many.pages);
  }
}

TEST_P(EveryPlanner, TakesConstantDepth) {
  const DepthPhoto photo = made_photo(70, 30, [](float, float) { return 5.0F; });
  const core::MultiplaneImage image = build(photo);
  expect_reference_view(image, photo);
  for (const core::MultiplaneLayer& layer : image.layers) {
    EXPECT_NEAR(layer.plane.z, 5 / photo.camera.camera.fx, 1e-6);
    EXPECT_NEAR(layer.plane.x, 0, 1e-6);
  }
}

TEST_P(EveryPlanner, TakesUnknownDepth) {
  DepthPhoto photo = made_photo(100, 80, steps);
  constexpr float kUnknown[] = {0, -1, std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::infinity()};
  for (int64_t i = 0; i < photo.inverse_depth.data.size(); ++i) {
    if (i % 100 < 7 || i / 100 > 60 || i % 13 == 0) photo.inverse_depth.data[i] = kUnknown[i % 4];
  }
  expect_reference_view(build(photo), photo);
}

TEST_P(EveryPlanner, TakesBandedDepth) {
  const DepthPhoto photo =
      made_photo(130, 70, [](float x, float y) { return std::round(3 + 0.1F * x + 0.05F * y); });
  expect_reference_view(build(photo), photo);
}

TEST_P(EveryPlanner, TakesOnePixel) {
  const DepthPhoto photo = made_photo(1, 1, [](float, float) { return 2.0F; });
  expect_reference_view(build(photo), photo);
}

TEST_P(EveryPlanner, TakesPhotosWiderThanAPage) {
  const DepthPhoto photo = made_photo(9000, 3, [](float x, float) { return 2 + 0.001F * x; });
  const core::MultiplaneImage image = build(photo);
  for (const core::Image8& page : image.pages) {
    EXPECT_LE(std::max(page.width, page.height), core::kLargestPage);
  }
  expect_reference_view(image, photo);
}

TEST(BuildMultiplane, SaysWhatIsWrong) {
  core::ThreadPool pool(1);
  const auto message = [&](const DepthPhoto& photo, const PlanSettings& settings) -> std::string {
    try {
      build_multiplane(photo, settings, pool);
    } catch (const core::Error& error) {
      return error.what();
    }
    return "";
  };
  DepthPhoto photo = made_photo(8, 6, [](float, float) { return 2.0F; });
  PlanSettings settings;
  settings.planner = "adaptable";
  EXPECT_THAT(message(photo, settings), testing::HasSubstr("adaptive, tiled"));
  photo.inverse_depth.data.fill(0);
  EXPECT_THAT(message(photo, {}), testing::HasSubstr("No pixel of the depth map has a depth"));
  photo.inverse_depth.resize(6, 8, 1);
  EXPECT_THAT(message(photo, {}), testing::HasSubstr("8x6, its depth map 6x8"));
}

TEST(BuildMultiplane, PlansForTheUsualBaselineUnlessTold) {
  const DepthPhoto photo = made_photo(100, 20, [](float x, float) { return x < 50 ? 3.0F : 7.0F; });
  PlanSettings settings;
  // The nearest moves 7 - 3 pixels against the farthest at a baseline of 1: 4 % of the width.
  EXPECT_NEAR(planned_baseline(photo, settings), 1, 1e-5);
  settings.baseline = 0.25;
  EXPECT_EQ(planned_baseline(photo, settings), 0.25);
}

INSTANTIATE_TEST_SUITE_P(Planners, EveryPlanner,
                         testing::ValuesIn(planners().begin(), planners().end()),
                         [](const auto& entry) { return std::string(entry.param.name); });

}  // namespace
}  // namespace tessera::models
