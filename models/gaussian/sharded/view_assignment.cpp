// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/view_assignment.h"

#include <algorithm>
#include <limits>

namespace tessera::models {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max() / 4;

// The assignment problem, rows to as many columns at the least cost.
//
// Kuhn, "The Hungarian Method for the Assignment Problem", 1955: rows are assigned one after the
// other, each along the cheapest path of exchanges. Row and column 0 stand for none.
class Assignment {
 public:
  explicit Assignment(std::span<const std::vector<int64_t>> costs)
      : costs_(costs),
        size_(static_cast<int>(costs.size())),
        row_potential_(size_ + 1, 0),
        column_potential_(size_ + 1, 0),
        row_of_(size_ + 1, 0) {
    for (int row = 1; row <= size_; ++row) assign(row);
  }

  std::vector<int> columns() const {
    std::vector<int> columns(size_);
    for (int column = 1; column <= size_; ++column) columns[row_of_[column] - 1] = column - 1;
    return columns;
  }

 private:
  int64_t reduced_cost(int row, int column) const {
    return costs_[row - 1][column - 1] - row_potential_[row] - column_potential_[column];
  }

  void assign(int row) {
    std::vector<int64_t> slack(size_ + 1, kNever);
    std::vector<int> came_from(size_ + 1, 0);
    std::vector<bool> reached(size_ + 1, false);
    row_of_[0] = row;
    int column = 0;
    while (row_of_[column] != 0) {
      reached[column] = true;
      int nearest = 0;
      for (int c = 1; c <= size_; ++c) {
        if (reached[c]) continue;
        const int64_t cost = reduced_cost(row_of_[column], c);
        if (cost < slack[c]) {
          slack[c] = cost;
          came_from[c] = column;
        }
        if (nearest == 0 || slack[c] < slack[nearest]) nearest = c;
      }
      const int64_t step = slack[nearest];
      for (int c = 0; c <= size_; ++c) {
        if (reached[c]) {
          row_potential_[row_of_[c]] += step;
          column_potential_[c] -= step;
        } else {
          slack[c] -= step;
        }
      }
      column = nearest;
    }
    for (; column != 0; column = came_from[column]) row_of_[column] = row_of_[came_from[column]];
  }

  std::span<const std::vector<int64_t>> costs_;
  int size_;
  std::vector<int64_t> row_potential_, column_potential_;
  std::vector<int> row_of_;  // a column's
};

}  // namespace

std::vector<int> assign_views(std::span<const std::vector<int64_t>> visible, int ranks) {
  const auto views = static_cast<int>(visible.size());
  const int rounds = (views + ranks - 1) / ranks;
  const int places = rounds * ranks;  // place p is one of rank p modulo `ranks`
  int64_t most = 0;
  for (const std::vector<int64_t>& counts : visible) {
    for (const int64_t count : counts) most = std::max(most, count);
  }
  const int64_t forbidden = (most + 1) * (places + 1);
  // Rows beyond the views stand for ranks with one view less: they take places of the last round.
  std::vector<std::vector<int64_t>> costs(places, std::vector<int64_t>(places, 0));
  for (int row = 0; row < places; ++row) {
    for (int place = 0; place < places; ++place) {
      if (row < views) {
        costs[row][place] = most - visible[row][place % ranks];
      } else if (place < places - ranks) {
        costs[row][place] = forbidden;
      }
    }
  }
  std::vector<int> assigned = Assignment(costs).columns();
  assigned.resize(views);
  for (int& place : assigned) place %= ranks;
  return assigned;
}

}  // namespace tessera::models
