// The kernels of each instruction set that this build compiles, as one constant per set.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/isa_kernels.h"
#include "render/gaussian/backends/cpu_kernels.h"

namespace tessera::render {

TESSERA_DECLARE_KERNEL(
    int64_t project_gaussians(const ProjectTask& task, int64_t begin, int64_t end);
    int64_t bin_splats(const BinTask& task, int64_t begin, int64_t end, BinEntry* entries,
                       uint32_t* tile_counts, int64_t* entry_ends);
    int64_t raster_tile(const RasterTask& task, int tile, int64_t begin, int64_t end);
    int64_t raster_tile_extras(const RasterTask& task, int tile, int64_t begin, int64_t end);
    void raster_tile_backward(const RasterBackwardTask& task, int tile, int64_t begin, int64_t end,
                              double d_background[3]);
    PoseGradient project_gaussians_backward(const ProjectBackwardTask& task, int64_t begin,
                                            int64_t end);
    inline constexpr CpuKernels kCpuKernels = {project_gaussians, bin_splats, raster_tile,
                                               raster_tile_extras, raster_tile_backward,
                                               project_gaussians_backward})

}  // namespace tessera::render
