// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/round.h"

#include <algorithm>

#include "distributed/rectangle_partition.h"
#include "render/gaussian/backends/cpu_kernels.h"

namespace tessera::models {

using render::kTileSize;
using render::tiles_along;

std::string_view name_of(Partition partition) {
  switch (partition) {
    case Partition::kWholeViews:
      return "views";
    case Partition::kBalancedViews:
      return "balanced";
    case Partition::kBlocks:
      break;
  }
  return "blocks";
}

Partition partition_of(std::string_view setting, int views, int ranks) {
  for (const Partition partition : {Partition::kWholeViews, Partition::kBalancedViews}) {
    if (setting == name_of(partition)) return partition;
  }
  return setting == "auto" && views >= ranks ? Partition::kWholeViews : Partition::kBlocks;
}

std::vector<Round> whole_views(std::span<const core::PixelWindow> pictures,
                               std::span<const int> rank_of_view, int ranks) {
  std::vector<Round> rounds;
  for (int rank = 0; rank < ranks; ++rank) {
    size_t round = 0;
    for (size_t v = 0; v < pictures.size(); ++v) {
      if (rank_of_view[v] != rank) continue;
      if (round == rounds.size()) rounds.emplace_back();
      rounds[round++].push_back({rank, static_cast<int>(v), pictures[v]});
    }
  }
  return rounds;
}

Round blocks(int view, const core::PixelWindow& picture, int ranks,
             std::span<const int64_t> tile_costs) {
  const std::vector<distributed::TileRectangle> rectangles = distributed::cut_rectangle(
      tile_costs, tiles_along(picture.width), tiles_along(picture.height), ranks);
  Round round;
  for (int rank = 0; rank < ranks; ++rank) {
    const distributed::TileRectangle& tiles = rectangles[rank];
    const core::PixelWindow block = {tiles.begin[0] * kTileSize, tiles.begin[1] * kTileSize,
                                     tiles.length(0) * kTileSize, tiles.length(1) * kTileSize};
    const core::PixelWindow drawn = core::intersection(block, picture);
    if (!drawn.empty()) round.push_back({rank, view, drawn});
  }
  return round;
}

}  // namespace tessera::models
