// What the CPU backend's kernels share with the code that calls them: plain structures of pointers.
//
// A block is a rectangle of pixels, at most a tile of 16x16, in which one order of layers holds,
// but for those that cross there. Each kernel file is compiled once per instruction set; the
// calling code picks one set at run time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "render/multiplane/tile_size.h"

namespace tessera::render {

inline constexpr int kMultiplaneTilePixels = kMultiplaneTile * kMultiplaneTile;
// Layers that cross in a block, at most: a pixel's samples of them are sorted.
inline constexpr int kMostCrossing = 8;
// Of bytes, what lies behind less is left out where all pixels of a vector have less.
inline constexpr float kMinMultiplaneTransmittance = 1.0F / 512;

// A layer in a block. Pixels are counted from the block's first one, texels from the anchor, a
// texel of the layer near the block's middle: in floats, both stay small.
struct BlockLayer {
  float texel[3][3];       // homogeneous texel of pixel (x, y, 1)
  float inverse_depth[3];  // in the target
  float first_x, first_y;  // the window's first and last texels
  float last_x, last_y;
  const void* texels;  // the anchor, RGBA of bytes or floats
  int32_t stride;      // texels from one to the one below it
  int32_t anchor_x, anchor_y;
  int32_t layer;
  int32_t crossing;  // of the first of layers that cross one another: their number; else 1
  bool inside;       // all pixels show four texels of the window and are before both cameras
  bool facing;       // the third row of `texel` is the block's
};

struct Block {
  int x, y, width, height;
  float facing_row[3];  // of `texel`, for planes that face the reference camera
  int first_layer;      // where its layers are, near to far; those that cross by their index
  int layer_count;
};

struct BlendTask {
  const BlockLayer* layers;  // of the block
  float background[3];
  int64_t stride;    // of the pictures, in pixels
  float* color;      // at the block's first pixel
  float* alpha;      // likewise
  float* disparity;  // likewise, or null
};

// dL/d of what a pixel sampled of a layer, and where.
struct PixelSample {
  float d[4];
  float fraction_x, fraction_y;
  int32_t x, y;  // upper left texel, from the window's corner; below -1 if the layer is not seen
};

// dL/d of a BlockLayer's map.
struct BlockMapGradient {
  float texel[3][3];
  float inverse_depth[3];
};

struct BlendBackwardTask {
  const BlockLayer* layers;
  float background[3];
  int64_t stride;
  const float* d_color;  // at the block's first pixel, as in BlendTask
  const float* d_alpha;  // or null
  const float* d_disparity;
  float* scratch;              // [layer_count][kBlendBackwardScratch], aligned
  PixelSample* samples;        // [layer_count][height][width]
  BlockMapGradient* gradient;  // [layer_count]
};
inline constexpr int kBlendBackwardScratch = 48 * 16;  // floats a layer: 48 of the widest vectors

struct AddTexelsTask {
  const PixelSample* samples;
  int64_t count;
  float* gradient;  // at the window's corner, RGBA
  int64_t stride;   // in texels
  int width, height;
};

struct MultiplaneKernels {
  void (*blend_bytes)(const Block& block, const BlendTask& task);
  void (*blend_floats)(const Block& block, const BlendTask& task);
  void (*blend_backward)(const Block& block, const BlendBackwardTask& task);
  void (*add_texels)(const AddTexelsTask& task);
};

}  // namespace tessera::render
