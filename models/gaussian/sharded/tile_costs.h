// What drawing each tile of a step's views will cost, from the splats of this step: the same whole
// numbers on all ranks.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/pixel_window.h"
#include "distributed/communicator.h"
#include "render/gaussian/backends/cpu_projection.h"

namespace tessera::models {

// Of a tile: its pixels' loss and bookkeeping, in units of one (tile, splat) pair.
inline constexpr int64_t kTileBaseCost = 30;

// Collective: per view, costs[row * tiles across + column] of all ranks' splats together.
std::vector<std::vector<int64_t>> tile_costs(
    distributed::Communicator& ranks,
    std::span<const std::unique_ptr<render::CpuProjection>> projections,
    std::span<const core::PixelWindow> pictures);

}  // namespace tessera::models
