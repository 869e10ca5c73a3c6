// Which layers a tile of the target picture shows and in which order.
//
// Layers go to the tiles that their windows' outlines may touch. Inverse depth is linear over the
// target picture, so two layers that stand in the same order at a rectangle's four corners do so in
// all of it. To be drawn, a tile is one block, in which layers that cross stand together and are
// sorted by pixel; for gradients it is cut in halves until one order serves each piece.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/multiplane_image.h"
#include "render/multiplane/backends/multiplane_kernels.h"
#include "render/multiplane/target_view.h"

namespace tessera::render {

struct TexelPage {
  const void* texels;
  int width;
};

// A layer at a rectangle's corners.
struct CornerDepths {
  LayerDepth at[4];
  int place;  // of the layer among those that the rectangle shows
};

// Blocks of one tile and the layers of each, and what finding them needs.
struct TileBlocks {
  std::vector<Block> blocks;
  std::vector<BlockLayer> layers;
  std::vector<LayerDepth> order;  // of all layers that the tile may show
  std::vector<BlockLayer> shown;  // by a rectangle
  std::vector<CornerDepths> corners, nearest;
  std::vector<int> begins;
};

class MultiplaneBlocks {
 public:
  // Of each layer its map and the tiles that it may touch. What is pointed to must stay.
  void plan(const core::PosedCamera& reference, const std::vector<core::MultiplaneLayer>& layers,
            const core::PosedCamera& target);

  // The tiles that have pixels of a window, in rows.
  std::vector<int> tiles_of(const core::PixelWindow& window) const;
  // Layers that the tile may show.
  int64_t candidate_count(int tile) const { return tile_begin_[tile + 1] - tile_begin_[tile]; }
  const TargetView<double>& view() const { return view_; }

  // The tile's blocks, none of which overlap. A texel takes `texel_bytes`.
  void find(int tile, const std::vector<TexelPage>& pages, int texel_bytes, TileBlocks& to) const;
  // The same, of one order each.
  void find_ordered(int tile, const std::vector<TexelPage>& pages, int texel_bytes,
                    TileBlocks& to) const;

  // dL/d(plane) from that of a block's layer.
  math::Vec3<double> plane_gradient(const Block& block, const BlockLayer& layer,
                                    const BlockMapGradient& d) const;

 private:
  struct Rectangle {
    int x, y, width, height;
  };
  struct TileBox {
    int x0, x1, y0, y1;  // one past the last; empty if none
  };

  int tile_count() const { return tiles_x_ * tiles_y_; }
  TileBox touched_tiles(const core::MultiplaneLayer& layer) const;
  static std::pair<Rectangle, Rectangle> halves(const Rectangle& r);
  Rectangle start(int tile, TileBlocks& to) const;
  Block block_of(const Rectangle& r, const TileBlocks& to) const;
  bool add_layer(const Rectangle& r, int layer, const std::vector<TexelPage>& pages,
                 int texel_bytes, std::vector<BlockLayer>& to) const;
  void add_blocks(const Rectangle& r, const std::vector<TexelPage>& pages, int texel_bytes,
                  TileBlocks& to) const;
  void add_ordered_blocks(const Rectangle& r, const std::vector<TexelPage>& pages, int texel_bytes,
                          TileBlocks& to) const;
  bool one_order(const Rectangle& r, std::vector<LayerDepth>& order) const;

  const std::vector<core::MultiplaneLayer>* layers_ = nullptr;
  TargetView<double> view_ = {};
  core::Rigid target_from_reference_;
  core::Camera target_;
  int tiles_x_ = 0, tiles_y_ = 0;
  std::vector<PlaneMap<double>> maps_;
  std::vector<int64_t> tile_begin_;
  std::vector<int> tile_layers_;
};

}  // namespace tessera::render
