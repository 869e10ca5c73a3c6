// The k-means of a histogram is the best of all ways to cut it.
// SPDX-License-Identifier: MIT
#include "models/multiplane/histogram_kmeans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::models {
namespace {

HistogramBin bin_at(double value, double weight) {
  return {weight, weight * value, weight * value * value};
}

double cost_of(const std::vector<HistogramBin>& bins, size_t begin, size_t end) {
  double weight = 0;
  double sum = 0;
  for (size_t i = begin; i < end; ++i) {
    weight += bins[i].weight;
    sum += bins[i].sum;
  }
  if (weight == 0) return 0;
  double cost = 0;
  for (size_t i = begin; i < end; ++i) {
    if (bins[i].weight == 0) continue;
    const double value = bins[i].sum / bins[i].weight;
    cost += bins[i].weight * (value - sum / weight) * (value - sum / weight);
  }
  return cost;
}

// Of the bins from `begin` on, in k clusters.
double least_cost(const std::vector<HistogramBin>& bins, size_t begin, int k) {
  if (k == 1) return cost_of(bins, begin, bins.size());
  double least = INFINITY;
  for (size_t end = begin + 1; end < bins.size(); ++end) {
    least = std::min(least, cost_of(bins, begin, end) + least_cost(bins, end, k - 1));
  }
  return least;
}

TEST(HistogramKmeans, IsTheBestOfAllCuts) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    std::vector<HistogramBin> bins;
    for (uint32_t i = 0; i < 12; ++i) {
      const double weight = (i * 7 + seed) % 5 == 0 ? 0 : 1 + (i * i + 3 * seed) % 7;
      bins.push_back(bin_at(std::sin(1.7 * i + seed) + 0.8 * i, weight));
    }
    const std::vector<Clustering> found = cluster_histogram(bins, 4);
    ASSERT_EQ(found.size(), 4U);
    for (int k = 1; k <= 4; ++k) {
      const Clustering& clustering = found[k - 1];
      ASSERT_EQ(clustering.first_bin.size(), static_cast<size_t>(k));
      ASSERT_EQ(clustering.centers.size(), static_cast<size_t>(k));
      EXPECT_NEAR(clustering.cost, least_cost(bins, 0, k), 1e-9) << "seed " << seed << ", k " << k;
      double cost = 0;
      for (int c = 0; c < k; ++c) {
        cost += cost_of(bins, clustering.first_bin[c],
                        c + 1 < k ? clustering.first_bin[c + 1] : bins.size());
      }
      EXPECT_NEAR(cost, clustering.cost, 1e-9);
      EXPECT_TRUE(std::is_sorted(clustering.centers.begin(), clustering.centers.end()));
    }
  }
}

TEST(HistogramKmeans, HasNoMoreClustersThanBinsWithWeight) {
  const std::vector<HistogramBin> bins = {{}, bin_at(2, 1), {}, bin_at(5, 3), {}};
  const std::vector<Clustering> found = cluster_histogram(bins, 8);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_DOUBLE_EQ(found[1].centers[0], 2);
  EXPECT_DOUBLE_EQ(found[1].centers[1], 5);
  EXPECT_EQ(found[1].first_bin, (std::vector<int>{0, 3}));
  EXPECT_TRUE(cluster_histogram(std::vector<HistogramBin>(3), 2).empty());
}

}  // namespace
}  // namespace tessera::models
