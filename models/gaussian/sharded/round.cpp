// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/round.h"

#include "distributed/rectangle_partition.h"
#include "render/gaussian/backends/cpu_kernels.h"

namespace tessera::models {

using render::kTileSize;
using render::tiles_along;

Partition partition_of(std::string_view setting, int views, int ranks) {
  const bool whole = setting == "views" || (setting == "auto" && views >= ranks);
  return whole ? Partition::kWholeViews : Partition::kBlocks;
}

std::vector<Round> whole_views(std::span<const core::PixelWindow> pictures,
                               std::span<const int> rank_of_view, int ranks) {
  std::vector<Round> rounds;
  std::vector<size_t> drawn(ranks, 0);
  for (size_t v = 0; v < pictures.size(); ++v) {
    const int rank = rank_of_view[v];
    const size_t round = drawn[rank]++;
    if (round == rounds.size()) rounds.emplace_back(ranks);
    rounds[round][rank] = {static_cast<int>(v), pictures[v]};
  }
  return rounds;
}

Round blocks(int view, const core::PixelWindow& picture, int ranks,
             std::span<const int64_t> tile_costs) {
  const std::vector<distributed::CellBox> boxes = distributed::cut_rectangle(
      tile_costs, tiles_along(picture.width), tiles_along(picture.height), ranks);
  Round round;
  round.reserve(ranks);
  for (const distributed::CellBox& box : boxes) {
    const core::PixelWindow block = {box.begin[0] * kTileSize, box.begin[1] * kTileSize,
                                     box.length(0) * kTileSize, box.length(1) * kTileSize};
    round.push_back({view, core::intersection(block, picture)});
  }
  return round;
}

}  // namespace tessera::models
