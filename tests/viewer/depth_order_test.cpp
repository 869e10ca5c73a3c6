// The order of splats by depth, and what it leaves out.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/support/random_scene.h"
#include "viewer/draw/depth_order.h"
#include "viewer/draw/splat_state.h"

namespace tessera::viewer {
namespace {

// Seen along z by a camera at the origin, slopes of 1.
struct Ordered {
  std::shared_ptr<core::GaussianCloud> cloud;
  OrderRequest request;
  core::Array<uint32_t> order;
};

Ordered ordered(int64_t count, const std::function<uint8_t(int64_t)>& state) {
  Ordered result;
  result.cloud = std::make_shared<core::GaussianCloud>(0, count);
  auto radii = std::make_shared<core::Array<float>>(count, 0.01F);
  auto states = std::make_shared<core::Array<uint8_t>>(count, uint8_t{0});
  test::Random random(3);
  for (int64_t i = 0; i < count; ++i) {
    for (int a = 0; a < 3; ++a) {
      result.cloud->plane(core::kMeanPlane + a)[i] =
          static_cast<float>(random.uniform(a == 2 ? -2 : -5, a == 2 ? 40 : 5));
    }
    (*states)[i] = state(i);
  }
  OrderItem item;
  item.cloud = result.cloud;
  item.radii = radii;
  item.states = states;
  item.first = 7;
  for (int a = 0; a < 3; ++a) item.camera_from_item[a][a] = 1;
  result.request.items = {item};
  result.request.x = result.request.y = {-1, 1, 0, 0, 1};
  result.request.nearest = 0.01F;
  OrderBuffers buffers;
  order_by_depth(result.request, buffers, result.order);
  return result;
}

TEST(DepthOrder, IsFarToNearWithinTheKeysPrecision) {
  const Ordered o = ordered(20000, [](int64_t) { return uint8_t{0}; });
  const float* z = o.cloud->plane(core::kMeanPlane + 2);
  ASSERT_GT(o.order.size(), 10000);
  for (int64_t i = 1; i < o.order.size(); ++i) {
    const float before = z[o.order[i - 1] - 7], after = z[o.order[i] - 7];
    ASSERT_GE(before, after * (1 - 1.0F / 4000)) << "at " << i;
  }
}

TEST(DepthOrder, HoldsJustWhatIsInViewAndPresent) {
  const Ordered o = ordered(5000, [](int64_t i) {
    return static_cast<uint8_t>(i % 3 == 0 ? kHidden : (i % 5 == 0 ? kDeleted : kSelected));
  });
  std::vector<bool> found(5000, false);
  for (const uint32_t number : o.order) {
    ASSERT_FALSE(found[number - 7]) << "twice";
    found[number - 7] = true;
  }
  int64_t in_view = 0;
  for (int64_t i = 0; i < 5000; ++i) {
    const float x = o.cloud->plane(core::kMeanPlane)[i];
    const float y = o.cloud->plane(core::kMeanPlane + 1)[i];
    const float z = o.cloud->plane(core::kMeanPlane + 2)[i];
    const bool seen = z >= 0.01F && std::abs(x) <= z + 0.01F && std::abs(y) <= z + 0.01F;
    EXPECT_EQ(found[i], seen && i % 3 != 0 && i % 5 != 0) << i;
    in_view += found[i] ? 1 : 0;
  }
  EXPECT_GT(in_view, 500);
}

TEST(DepthOrder, ThreadGivesTheNewestRequest) {
  const Ordered o = ordered(3000, [](int64_t) { return uint8_t{0}; });
  DepthOrder thread;
  for (uint64_t i = 1; i <= 20; ++i) {
    OrderRequest request = o.request;
    request.numbering = i;
    thread.request(std::move(request));
  }
  thread.wait();
  const std::optional<FoundOrder> found = thread.take();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->numbering, 20U);
  EXPECT_EQ(found->numbers, o.order);
  EXPECT_FALSE(thread.take().has_value());
}

}  // namespace
}  // namespace tessera::viewer
