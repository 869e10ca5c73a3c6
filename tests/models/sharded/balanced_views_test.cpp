// Views that are cut only as far as balance needs.
// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/balanced_views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "models/gaussian/sharded/picture_strips.h"

namespace tessera::models {
namespace {

constexpr core::PixelWindow kLandscape = {0, 0, 1000, 660}, kPortrait = {0, 0, 660, 1000};

// Rank v modulo `ranks` owns most of view v.
CountedViews views_of_costs(const std::vector<std::vector<int64_t>>& strip_costs, int ranks,
                            const core::PixelWindow& picture) {
  CountedViews views;
  for (size_t v = 0; v < strip_costs.size(); ++v) {
    views.pictures.push_back(picture);
    views.visible.emplace_back(ranks, 10)[v % ranks] = 100;
    views.strip_costs.push_back(strip_costs[v]);
  }
  return views;
}

// Views that cost as much as others up to fourfold, and parts of each that do.
CountedViews random_views(int count, int ranks, const core::PixelWindow& picture, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<int64_t>> costs(count);
  for (std::vector<int64_t>& strips : costs) {
    const int64_t of_view = 1000 + random() % 3000;
    for (int s = 0; s < PictureStrips(picture).count(); ++s) {
      strips.push_back(of_view * static_cast<int64_t>(50 + random() % 150));
    }
  }
  return views_of_costs(costs, ranks, picture);
}

std::vector<int> in_turn(size_t views, int ranks) {
  std::vector<int> rank_of_view;
  for (size_t v = 0; v < views; ++v) rank_of_view.push_back(static_cast<int>(v) % ranks);
  return rank_of_view;
}

int64_t cost_of(const CountedViews& views, const DrawnWindow& drawn) {
  const PictureStrips strips(views.pictures[drawn.view]);
  int64_t cost = 0;
  for (int s = 0; s < strips.count(); ++s) {
    if (!core::intersection(strips.window(s, s + 1), drawn.window).empty()) {
      cost += views.strip_costs[drawn.view][s];
    }
  }
  return cost;
}

double most_by_mean(const CountedViews& views, const Round& round, int ranks) {
  std::vector<int64_t> loads(ranks, 0);
  for (const DrawnWindow& drawn : round) loads[drawn.rank] += cost_of(views, drawn);
  const int64_t all = std::accumulate(loads.begin(), loads.end(), int64_t{0});
  return static_cast<double>(*std::max_element(loads.begin(), loads.end()) * ranks) /
         static_cast<double>(all);
}

void expect_cover(const std::vector<Round>& rounds, const CountedViews& views) {
  std::vector<int64_t> uncovered;
  for (const core::PixelWindow& picture : views.pictures) {
    uncovered.push_back(int64_t{picture.width} * picture.height);
  }
  std::set<int> seen;
  for (const Round& round : rounds) {
    EXPECT_TRUE(std::is_sorted(round.begin(), round.end(),
                               [](const auto& a, const auto& b) { return a.rank < b.rank; }));
    std::set<int> in_round;
    for (const DrawnWindow& drawn : round) {
      EXPECT_EQ(core::intersection(drawn.window, views.pictures[drawn.view]), drawn.window);
      uncovered[drawn.view] -= int64_t{drawn.window.width} * drawn.window.height;
      in_round.insert(drawn.view);
      for (const DrawnWindow& other : round) {
        if (&other == &drawn || other.view != drawn.view) continue;
        EXPECT_NE(other.rank, drawn.rank);
        EXPECT_TRUE(core::intersection(other.window, drawn.window).empty());
      }
    }
    for (const int view : in_round) EXPECT_TRUE(seen.insert(view).second) << "in two rounds";
  }
  EXPECT_EQ(uncovered, std::vector<int64_t>(uncovered.size(), 0));
}

TEST(BalancedViews, AreCoveredOnceInFewPiecesOfEqualWork) {
  for (const auto& [count, ranks] :
       {std::pair{2, 2}, {4, 4}, {7, 4}, {12, 3}, {1, 4}, {5, 8}, {24, 24}}) {
    for (const core::PixelWindow& picture : {kLandscape, kPortrait}) {
      for (unsigned seed = 0; seed < 5; ++seed) {
        SCOPED_TRACE(testing::Message() << count << " views, " << ranks << " ranks, " << seed);
        const CountedViews views = random_views(count, ranks, picture, seed);
        const std::vector<Round> rounds =
            balanced_views(views, in_turn(views.pictures.size(), ranks), ranks);
        ASSERT_EQ(rounds.size(), static_cast<size_t>((count + ranks - 1) / ranks));
        expect_cover(rounds, views);
        for (const Round& round : rounds) {
          std::set<int> in_round;
          for (const DrawnWindow& drawn : round) in_round.insert(drawn.view);
          EXPECT_LE(round.size(), in_round.size() + ranks - 1);
          // A view in a few strips cannot be cut finer.
          const double finest = 0.5 * ranks / static_cast<double>(in_round.size());
          EXPECT_LT(most_by_mean(views, round, ranks), 1.06 + 0.05 * finest);
        }
      }
    }
  }
}

TEST(BalancedViews, OfNearlyEqualCostsStayWhole) {
  const int strips = PictureStrips(kLandscape).count();
  std::vector<std::vector<int64_t>> costs;
  for (const int64_t cost : {1000, 1010, 990, 1015}) costs.emplace_back(strips, cost);
  const CountedViews views = views_of_costs(costs, 4, kLandscape);
  const std::vector<Round> rounds = rounds_of(Partition::kBalancedViews, views, 4);
  EXPECT_EQ(rounds, rounds_of(Partition::kWholeViews, views, 4));
  ASSERT_EQ(rounds.size(), 1U);
  EXPECT_EQ(rounds[0].size(), 4U);
}

// Ranks 1 and 2 have room for all of the surplus of rank 0; rank 2 owns more of its view.
TEST(BalancedViews, GiveTheSurplusToWhoOwnsMuchOfTheView) {
  const int strips = PictureStrips(kLandscape).count();
  std::vector<std::vector<int64_t>> costs;
  for (const int64_t cost : {1200, 800, 800, 1200}) costs.emplace_back(strips, cost);
  CountedViews views = views_of_costs(costs, 4, kLandscape);
  views.visible[0] = {100, 10, 40, 10};
  const std::vector<Round> rounds = balanced_views(views, in_turn(4, 4), 4);
  ASSERT_EQ(rounds.size(), 1U);
  std::vector<std::pair<int, int>> drawn;  // rank and view
  for (const DrawnWindow& window : rounds[0]) drawn.emplace_back(window.rank, window.view);
  EXPECT_EQ(drawn,
            (std::vector<std::pair<int, int>>{{0, 0}, {1, 1}, {1, 3}, {2, 2}, {2, 0}, {3, 3}}));
}

TEST(BalancedViews, OfSeveralRoundsComeByWhatTheyCost) {
  const int strips = PictureStrips(kLandscape).count();
  std::vector<std::vector<int64_t>> costs;
  for (const int64_t cost : {1000, 3000, 3000, 1000}) costs.emplace_back(strips, cost);
  const std::vector<Round> rounds =
      balanced_views(views_of_costs(costs, 2, kLandscape), in_turn(4, 2), 2);
  EXPECT_EQ(rounds, (std::vector<Round>{{{0, 2, kLandscape}, {1, 1, kLandscape}},
                                        {{0, 0, kLandscape}, {1, 3, kLandscape}}}));
}

}  // namespace
}  // namespace tessera::models
