// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/tile_costs.h"

namespace tessera::models {
namespace {

int64_t tile_count(const core::PixelWindow& picture) {
  return int64_t{render::tiles_along(picture.width)} * render::tiles_along(picture.height);
}

// Adds 1 to each tile that a splat's bounding box touches: by its four corners first, summed up at
// the end.
void count_pairs(const render::CpuProjection& projection, const core::PixelWindow& picture,
                 std::span<int64_t> counts) {
  const int columns = render::tiles_along(picture.width);
  const int rows = render::tiles_along(picture.height);
  std::vector<int64_t> corners(int64_t{columns + 1} * (rows + 1), 0);
  const auto at = [&](int x, int y) -> int64_t& { return corners[int64_t{y} * (columns + 1) + x]; };
  for (const uint32_t i : projection.visible()) {
    const render::TileBounds box = render::tile_bounds(projection.splats()[i], picture);
    ++at(box.x0, box.y0);
    --at(box.x1 + 1, box.y0);
    --at(box.x0, box.y1 + 1);
    ++at(box.x1 + 1, box.y1 + 1);
  }
  for (int y = 0; y < rows; ++y) {
    int64_t along = 0;
    for (int x = 0; x < columns; ++x) {
      along += at(x, y);
      const int64_t above = y == 0 ? 0 : counts[int64_t{y - 1} * columns + x];
      counts[int64_t{y} * columns + x] = above + along;
    }
  }
}

}  // namespace

std::vector<std::vector<int64_t>> tile_costs(
    distributed::Communicator& ranks,
    std::span<const std::unique_ptr<render::CpuProjection>> projections,
    std::span<const core::PixelWindow> pictures) {
  std::vector<int64_t> all;
  for (size_t v = 0; v < pictures.size(); ++v) {
    const size_t first = all.size();
    all.resize(first + tile_count(pictures[v]), 0);
    count_pairs(*projections[v], pictures[v], std::span(all).subspan(first));
  }
  ranks.all_reduce("tile costs", distributed::Reduction::kSum, std::span(all));
  std::vector<std::vector<int64_t>> costs;
  auto next = all.begin();
  for (const core::PixelWindow& picture : pictures) {
    const auto end = next + tile_count(picture);
    std::vector<int64_t>& of_view = costs.emplace_back(next, end);
    for (int64_t& cost : of_view) cost += kTileBaseCost;
    next = end;
  }
  return costs;
}

}  // namespace tessera::models
