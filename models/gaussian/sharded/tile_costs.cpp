// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/tile_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/gaussian/sharded/expected_evaluations.h"
#include "models/gaussian/sharded/picture_strips.h"

namespace tessera::models {
namespace {

using render::kTilePixels;
using render::kTileSize;
using render::tiles_along;

// Tiles along a side of the cells that evaluations are estimated in.
constexpr int kCellTiles = 4;

struct Grid {
  int columns, rows;

  explicit Grid(const core::PixelWindow& window)
      : columns(tiles_along(window.width)), rows(tiles_along(window.height)) {}
  int64_t tiles() const { return int64_t{columns} * rows; }
  int cell_columns() const { return (columns + kCellTiles - 1) / kCellTiles; }
  int64_t tile(int x, int y) const { return int64_t{y} * columns + x; }
  int64_t cells() const { return int64_t{cell_columns()} * ((rows + kCellTiles - 1) / kCellTiles); }
  int64_t cell_of(int x, int y) const {
    return int64_t{y / kCellTiles} * cell_columns() + x / kCellTiles;
  }
};

// Per tile, the sum of amount(splat) over the splats whose bounding boxes touch it: by the boxes'
// four corners first, summed up at the end.
template <class Amount>
auto sums_over_boxes(const render::CpuProjection& projection, const core::PixelWindow& picture,
                     const Amount& amount) {
  using Value = decltype(amount(projection.splats()[0]));
  const Grid grid(picture);
  const int columns = grid.columns, rows = grid.rows;
  std::vector<Value> corners(int64_t{columns + 1} * (rows + 1));
  const auto at = [&](int x, int y) -> Value& { return corners[int64_t{y} * (columns + 1) + x]; };
  for (const uint32_t i : projection.visible()) {
    const render::CpuSplat& splat = projection.splats()[i];
    const render::TileBounds box = render::tile_bounds(splat, picture);
    const Value value = amount(splat);
    at(box.x0, box.y0) += value;
    at(box.x1 + 1, box.y0) += -value;
    at(box.x0, box.y1 + 1) += -value;
    at(box.x1 + 1, box.y1 + 1) += value;
  }
  std::vector<Value> sums(grid.tiles());
  for (int y = 0; y < rows; ++y) {
    Value along = {};
    for (int x = 0; x < columns; ++x) {
      along += at(x, y);
      Value& sum = sums[grid.tile(x, y)];
      sum = along;
      if (y > 0) sum += sums[grid.tile(x, y - 1)];
    }
  }
  return sums;
}

struct PairLoad {
  int64_t pairs = 0;
  UnhiddenLoad unhidden;

