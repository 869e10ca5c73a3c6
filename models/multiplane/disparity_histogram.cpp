// SPDX-License-Identifier: MIT
#include "models/multiplane/disparity_histogram.h"

#include <algorithm>

namespace tessera::models {

DisparityHistogram disparity_histogram(const DisparityMap& map, const core::PixelWindow& window) {
  DisparityHistogram histogram;
  histogram.least = histogram.greatest = map.disparity.at(window.left, window.top);
  for (int y = window.top; y < window.bottom(); ++y) {
    const float* row = map.disparity.row(y);
    const auto [least, greatest] = std::minmax_element(row + window.left, row + window.right());
    histogram.least = std::min(histogram.least, *least);
    histogram.greatest = std::max(histogram.greatest, *greatest);
  }
  histogram.bins.resize(kDisparityBins);
  for (int y = window.top; y < window.bottom(); ++y) {
    for (int x = window.left; x < window.right(); ++x) {
      const double value = map.disparity.at(x, y);
      const double weight = map.weight.at(x, y);
      HistogramBin& bin = histogram.bins[histogram.bin_of(map.disparity.at(x, y))];
      bin.weight += weight;
      bin.sum += weight * value;
      bin.squares += weight * value * value;
    }
  }
  return histogram;
}

std::vector<uint8_t> cluster_of_bin(const Clustering& clustering) {
  std::vector<uint8_t> clusters(kDisparityBins, 0);
  for (size_t k = 1; k < clustering.first_bin.size(); ++k) {
    std::fill(clusters.begin() + clustering.first_bin[k], clusters.end(), static_cast<uint8_t>(k));
  }
  return clusters;
}

}  // namespace tessera::models
