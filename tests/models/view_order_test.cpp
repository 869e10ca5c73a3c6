// The order of views: each once an epoch, and the views of a step far from one another.
// SPDX-License-Identifier: MIT
#include "models/gaussian/view_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/gaussian/view_regions.h"
#include "tests/models/synthetic.h"

namespace tessera::models {
namespace {

constexpr int kRegions = 16;  // of steps of up to 16 views

std::vector<int> shown_in(ViewOrder& order, int64_t begin, int64_t end) {
  std::vector<int> shown;
  shown.reserve(end - begin);
  for (int64_t i = begin; i < end; ++i) shown.push_back(order.view(i));
  return shown;
}

// Views in turn from all regions.
std::vector<int> some_regions(int views) {
  std::vector<int> regions(views);
  for (int i = 0; i < views; ++i) regions[i] = i % kRegions;
  return regions;
}

void expect_each_view_once(ViewOrder order, int views) {
  std::set<std::vector<int>> epochs;
  for (int epoch = 0; epoch < 4; ++epoch) {
    std::vector<int> shown = shown_in(order, epoch * views, (epoch + 1) * views);
    epochs.insert(shown);
    std::sort(shown.begin(), shown.end());
    for (int i = 0; i < views; ++i) ASSERT_EQ(shown[i], i);
  }
  EXPECT_EQ(epochs.size(), views > 4 ? 4 : epochs.size());
}

TEST(ViewOrder, EveryEpochShowsEachViewOnce) {
  expect_each_view_once(ViewOrder(13, 5), 13);
}

TEST(ViewOrder, OfBatchesShowsEachViewOnceAnEpoch) {
  // Whole steps only, a last one that reaches into the next epoch, fewer views than a step has.
  for (const auto& [views, batch] : {std::pair{64, 4}, {13, 4}, {3, 4}, {1, 4}, {300, 16}}) {
    expect_each_view_once(ViewOrder(some_regions(views), batch, 5), views);
    expect_each_view_once(ViewOrder(std::vector<int>(views, 7), batch, 5), views);
  }
}

TEST(ViewOrder, IsAFunctionOfSeedAndPosition) {
  for (const int batch : {1, 2}) {
    ViewOrder forward(some_regions(5), batch, 9);
    const std::vector<int> shown = shown_in(forward, 0, 40);
    ViewOrder jumping(some_regions(5), batch, 9);
    for (int i = 39; i >= 0; --i) EXPECT_EQ(jumping.view(i), shown[i]);
    ViewOrder other(some_regions(5), batch, 10);
    EXPECT_NE(shown_in(other, 0, 40), shown);
  }
}

TEST(ViewOrder, OfSingleViewsIsAPermutationWhateverTheirRegions) {
  ViewOrder plain(50, 3), with_regions(some_regions(50), 1, 3);
  EXPECT_EQ(shown_in(plain, 0, 100), shown_in(with_regions, 0, 100));
}

// Where regions have as many views each, the mean place of a view over many epochs is the middle.
TEST(ViewOrder, OfBatchesFavoursNoView) {
  constexpr int kViews = 48, kEpochs = 600;
  std::vector<int> regions = some_regions(kViews);
  std::sort(regions.begin(), regions.end());
  ViewOrder order(regions, 4, 1);
  std::vector<double> place(kViews, 0);
  for (int64_t i = 0; i < int64_t{kEpochs} * kViews; ++i) {
    place[order.view(i)] += static_cast<double>(i % kViews) / kEpochs;
  }
  // The deviation of a mean of 600 places is 13.9 / sqrt(600) = 0.57.
  for (const double mean : place) EXPECT_NEAR(mean, 23.5, 4 * 0.57);
}

// 20 x 20 cameras above a square, that look down.
std::vector<core::PosedCamera> survey() {
  std::vector<core::PosedCamera> cameras;
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 20; ++x) {
      core::PosedCamera camera;
      camera.camera.width = 64 + 16 * (x % 2);  // photos of mixed sizes
      camera.camera.height = 48;
      camera.cam_from_world.rotation = {{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
      camera.cam_from_world.translation = {-1.0 * x, 1.0 * y, 5};
      cameras.push_back(camera);
    }
  }
  return cameras;
}

TEST(ViewRegions, HaveNearlyEqualNumbersOfCamerasAndHalveTheScene) {
  const std::vector<core::PosedCamera> cameras = survey();
  const std::vector<int> regions = view_regions(cameras, 14, kRegions);
  double left_of_first = 0, left_of_second = 0;
  for (int region = 0; region < kRegions; ++region) {
    EXPECT_NEAR(std::count(regions.begin(), regions.end(), region), 25, 5);
  }
  for (size_t i = 0; i < cameras.size(); ++i) {
    (regions[i] < 8 ? left_of_first : left_of_second) +=
        center_in_world(cameras[i].cam_from_world).x / 200;
  }
  EXPECT_NEAR(std::fabs(left_of_first - left_of_second), 10, 0.5);
}

TEST(ViewRegions, OfOnePlaceOrOneCameraAreThere) {
  EXPECT_TRUE(view_regions({}, 1, kRegions).empty());
  const core::PosedCamera one = looking_at_origin({0, 0, 3}, 8, 8, 8);
  for (const size_t count : {1, 5}) {
    for (const int region : view_regions(std::vector(count, one), 1, kRegions)) {
      EXPECT_GE(region, 0);
      EXPECT_LT(region, kRegions);
    }
  }
}

// The share of steps of four views that show all four quarters.
double steps_with_all_quarters(ViewOrder order, const std::vector<int>& regions) {
  int all = 0;
  constexpr int kFirst = 1000, kSteps = 500;
  for (int step = kFirst; step < kFirst + kSteps; ++step) {
    std::set<int> quarters;
    for (const int view : shown_in(order, step * 4, step * 4 + 4)) {
      quarters.insert(regions[view] / 4);
    }
    all += quarters.size() == 4 ? 1 : 0;
  }
  return static_cast<double>(all) / kSteps;
}

TEST(ViewOrder, SpreadsTheViewsOfAStep) {
  const std::vector<int> regions = view_regions(survey(), 14, kRegions);
  EXPECT_LT(steps_with_all_quarters(ViewOrder(400, 2), regions), 0.2);  // 4! / 4^4 = 0.09
  EXPECT_GT(steps_with_all_quarters(ViewOrder(regions, 4, 2), regions), 0.9);
  // In the middle of a long epoch, too, when a permutation has shown one region more than another.
  const std::vector<int> many = some_regions(10000);
  EXPECT_GT(steps_with_all_quarters(ViewOrder(many, 4, 2), many), 0.99);
}

TEST(ViewRegions, AreAsManyAsTheViewsOfALargeStep) {
  EXPECT_EQ(view_region_count(1), 16);
  EXPECT_EQ(view_region_count(16), 16);
  EXPECT_EQ(view_region_count(17), 32);
  EXPECT_EQ(view_region_count(64), 64);
  const std::vector<int> regions = view_regions(survey(), 14, 64);
  for (int region = 0; region < 64; ++region) {
    EXPECT_NEAR(std::count(regions.begin(), regions.end(), region), 6, 4);
  }
  // While an epoch has views left of all, 64 show nearly each region: 64 at random would show 64 (1
  // - 1 / e) = 40 of them.
  ViewOrder order(regions, 64, 2);
  for (int step = 0; step < 3; ++step) {
    std::set<int> shown;
    for (const int view : shown_in(order, step * 64, step * 64 + 64)) shown.insert(regions[view]);
    EXPECT_GE(shown.size(), 62U);
  }
}

}  // namespace
}  // namespace tessera::models
