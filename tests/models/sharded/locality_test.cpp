// Who draws which view, and who owns what: so that little has to move between ranks.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "distributed/backends/lone_rank.h"
#include "models/gaussian/sharded/expected_counts.h"
#include "models/gaussian/sharded/ownership.h"
#include "models/gaussian/sharded/ownership_costs.h"
#include "models/gaussian/sharded/rebalancer.h"
#include "models/gaussian/sharded/view_assignment.h"
#include "tests/models/made_gaussians.h"
#include "tests/models/sharded/ranks_fixture.h"

namespace tessera::models {
namespace {

using Matrix = std::vector<std::vector<int64_t>>;

Matrix random_counts(int views, int ranks, int64_t most, unsigned seed) {
  std::mt19937 random(seed);
  Matrix counts(views, std::vector<int64_t>(ranks));
  for (std::vector<int64_t>& row : counts) {
    for (int64_t& count : row) count = static_cast<int64_t>(random() % (most + 1));
  }
  return counts;
}

int64_t stays(const Matrix& visible, const std::vector<int>& rank_of_view) {
  int64_t sum = 0;
  for (size_t v = 0; v < visible.size(); ++v) sum += visible[v][rank_of_view[v]];
  return sum;
}

bool is_fair(const std::vector<int>& rank_of_view, int ranks) {
  const auto views = static_cast<int64_t>(rank_of_view.size());
  for (int r = 0; r < ranks; ++r) {
    const int64_t drawn = std::count(rank_of_view.begin(), rank_of_view.end(), r);
    if (drawn < views / ranks || drawn > (views + ranks - 1) / ranks) return false;
  }
  return true;
}

// The best by trying all.
int64_t most_that_can_stay(const Matrix& visible, int ranks) {
  std::vector<int> tried(visible.size(), 0);
  int64_t best = -1;
  while (true) {
    if (is_fair(tried, ranks)) best = std::max(best, stays(visible, tried));
    size_t v = 0;
    while (v < tried.size() && ++tried[v] == ranks) tried[v++] = 0;
    if (v == tried.size()) return best;
  }
}

TEST(ViewAssignment, IsFairAndTheBestThereIs) {
  for (const auto& [views, ranks] :
       {std::pair{1, 1}, {4, 1}, {4, 4}, {5, 4}, {6, 3}, {7, 3}, {8, 3}, {2, 3}, {1, 4}}) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      const Matrix visible = random_counts(views, ranks, seed % 2 == 0 ? 1000 : 3, seed);
      const std::vector<int> assigned = assign_views(visible, ranks);
      EXPECT_TRUE(is_fair(assigned, ranks)) << views << " views, " << ranks << " ranks";
      EXPECT_EQ(stays(visible, assigned), most_that_can_stay(visible, ranks))
          << views << " views, " << ranks << " ranks, seed " << seed;
      EXPECT_EQ(assign_views(visible, ranks), assigned);
    }
  }
}

TEST(ViewAssignment, GivesViewsInTurnWhereNothingTellsThemApart) {
  EXPECT_EQ(assign_views(Matrix(7, std::vector<int64_t>(3, 5)), 3),
            (std::vector<int>{0, 1, 2, 0, 1, 2, 0}));
}

TEST(ViewAssignment, OfManyViewsAndRanksIsFair) {
  EXPECT_TRUE(is_fair(assign_views(random_counts(100, 24, 1000000, 1), 24), 24));
}

TEST(ExpectedCounts, AreTheLastOnesOrThoseOfTheNearestCamera) {
  ExpectedCounts expected(2);
  const auto at = [](double x) { return looking_at_origin({x, 0, 1}, 8, 8, 8); };
  EXPECT_EQ(expected.of(0, at(0)).visible, (std::vector<int64_t>{0, 0}));
  EXPECT_TRUE(expected.of(0, at(0)).strip_costs.empty());
  expected.set(0, at(0), {{5, 1}, {30, 40, 50}});
  expected.set(1, at(10), {{2, 8}, {}});
  EXPECT_EQ(expected.of(2, at(4)).visible, (std::vector<int64_t>{5, 1}));
  EXPECT_EQ(expected.of(2, at(4)).strip_costs, (std::vector<int64_t>{30, 40, 50}));
  EXPECT_EQ(expected.of(3, at(6)).visible, (std::vector<int64_t>{2, 8}));
  expected.set(2, at(4), {{7, 7}, {}});
  EXPECT_EQ(expected.of(2, at(4)).visible, (std::vector<int64_t>{7, 7}));
}

