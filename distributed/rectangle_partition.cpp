// SPDX-License-Identifier: MIT
#include "distributed/rectangle_partition.h"

#include <algorithm>
#include <cstdlib>

namespace tessera::distributed {
namespace {

// Tiles by which a cut is moved to either side of the most equal one.
constexpr int kReach = 2;
// With more parts only the longest side is cut, as equally as can be: trials multiply at each
// level.
constexpr int kMostPartsTried = 16;
// A cut that is tried later has to save 1/200 of the mean weight: cuts across the longest side
// leave blocks of short borders.
constexpr int64_t kLeastSaving = 200;

class RectangleCutter {
 public:
  RectangleCutter(std::span<const int64_t> weights, int columns, int rows)
      : columns_(columns), sums_(static_cast<size_t>(columns + 1) * (rows + 1), 0) {
    for (int y = 0; y < rows; ++y) {
      int64_t along = 0;
      for (int x = 0; x < columns; ++x) {
        along += weights[static_cast<size_t>(y) * columns + x];
        sums_[index(x + 1, y + 1)] = sums_[index(x + 1, y)] + along;
      }
    }
  }

  struct Cut {
    int64_t heaviest = 0;
    std::vector<TileRectangle> rectangles;
  };

  Cut best(const TileRectangle& tiles, int parts) const {
    if (parts == 1) return {weight(tiles), {tiles}};
    const bool tried = parts <= kMostPartsTried;
    const int reach = tried && parts > 2 ? kReach : 0;
    const int64_t saving = weight(tiles) / (kLeastSaving * parts);
    const int longest = tiles.length(0) >= tiles.length(1) ? 0 : 1;
    Cut best;
    for (const int axis : {longest, 1 - longest}) {
      const int equal = most_equal(tiles, axis, parts);
      for (int step = 0; step <= 2 * reach; ++step) {
        const int at = equal + (step % 2 == 0 ? step / 2 : -(step + 1) / 2);
        if (at < tiles.begin[axis] || at > tiles.end[axis]) continue;
        Cut cut = this->cut(tiles, axis, at, parts);
        if (best.rectangles.empty() || cut.heaviest < best.heaviest - saving) best = std::move(cut);
      }
      if (!tried) break;
    }
    return best;
  }

 private:
  size_t index(int x, int y) const { return static_cast<size_t>(y) * (columns_ + 1) + x; }

  int64_t weight(const TileRectangle& tiles) const {
    return sums_[index(tiles.end[0], tiles.end[1])] - sums_[index(tiles.begin[0], tiles.end[1])] -
           sums_[index(tiles.end[0], tiles.begin[1])] +
           sums_[index(tiles.begin[0], tiles.begin[1])];
  }

  static TileRectangle before(TileRectangle tiles, int axis, int at) {
    tiles.end[axis] = at;
    return tiles;
  }

  // Where the weight before the cut comes nearest to the share of the first half of the parts; of
  // equally near places the first.
  int most_equal(const TileRectangle& tiles, int axis, int parts) const {
    const int64_t share = weight(tiles) * (parts / 2);
    int first = tiles.begin[axis],
        last = tiles.end[axis];  // the first place with at least the share
    while (first < last) {
      const int middle = (first + last) / 2;
      if (weight(before(tiles, axis, middle)) * parts >= share) {
        last = middle;
      } else {
        first = middle + 1;
      }
    }
    if (first == tiles.begin[axis]) return first;
    const auto distance = [&](int at) {
      return std::abs(weight(before(tiles, axis, at)) * parts - share);
    };
    return distance(first - 1) <= distance(first) ? first - 1 : first;
  }

  Cut cut(const TileRectangle& tiles, int axis, int at, int parts) const {
    TileRectangle after = tiles;
    after.begin[axis] = at;
    Cut cut = best(before(tiles, axis, at), parts / 2);
    const Cut second = best(after, parts - parts / 2);
    cut.heaviest = std::max(cut.heaviest, second.heaviest);
    cut.rectangles.insert(cut.rectangles.end(), second.rectangles.begin(), second.rectangles.end());
    return cut;
  }

  int columns_;
  std::vector<int64_t> sums_;  // [rows + 1][columns + 1]: weight above and to the left
};

}  // namespace

std::vector<TileRectangle> cut_rectangle(std::span<const int64_t> weights, int columns, int rows,
                                         int parts) {
  return RectangleCutter(weights, columns, rows).best({{0, 0}, {columns, rows}}, parts).rectangles;
}

}  // namespace tessera::distributed
