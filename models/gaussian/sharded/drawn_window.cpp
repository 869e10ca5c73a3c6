// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/drawn_window.h"

#include "distributed/grid_partition.h"
#include "render/gaussian/backends/cpu_kernels.h"

namespace tessera::models {

using render::kTileSize;
using render::tiles_along;

std::vector<DrawnWindow> whole_views(std::span<const core::PixelWindow> pictures,
                                     std::span<const int> rank_of_view) {
  std::vector<DrawnWindow> windows;
  windows.reserve(pictures.size());
  for (size_t v = 0; v < pictures.size(); ++v) {
    windows.push_back({static_cast<int>(v), rank_of_view[v], pictures[v]});
  }
  return windows;
}

std::vector<DrawnWindow> blocks(std::span<const core::PixelWindow> pictures, int ranks,
                                std::span<const std::vector<int64_t>> tile_costs) {
  std::vector<DrawnWindow> windows;
  windows.reserve(pictures.size() * ranks);
  for (size_t v = 0; v < pictures.size(); ++v) {
    const std::vector<distributed::CellBox> boxes = distributed::cut_grid(
        tile_costs[v], {tiles_along(pictures[v].width), tiles_along(pictures[v].height), 1}, ranks);
    for (int r = 0; r < ranks; ++r) {
      const distributed::CellBox& box = boxes[r];
      const core::PixelWindow block = {box.begin[0] * kTileSize, box.begin[1] * kTileSize,
                                       box.length(0) * kTileSize, box.length(1) * kTileSize};
      windows.push_back({static_cast<int>(v), r, core::intersection(block, pictures[v])});
    }
  }
  return windows;
}

}  // namespace tessera::models
