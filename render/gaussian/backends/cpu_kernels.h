// What the CPU backend's kernels share with the code that calls them: plain structures of pointers.
//
// Each kernel file is compiled once per instruction set into the namespace of that set; the calling
// code (cpu.cpp) picks one set at run time. Pictures are cut into tiles of 16x16 pixels, tiles into
// 32 groups of 4x2 pixels; a (tile, splat) pair carries a bit per group that the splat's level set
// alpha = 1/255 may touch.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/pixel_window.h"
#include "render/gaussian/camera_values.h"

namespace tessera::render {

inline constexpr int kTileSize = 16;
inline constexpr int kTilePixels = kTileSize * kTileSize;
inline constexpr int kProjectChunk = 1024;  // Gaussians per piece of work, a multiple of any vector

// A projected Gaussian, one cache line, stored at the Gaussian's own index.
struct alignas(64) CpuSplat {
  float mean_x, mean_y;
  float conic_xx, conic_xy, conic_yy;  // in units of log2: see log2_alpha
  float log2_opacity;
  float color[3];
  float depth;
  float half_width, half_height;  // of the level set's bounding box
  float normal[3];
  float opacity;
};

// Sums over the pixels of one pair, then over the pairs of one splat. v = alpha dL/dalpha;
// (dx, dy) from the splat's mean to the pixel.
struct CpuSplatGradient {
  float color[3];
  float depth;
  float v, v_dx, v_dy, v_dxdx, v_dxdy, v_dydy;
  float absolute_x, absolute_y;  // sum of |dL/dmean| per pixel
};

struct ProjectTask {
  CameraValues camera;
  const float* parameters;  // plane 0; plane p is at parameters + p * stride
  int64_t stride;
  int64_t count;
  int sh_degree;
  bool antialiased;
  bool normals;
  float near_plane;
  CpuSplat* splats;   // [count]
  float* radii;       // [count], padded to a whole vector; 0 where not visible
  uint32_t* visible;  // [count]: from `begin` on, the indices of the visible ones of the chunk
};

struct BinTask {
  const CpuSplat* splats;    // in the order of blending
  core::PixelWindow window;  // see CpuBlending
  int tiles_x;
};

struct BinEntry {
  uint32_t tile;
  uint32_t groups;
};

// Pairs of one tile in the order of blending, and where its pixels go.
struct RasterTask {
  const CpuSplat* splats;      // in the order of blending
  const uint32_t* pair_splat;  // index into `splats`
  uint32_t* pair_groups;       // in: groups that may be touched; out: those not done before it
  core::PixelWindow window;    // what is drawn: the pictures below are of its size
  int tiles_x;
  float background[3];
  float* state;  // [tiles][4][256]: red, green, blue without background, T_end
  float* color;  // [H][W][3]
  float* alpha;  // [H][W]
  float* depth;  // [H][W] each, or null
  float* depth_variance;
  float* median_depth;
  float* normal;  // [H][W][3], or null
};

struct RasterBackwardTask {
  const CpuSplat* splats;  // in the order of blending
  const uint32_t* pair_splat;
  const uint32_t* pair_groups;
  core::PixelWindow window;
  int tiles_x;
  float background[3];
  const float* state;
  const float* forward_depth;  // the depth picture, if d_depth is given
  const float* d_color;        // [H][W][3]
  const float* d_alpha;        // [H][W], or null
  const float* d_depth;        // [H][W], or null
  bool absolute;
  CpuSplatGradient* pair_gradient;
};

struct ProjectBackwardTask {
  CameraValues camera;
  const float* parameters;
  float* gradients;  // planes like the parameters'
  int64_t stride;
  int64_t gradient_stride;
  int64_t count;
  int sh_degree;
  bool antialiased;
  bool pose;
  bool absolute;
  const CpuSplat* splats;
  const float* radii;
  const CpuSplatGradient* splat_gradients;  // [count]
  float* mean2d_x;                          // [count] each
  float* mean2d_y;
  float* absolute_mean2d_x;
  float* absolute_mean2d_y;
};

struct PoseGradient {
  double omega[3] = {0, 0, 0};
  double translation[3] = {0, 0, 0};
};

struct CpuKernels {
  // Projects Gaussians [begin, end) and returns how many are visible.
  int64_t (*project)(const ProjectTask& task, int64_t begin, int64_t end);
  // Writes the tiles of splats [begin, end) to `entries`, splat by splat, counting them in
  // tile_counts; entry_ends[i - begin] is the number of entries up to and including splat i.
  // Returns the number of entries, at most tile_bound() of each splat.
  int64_t (*bin)(const BinTask& task, int64_t begin, int64_t end, BinEntry* entries,
                 uint32_t* tile_counts, int64_t* entry_ends);
  // Blends pairs [begin, end) into the tile; returns how many (pixel, splat) pairs it evaluated.
  int64_t (*raster)(const RasterTask& task, int tile, int64_t begin, int64_t end);
  // The same with depth and normals.
  int64_t (*raster_extras)(const RasterTask& task, int tile, int64_t begin, int64_t end);
  // Fills pair_gradient[begin, end); adds T_end dL/dcolor over the tile to d_background.
  void (*raster_backward)(const RasterBackwardTask& task, int tile, int64_t begin, int64_t end,
                          double d_background[3]);
  PoseGradient (*project_backward)(const ProjectBackwardTask& task, int64_t begin, int64_t end);
};

// Tiles along a side of so many pixels.
static inline int tiles_along(int pixels) {
  return (pixels + kTileSize - 1) / kTileSize;
}

// The tiles of a window that a splat's bounding box touches, first and last included; those nearest
// to it if it lies beside the window.
struct TileBounds {
  int x0, x1, y0, y1;
};

// static: each instruction set keeps its own copy.
static inline int clamped_pixel(float v, int last) {
  if (!(v > 0.0F)) return 0;
  return v < static_cast<float>(last) ? static_cast<int>(v) : last;
}
static inline TileBounds tile_bounds(const CpuSplat& s, const core::PixelWindow& window) {
  const float x = s.mean_x - static_cast<float>(window.left);
  const float y = s.mean_y - static_cast<float>(window.top);
  return {clamped_pixel(x - s.half_width - 0.5F, window.width - 1) / kTileSize,
          clamped_pixel(x + s.half_width + 0.5F, window.width - 1) / kTileSize,
          clamped_pixel(y - s.half_height - 0.5F, window.height - 1) / kTileSize,
          clamped_pixel(y + s.half_height + 0.5F, window.height - 1) / kTileSize};
}

}  // namespace tessera::render