// A rank asks for the photos it will draw: each photo of an epoch but the first few is fetched by
// one rank.
TEST_F(RanksTest, PhotosAreFetchedAheadByTheRankThatIsExpectedToDrawThem) {
  TrainSettings settings = settings_of(4);
  settings.partition = "views";
  settings.iterations = 40;
  constexpr int kRanks = 2;
  std::mutex mutex;
  std::vector<size_t> fetched(kRanks);
  distributed::run_in_threads(kRanks, [&](distributed::Communicator& communicator) {
    core::ThreadPool pool(1);
    QuietLog log;
    MemoryPhotos photos = scene.photos;
    Trainer trainer(settings,
                    cloud_from_points(scene.points, settings, pool, share_of_rank(communicator)),
                    photos, photos.all(), communicator, pool, log);
    trainer.run({});
    const std::lock_guard lock(mutex);
    fetched[communicator.rank()] = photos.prefetched.size();
  });
  // Of 10 steps the first is never fetched ahead; two steps ahead are asked for at each.
  EXPECT_EQ(fetched[0], fetched[1]);
  EXPECT_EQ(fetched[0] + fetched[1], (9 + 8) * 4);
}

// Gaussians along x from -1 to 1.
GaussianState state_along_x(int64_t size) {
  GaussianState state = state_of(core::GaussianCloud(0, size), 1);
  for (int64_t i = 0; i < size; ++i) {
    state.cloud.plane(core::kMeanPlane)[i] =
        static_cast<float>(2 * i + 1) / static_cast<float>(size) - 1;
  }
  return state;
}

// Two ranks with half of these each.
void on_two_ranks(
    const std::function<void(distributed::Communicator&, const SpaceGrid&, GaussianState&)>& body) {
  const SpaceGrid grid({0, 0, 0}, 1);
  const GaussianState all = state_along_x(1200);
  distributed::run_in_threads(2, [&](distributed::Communicator& communicator) {
    core::ThreadPool pool(1);
    GaussianState own = all;
    keep_share(own, communicator, pool);
    body(communicator, grid, own);
  });
}

// What views see of the left half costs twice, so its owner gets fewer.
TEST(OwnershipCosts, CountWhatViewsShow) {
  on_two_ranks(
      [](distributed::Communicator& communicator, const SpaceGrid& grid, GaussianState& own) {
        OwnershipCosts costs;
        EXPECT_EQ(costs.total(own.size()), own.size());
        for (int view = 0; view < 3; ++view) {
          std::vector<float> radii(own.size(), 0);
          for (int64_t i = 0; i < own.size(); ++i) {
            radii[i] = own.cloud.plane(core::kMeanPlane)[i] < 0 ? 2.0F : 0.0F;
          }
          costs.collect(grid, own.cloud, radii);
        }
        EXPECT_EQ(costs.total(own.size()), own.size() * (communicator.rank() == 0 ? 6 : 3));
        const std::vector<int64_t> each = costs.of_gaussians(grid, own.cloud);
        EXPECT_EQ(std::accumulate(each.begin(), each.end(), int64_t{0}), costs.total(own.size()));
        move_to_owners(communicator, Ownership(communicator, grid, own.cloud, each, 2), own);
        EXPECT_NEAR(static_cast<double>(own.size()), communicator.rank() == 0 ? 450 : 750, 30);
        costs.clear();
        EXPECT_EQ(costs.total(own.size()), own.size());
      });
}

// Half of the Gaussians in a ball of a hundredth of the cameras' extent.
TEST(Ownership, OfADenseSceneIsEqualForManyRanks) {
  constexpr int64_t kSize = 20000;
  constexpr int kOwners = 64;
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  core::GaussianCloud cloud(0, kSize);
  for (int axis = 0; axis < 3; ++axis) {
    float* mean = cloud.plane(core::kMeanPlane + axis);
    for (int64_t i = 0; i < kSize; ++i) mean[i] = normal(random) * (i % 2 == 0 ? 0.01F : 0.5F);
  }
  const SpaceGrid grid({0, 0, 0}, 1);
  const Ownership ownership(*distributed::lone_rank(), grid, cloud,
                            OwnershipCosts().of_gaussians(grid, cloud), kOwners);
  std::vector<int64_t> owned(kOwners, 0);
  for (int64_t i = 0; i < kSize; ++i) ++owned[ownership.owner(cloud, i)];
  const auto [least, most] = std::minmax_element(owned.begin(), owned.end());
  EXPECT_LE(*most, 1.02 * kSize / kOwners);
  EXPECT_GE(*least, 0.98 * kSize / kOwners);
}

TEST(Rebalancer, LeavesNearlyEqualCostsAlone) {
  on_two_ranks(
      [](distributed::Communicator& communicator, const SpaceGrid& grid, GaussianState& own) {
        Rebalancer rebalancer(communicator, grid);
        rebalancer.cut(own);
        const core::Array<uint64_t> ids = own.cloud.ids;
        const auto show = [&](float right_of) {
          std::vector<float> radii(own.size(), 0);
          for (int64_t i = 0; i < own.size(); ++i) {
            radii[i] = own.cloud.plane(core::kMeanPlane)[i] > right_of ? 1.0F : 0.0F;
          }
          rebalancer.collect(own.cloud, radii);
        };
        show(0.7F);
        rebalancer.cut_if_needed(own);
        EXPECT_EQ(own.cloud.ids, ids);
        for (int view = 0; view < 10; ++view) show(0);
        rebalancer.cut_if_needed(own);
        EXPECT_NE(own.cloud.ids, ids);
      });
}

}  // namespace
}  // namespace tessera::models
