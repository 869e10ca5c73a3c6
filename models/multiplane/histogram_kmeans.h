// The k-means of one-dimensional data, exactly, by dynamic programming over a histogram.
//
// Clusters of sorted data are intervals, so the best k clusters of the first j bins are the best
// k - 1 of the first i and one more: Wang and Song, "Ckmeans.1d.dp", 2011.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

namespace tessera::models {

struct HistogramBin {
  double weight = 0;
  double sum = 0;      // of weight * value
  double squares = 0;  // of weight * value^2
};

struct Clustering {
  std::vector<int> first_bin;   // of each cluster, ascending; the first is 0
  std::vector<double> centers;  // means, ascending
  double cost = 0;              // sum of weight * (value - center)^2
};

// Element k - 1 has the best k clusters, for k from 1 to `most`, fewer if fewer bins have weight.
// Values of a bin stay together. Empty if nothing has weight.
std::vector<Clustering> cluster_histogram(std::span<const HistogramBin> bins, int most);

}  // namespace tessera::models
