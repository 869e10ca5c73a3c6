// SPDX-License-Identifier: MIT
#include "models/multiplane/histogram_kmeans.h"

#include <algorithm>
#include <limits>

namespace tessera::models {
namespace {

// Sums over the bins before each one, so that the cost of an interval takes three subtractions.
class IntervalCosts {
 public:
  explicit IntervalCosts(std::span<const HistogramBin> bins) : sums_(bins.size() + 1) {
    for (size_t i = 0; i < bins.size(); ++i) {
      sums_[i + 1] = {sums_[i].weight + bins[i].weight, sums_[i].sum + bins[i].sum,
                      sums_[i].squares + bins[i].squares};
    }
  }
  double cost(size_t begin, size_t end) const {
    const double weight = sums_[end].weight - sums_[begin].weight;
    const double sum = sums_[end].sum - sums_[begin].sum;
    const double squares = sums_[end].squares - sums_[begin].squares;
    return weight > 0 ? std::max(0.0, squares - sum * sum / weight) : 0;
  }
  double mean(size_t begin, size_t end) const {
    return (sums_[end].sum - sums_[begin].sum) / (sums_[end].weight - sums_[begin].weight);
  }

 private:
  std::vector<HistogramBin> sums_;
};

}  // namespace

std::vector<Clustering> cluster_histogram(std::span<const HistogramBin> bins, int most) {
  std::vector<HistogramBin> full;
  std::vector<int> place;
  for (size_t i = 0; i < bins.size(); ++i) {
    if (bins[i].weight <= 0) continue;
    full.push_back(bins[i]);
    place.push_back(static_cast<int>(i));
  }
  const size_t count = full.size();
  const IntervalCosts intervals(full);
  std::vector<Clustering> found;
  std::vector<double> best(count + 1, std::numeric_limits<double>::infinity());
  best[0] = 0;
  std::vector<std::vector<size_t>> last_begin;  // [k][end]: where the last cluster begins
  for (size_t k = 1; k <= std::min(count, static_cast<size_t>(most)); ++k) {
    std::vector<double> next(count + 1, std::numeric_limits<double>::infinity());
    last_begin.emplace_back(count + 1, 0);
    for (size_t end = k; end <= count; ++end) {
      for (size_t begin = k - 1; begin < end; ++begin) {
        const double cost = best[begin] + intervals.cost(begin, end);
        if (cost >= next[end]) continue;
        next[end] = cost;
        last_begin.back()[end] = begin;
      }
    }
    best = std::move(next);
    Clustering clustering;
    clustering.cost = best[count];
    size_t end = count;
    for (size_t cluster = k; cluster > 0; --cluster) {
      const size_t begin = last_begin[cluster - 1][end];
      clustering.first_bin.push_back(begin == 0 ? 0 : place[begin]);
      clustering.centers.push_back(intervals.mean(begin, end));
      end = begin;
    }
    std::reverse(clustering.first_bin.begin(), clustering.first_bin.end());
    std::reverse(clustering.centers.begin(), clustering.centers.end());
    found.push_back(std::move(clustering));
  }
  return found;
}

}  // namespace tessera::models
