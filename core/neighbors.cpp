// SPDX-License-Identifier: MIT
#include "core/neighbors.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

namespace tessera::core {
namespace {

constexpr int64_t kLeafSize = 8;

using Point = std::array<float, 3>;

// Squared distances to the nearest so far, ascending; infinite where there are fewer.
struct Nearest {
  explicit Nearest(int neighbors) : count(neighbors) {
    squared.fill(std::numeric_limits<double>::infinity());
  }
  void offer(double distance) {
    for (int k = 0; k < count; ++k) {
      if (distance < squared[k]) std::swap(distance, squared[k]);
    }
  }
  double farthest() const { return squared[count - 1]; }

  int count;
  std::array<double, kMostNeighbors> squared;
};

class KdTree {
 public:
  explicit KdTree(std::span<const math::Vec3<float>> points) : order_(points.size()) {
    std::iota(order_.begin(), order_.end(), int64_t{0});
    axes_.resize(points.size());
    sorted_.resize(points.size());
    for (size_t i = 0; i < points.size(); ++i) sorted_[i] = {points[i].x, points[i].y, points[i].z};
    split(0, size());
    std::vector<Point> gathered(points.size());
    for (size_t i = 0; i < points.size(); ++i) gathered[i] = sorted_[order_[i]];
    sorted_.swap(gathered);
  }

  int64_t size() const { return static_cast<int64_t>(order_.size()); }
  // The index of the point that stands at `position` of the tree's order.
  int64_t index(int64_t position) const { return order_[position]; }

  // Of the point at `position` among the others.
  Nearest nearest(int64_t position, int neighbors) const {
    Nearest best(neighbors);
    search(0, size(), position, best);
    return best;
  }

 private:
  // The node of [begin, end) is the median along its widest axis; its halves are its children.
  void split(int64_t begin, int64_t end) {
    if (end - begin <= kLeafSize) return;
    Point low = sorted_[order_[begin]];
    Point high = low;
    for (int64_t i = begin; i < end; ++i) {
      for (int a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], sorted_[order_[i]][a]);
        high[a] = std::max(high[a], sorted_[order_[i]][a]);
      }
    }
    int axis = 0;
    for (int a = 1; a < 3; ++a) {
      if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    }
    const int64_t middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](int64_t a, int64_t b) { return sorted_[a][axis] < sorted_[b][axis]; });
    axes_[middle] = static_cast<uint8_t>(axis);
    split(begin, middle);
    split(middle + 1, end);
  }

  void offer(int64_t candidate, int64_t self, Nearest& best) const {
    if (candidate == self) return;
    double distance = 0;
    for (int a = 0; a < 3; ++a) {
      const double d = double{sorted_[candidate][a]} - double{sorted_[self][a]};
      distance += d * d;
    }
    best.offer(distance);
  }

  void search(int64_t begin, int64_t end, int64_t self, Nearest& best) const {
    if (end - begin <= kLeafSize) {
      for (int64_t i = begin; i < end; ++i) offer(i, self, best);
      return;
    }
    const int64_t middle = begin + (end - begin) / 2;
    const int axis = axes_[middle];
    const double offset = double{sorted_[self][axis]} - double{sorted_[middle][axis]};
    offer(middle, self, best);
    const bool left_first = offset < 0;
    if (left_first) {
      search(begin, middle, self, best);
    } else {
      search(middle + 1, end, self, best);
    }
    if (offset * offset >= best.farthest()) return;
    if (left_first) {
      search(middle + 1, end, self, best);
    } else {
      search(begin, middle, self, best);
    }
  }

  std::vector<int64_t> order_;
  std::vector<uint8_t> axes_;
  std::vector<Point> sorted_;  // in the tree's order once it is built
};

}  // namespace

std::vector<float> mean_squared_neighbor_distance(std::span<const math::Vec3<float>> points,
                                                  int neighbors, ThreadPool& pool) {
  const KdTree tree(points);
  std::vector<float> result(points.size());
  pool.parallel_for(tree.size(), 1024, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t i = begin; i < end; ++i) {
      double sum = 0;
      int found = 0;
      const Nearest nearest = tree.nearest(i, neighbors);
      for (int k = 0; k < neighbors; ++k) {
        if (nearest.squared[k] == std::numeric_limits<double>::infinity()) continue;
        sum += nearest.squared[k];
        ++found;
      }
      result[tree.index(i)] = found > 0 ? static_cast<float>(sum / found) : 0.0F;
    }
  });
  return result;
}

}  // namespace tessera::core