  PairLoad& operator+=(const PairLoad& other) {
    pairs += other.pairs;
    unhidden += other.unhidden;
    return *this;
  }
  PairLoad operator-() const { return {-pairs, {-unhidden.evaluations, -unhidden.optical_depth}}; }
};

// What of a view that was not drawn before is summed over the ranks: pairs of each tile, then of
// each cell its unhidden evaluations, then its optical depth.
std::vector<int64_t> loads_of(const render::CpuProjection& projection,
                              const core::PixelWindow& picture) {
  const Grid grid(picture);
  const std::vector<PairLoad> tiles =
      sums_over_boxes(projection, picture, [](const render::CpuSplat& splat) {
        return PairLoad{1, unhidden_load(splat)};
      });
  std::vector<int64_t> loads;
  loads.reserve(grid.tiles() + 2 * grid.cells());
  std::vector<UnhiddenLoad> cells(grid.cells());
  for (int y = 0; y < grid.rows; ++y) {
    for (int x = 0; x < grid.columns; ++x) {
      const PairLoad& tile = tiles[grid.tile(x, y)];
      loads.push_back(tile.pairs);
      cells[grid.cell_of(x, y)] += tile.unhidden;
    }
  }
  for (const UnhiddenLoad& cell : cells) loads.push_back(cell.evaluations);
  for (const UnhiddenLoad& cell : cells) loads.push_back(cell.optical_depth);
  return loads;
}

// Costs from the sums of loads_of(): a cell's evaluations go to its tiles by their pairs.
std::vector<int64_t> costs_of_loads(std::span<const int64_t> loads,
                                    const core::PixelWindow& picture) {
  const Grid grid(picture);
  const std::span<const int64_t> pairs = loads.first(grid.tiles());
  const std::span<const int64_t> evaluations = loads.subspan(grid.tiles(), grid.cells());
  const std::span<const int64_t> depth = loads.last(grid.cells());
  std::vector<int64_t> cell_pairs(grid.cells(), 0), cell_pixels(grid.cells(), 0);
  for (int y = 0; y < grid.rows; ++y) {
    for (int x = 0; x < grid.columns; ++x) {
      cell_pairs[grid.cell_of(x, y)] += pairs[grid.tile(x, y)];
      cell_pixels[grid.cell_of(x, y)] +=
          int64_t{std::min(kTileSize, picture.width - x * kTileSize)} *
          std::min(kTileSize, picture.height - y * kTileSize);
    }
  }
  std::vector<double> evaluations_per_pair(grid.cells(), 0);
  for (int64_t c = 0; c < grid.cells(); ++c) {
    if (cell_pairs[c] == 0) continue;
    evaluations_per_pair[c] = expected_evaluations({evaluations[c], depth[c]}, cell_pixels[c]) /
                              static_cast<double>(cell_pairs[c]);
  }
  std::vector<int64_t> costs;
  costs.reserve(grid.tiles());
  for (int y = 0; y < grid.rows; ++y) {
    for (int x = 0; x < grid.columns; ++x) {
      const int64_t here = pairs[grid.tile(x, y)];
      costs.push_back(
          kTileCost + kPairCost * here +
          std::llround(evaluations_per_pair[grid.cell_of(x, y)] * static_cast<double>(here)));
    }
  }
  return costs;
}

std::vector<int64_t> sums_of_strips(std::span<const int64_t> costs,
                                    const core::PixelWindow& picture) {
  const Grid grid(picture);
  const PictureStrips strips(picture);
  std::vector<int64_t> sums(strips.count(), 0);
  for (int y = 0; y < grid.rows; ++y) {
    for (int x = 0; x < grid.columns; ++x) sums[strips.of_tile(x, y)] += costs[grid.tile(x, y)];
  }
  return sums;
}

}  // namespace

// Of a view that was drawn before: costs of pairs and evaluations, by tile.
std::vector<int64_t> TileCosts::loads(int view, const render::CpuProjection& projection,
                                      const core::PixelWindow& picture) const {
  const auto seen = drawn_.find(view);
  if (seen == drawn_.end()) return loads_of(projection, picture);
  std::vector<int64_t> costs =
      sums_over_boxes(projection, picture, [](const render::CpuSplat&) { return kPairCost; });
  seen->second.add_to(costs, picture);
  return costs;
}

std::vector<int64_t> TileCosts::next(distributed::Communicator& ranks, int view,
                                     const render::CpuProjection& projection,
                                     const core::PixelWindow& picture) {
  std::vector<int64_t> costs = loads(view, projection, picture);
  ranks.all_reduce("tile costs", distributed::Reduction::kSum, std::span(costs));
  if (drawn_.contains(view)) {
    for (int64_t& cost : costs) cost += kTileCost;
  } else {
    costs = costs_of_loads(costs, picture);
  }
  drawn_[view] = {};  // until drawn() says what this rank draws now
  return costs;
}

std::vector<int64_t> TileCosts::strip_loads(int view, const render::CpuProjection& projection,
                                            const core::PixelWindow& picture) const {
  std::vector<int64_t> tiles = loads(view, projection, picture);
  return drawn_.contains(view) ? sums_of_strips(tiles, picture) : tiles;
}

std::vector<int64_t> TileCosts::next_strips(int view, std::span<const int64_t> loads,
                                            const core::PixelWindow& picture) {
  const PictureStrips strips(picture);
  std::vector<int64_t> costs(loads.begin(), loads.end());
  // A step of two epochs may show a view twice, and the first showing must not count for the
  // second.
  const bool was_drawn = loads.size() == static_cast<size_t>(strips.count());
  if (was_drawn) {
    for (int64_t& cost : costs) cost += kTileCost * strips.tiles_each();
  } else {
    costs = sums_of_strips(costs_of_loads(loads, picture), picture);
  }
  drawn_[view] = {};
  return costs;
}

int64_t TileCosts::numbers_exchanged(int view, const core::PixelWindow& picture) const {
  const Grid grid(picture);
  return grid.tiles() + (drawn_.contains(view) ? 0 : 2 * grid.cells());
}

void TileCosts::drawn(int view, const core::PixelWindow& window,
                      core::View<const int64_t> evaluated_per_tile) {
  Drawn& drawn = drawn_[view];
  drawn.window = window;
  drawn.evaluations.clear();
  for (const int64_t evaluated : evaluated_per_tile) {
    constexpr int64_t kMost = std::numeric_limits<uint16_t>::max();
    drawn.evaluations.push_back(
        static_cast<uint16_t>(std::min(kMost, (evaluated + kTilePixels / 2) / kTilePixels)));
  }
}

void TileCosts::Drawn::add_to(std::span<int64_t> costs, const core::PixelWindow& picture) const {
  const Grid whole(picture), part(window);
  const int left = window.left / kTileSize, top = window.top / kTileSize;
  for (int y = 0; y < part.rows; ++y) {
    for (int x = 0; x < part.columns; ++x) {
      costs[whole.tile(left + x, top + y)] += int64_t{evaluations[part.tile(x, y)]} * kTilePixels;
    }
  }
}

}  // namespace tessera::models
