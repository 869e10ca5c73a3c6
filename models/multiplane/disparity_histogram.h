// The histogram of disparities that planes are chosen by.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/pixel_window.h"
#include "models/multiplane/disparity_map.h"
#include "models/multiplane/histogram_kmeans.h"

namespace tessera::models {

inline constexpr int kDisparityBins = 128;

struct DisparityHistogram {
  float least = 0;
  float greatest = 0;
  std::vector<HistogramBin> bins;  // of equal width from least to greatest

  int bin_of(float disparity) const {
    if (!(greatest > least)) return 0;
    const float place = (disparity - least) / (greatest - least) * kDisparityBins;
    return place < 0 ? 0 : place >= kDisparityBins ? kDisparityBins - 1 : static_cast<int>(place);
  }
};

DisparityHistogram disparity_histogram(const DisparityMap& map, const core::PixelWindow& window);

// For each bin, the cluster that it is in.
std::vector<uint8_t> cluster_of_bin(const Clustering& clustering);

}  // namespace tessera::models
