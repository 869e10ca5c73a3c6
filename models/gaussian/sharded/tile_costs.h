// What drawing each tile of a view will cost, forward and backward, from counts, not
// clocks: the same whole numbers on all ranks.
//
// Pairs of tile and splat are counted from this step's splats. Hidden splats are pairs, too, but
// are not evaluated; how many were is known of views that were drawn before, by the rank that drew
// the tile, and is estimated of others.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/pixel_window.h"
#include "core/view.h"
#include "distributed/communicator.h"
#include "render/gaussian/backends/cpu_projection.h"

namespace tessera::models {

// In units of one evaluation of a splat at a pixel, forward and backward; measured by
// bench/models/tile_costs_bench.cpp.
inline constexpr int64_t kTileCost = 4600;  // its pixels' loss and bookkeeping
inline constexpr int64_t kPairCost = 35;    // binning, and its gradient's sums

// Views are named by their index among those trained on.
class TileCosts {
 public:
  // Collective: costs[row * tiles across + column] of all ranks' splats together. The view is now
  // drawn by the ranks, and drawn() told.
  std::vector<int64_t> next(distributed::Communicator& ranks, int view,
                            const render::CpuProjection& projection,
                            const core::PixelWindow& picture);
  // How many numbers next() would add up over the ranks.
  int64_t numbers_exchanged(int view, const core::PixelWindow& picture) const;

  // The same of the picture's strips, of several views by one sum: what this rank has to add to it,
  // and costs from the sums of all ranks'.
  std::vector<int64_t> strip_loads(int view, const render::CpuProjection& projection,
                                   const core::PixelWindow& picture) const;
  std::vector<int64_t> next_strips(int view, std::span<const int64_t> loads,
                                   const core::PixelWindow& picture);

  // The evaluations in each tile of the window that this rank drew of the view.
  void drawn(int view, const core::PixelWindow& window,
             core::View<const int64_t> evaluated_per_tile);

 private:
  std::vector<int64_t> loads(int view, const render::CpuProjection& projection,
                             const core::PixelWindow& picture) const;

  // The window drawn here, and evaluations a pixel of each of its tiles: two bytes, of one rank,
  // for each tile of each view.
  struct Drawn {
    core::PixelWindow window;
    std::vector<uint16_t> evaluations;

    void add_to(std::span<int64_t> costs, const core::PixelWindow& picture) const;
  };

  std::map<int, Drawn> drawn_;  // by view: the same views on all ranks
};

}  // namespace tessera::models
