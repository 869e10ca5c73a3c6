// Slanted planes are found where disparity is made of them.
// SPDX-License-Identifier: MIT
#include "models/multiplane/plane_fit.h"

#include <gtest/gtest.h>

#include "models/multiplane/planner.h"
#include "tests/models/multiplane/made_photos.h"

namespace tessera::models {
namespace {

TEST(PlaneFit, FindsOneRamp) {
  core::ThreadPool pool(2);
  const DepthPhoto photo =
      made_photo(64, 64, [](float x, float y) { return 20 + 0.11F * x - 0.07F * y; });
  const DisparityMap map = make_disparity_map(photo, 1, pool);
  const std::vector<PlannedTile> tiles = plan_adaptive(map, {}, pool);
  ASSERT_EQ(tiles.size(), 1U);
  ASSERT_EQ(tiles[0].planes.size(), 1U);
  const DisparityPlane& plane = tiles[0].planes[0];
  EXPECT_NEAR(plane.slope_x, 0.11F, 1e-4F);
  EXPECT_NEAR(plane.slope_y, -0.07F, 1e-4F);
  EXPECT_NEAR(plane.at(10.5F, 40.5F), 20 + 0.11F * 10.5F - 0.07F * 40.5F, 1e-2F);
}

TEST(PlaneFit, TellsTwoRampsApart) {
  core::ThreadPool pool(2);
  const auto near = [](float x, float y) { return 40 + 0.05F * x + 0.05F * y; };
  const auto far = [](float x, float y) { return 12 - 0.04F * x + 0.02F * y; };
  const DepthPhoto photo = made_photo(
      64, 64, [&](float x, float y) { return x + 0.3F * y < 40 ? near(x, y) : far(x, y); });
  const DisparityMap map = make_disparity_map(photo, 1, pool);
  const std::vector<PlannedTile> tiles = plan_adaptive(map, {}, pool);
  ASSERT_EQ(tiles.size(), 1U);
  ASSERT_EQ(tiles[0].planes.size(), 2U);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      const float found = tiles[0].planes[tiles[0].labels.at(x, y)].at(x + 0.5F, y + 0.5F);
      const float from_edge = x + 0.5F + 0.3F * (y + 0.5F) - 40;
      if (from_edge >= 0 && from_edge < 1) {
        // Beside the near surface: on its plane, as its color may be mixed.
        ASSERT_NEAR(found, near(x + 0.5F, y + 0.5F), 0.05F) << x << ", " << y;
      } else if (from_edge < 0 || from_edge > 1.3F) {
        ASSERT_NEAR(found, map.disparity.at(x, y), 0.05F) << x << ", " << y;
      }
    }
  }
}

// Whole pixels, as 8-bit disparity maps have them: one plane, no steps.
TEST(PlaneFit, SmoothsBands) {
  core::ThreadPool pool(2);
  const DepthPhoto photo =
      made_photo(64, 64, [](float x, float) { return std::round(30 + 0.2F * x); });
  const DisparityMap map = make_disparity_map(photo, 1, pool);
  const std::vector<PlannedTile> tiles = plan_adaptive(map, {}, pool);
  ASSERT_EQ(tiles[0].planes.size(), 1U);
  EXPECT_NEAR(tiles[0].planes[0].slope_x, 0.2F, 5e-3F);
}

}  // namespace
}  // namespace tessera::models
