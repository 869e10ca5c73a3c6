// Draws by opacity from Gaussians of several ranks, against those from one sorted list.
// SPDX-License-Identifier: MIT
#include "models/gaussian/densify/opacity_draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "distributed/backends/threads.h"
#include "tests/models/made_gaussians.h"
#include "tests/models/shared_clouds.h"
#include "tests/support/random_scene.h"

namespace tessera::models {
namespace {

// Ids as of children, in no order; a third of the Gaussians is dead.
core::GaussianCloud cloud_of(int64_t size) {
  test::Random random(9);
  core::GaussianCloud cloud(0, size);
  for (int64_t i = 0; i < size; ++i) {
    cloud.ids[i] = i % 2 == 0 ? static_cast<uint64_t>(i) : child_id(i, 100, 3);
    cloud.plane(core::kOpacityPlane)[i] = i % 3 == 0 ? -9.0F : logit(random.uniform(0.01, 0.99));
  }
  return cloud;
}

std::vector<uint64_t> expected_draws(const core::GaussianCloud& cloud,
                                     const std::vector<uint64_t>& bits) {
  std::map<uint64_t, uint64_t> living;  // opacity in units of 2^-24, by id
  uint64_t total = 0;
  for (int64_t i = 0; i < cloud.size(); ++i) {
    const float opacity = sigmoid(cloud.plane(core::kOpacityPlane)[i]);
    if (opacity <= kMinOpacity) continue;
    total += living[cloud.ids[i]] = static_cast<uint64_t>(opacity * 16777216.0F);
  }
  std::vector<uint64_t> drawn;
  for (const uint64_t random : bits) {
    auto left = static_cast<uint64_t>((static_cast<unsigned __int128>(random) * total) >> 64);
    auto at = living.begin();
    while (left >= at->second) left -= (at++)->second;
    drawn.push_back(at->first);
  }
  return drawn;
}

TEST(OpacityDraw, IsTheSameForAnyNumberOfRanks) {
  std::vector<uint64_t> bits = {0, UINT64_MAX};
  for (uint64_t k = 0; k < 500; ++k) bits.push_back(child_id(k, 7, 1) << 1);
  // Fewer Gaussians than ranks, fewer than are sampled, and many.
  for (const int64_t size : {2, 100, 5000}) {
    const core::GaussianCloud cloud = cloud_of(size);
    const std::vector<uint64_t> expected = expected_draws(cloud, bits);
    for (const int ranks : {1, 2, 3, 4}) {
      distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
        core::ThreadPool pool(1);
        GaussianState own = state_of(cloud);
        keep_share(own, communicator, pool);
        const OpacityDraw draw(own.cloud, communicator);
        EXPECT_FALSE(draw.empty());
        EXPECT_EQ(draw.draw(bits), expected) << size << " Gaussians, " << ranks << " ranks";
      });
    }
  }
}

TEST(OpacityDraw, IsEmptyWhereAllAreDead) {
  core::GaussianCloud cloud(0, 10);
  std::fill_n(cloud.plane(core::kOpacityPlane), cloud.size(), -9.0F);
  distributed::run_in_threads(3, [&](distributed::Communicator& communicator) {
    EXPECT_TRUE(OpacityDraw(cloud, communicator).empty());
  });
}

}  // namespace
}  // namespace tessera::models
