// SPDX-License-Identifier: MIT
#include "render/multiplane/backends/multiplane_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera::render {
namespace {

// What rounding to float may move a texel's place by, with room to spare.
constexpr double kPlaceMargin = 1e-2;

struct Point {
  double x, y;
};

double row_at(const double (&row)[3], Point p) {
  return linear_at(math::Vec3<double>{row[0], row[1], row[2]}, p.x, p.y);
}

// Sorts `corners` near to far; layers that cross stand together, by their index, and `begins` is
// where each such group and each lone layer begins, and the end.
void sort_by_crossing(TileBlocks& tile) {
  std::vector<CornerDepths>& corners = tile.corners;
  std::vector<CornerDepths>& nearest = tile.nearest;
  std::vector<int>& begins = tile.begins;
  const auto count = static_cast<int>(corners.size());
  std::sort(corners.begin(), corners.end(),
            [](const CornerDepths& a, const CornerDepths& b) { return a.at[0] < b.at[0]; });
  begins.assign(1, 0);
  // A group ends where, at each corner, all that follow are behind all before. `nearest[i]`: of
  // those from i on, at each corner.
  nearest = corners;
  for (int i = count - 2; i >= 0; --i) {
    for (int k = 0; k < 4; ++k) nearest[i].at[k] = std::min(nearest[i].at[k], nearest[i + 1].at[k]);
  }
  CornerDepths farthest = {};
  for (int i = 0; i < count; ++i) {
    if (i == begins.back()) farthest = corners[i];
    bool ends = true;
    for (int k = 0; k < 4; ++k) {
      farthest.at[k] = std::max(farthest.at[k], corners[i].at[k]);
      ends = ends && (i + 1 == count || farthest.at[k] < nearest[i + 1].at[k]);
    }
    if (ends) begins.push_back(i + 1);
  }
  for (size_t i = 0; i + 1 < begins.size(); ++i) {
    std::sort(corners.begin() + begins[i], corners.begin() + begins[i + 1],
              [](const CornerDepths& a, const CornerDepths& b) { return a.place < b.place; });
  }
}

}  // namespace

MultiplaneBlocks::TileBox MultiplaneBlocks::touched_tiles(
    const core::MultiplaneLayer& layer) const {
  const core::PixelWindow& w = layer.window;
  const math::Vec3<double> plane = plane_of(layer);
  if (w.empty() || !(plane_facing(view_, plane) > 0)) return {};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double left = kInfinity, right = -kInfinity, top = kInfinity, bottom = -kInfinity;
  int before = 0;
  for (int k = 0; k < 4; ++k) {
    // A texel reaches one beyond its center.
    const double x = k % 2 == 0 ? w.left - 0.5 : w.right() + 0.5;
    const double y = k / 2 == 0 ? w.top - 0.5 : w.bottom() + 0.5;
    const math::Vec3<double> ray = {(x - view_.cx) / view_.fx, (y - view_.cy) / view_.fy, 1};
    const double inverse_depth = math::dot(plane, ray);
    const math::Vec3<double> p =
        target_from_reference_.rotation * ray + target_from_reference_.translation * inverse_depth;
    if (!(inverse_depth > 0) || !(p.z > 0)) continue;
    ++before;
    const double u = target_.fx * p.x / p.z + target_.cx;
    const double v = target_.fy * p.y / p.z + target_.cy;
    left = std::min(left, u);
    right = std::max(right, u);
    top = std::min(top, v);
    bottom = std::max(bottom, v);
  }
  // Part of the outline has no place in the picture: it may reach anywhere.
  if (before < 4) return {0, tiles_x_, 0, tiles_y_};
  const auto tile = [](double pixel, int tiles) {
    return static_cast<int>(std::clamp(std::floor(pixel / kMultiplaneTile), 0.0, double(tiles)));
  };
  return {tile(left - kPlaceMargin, tiles_x_),
          std::min(tiles_x_, tile(right + kPlaceMargin + kMultiplaneTile, tiles_x_)),
          tile(top - kPlaceMargin, tiles_y_),
          std::min(tiles_y_, tile(bottom + kPlaceMargin + kMultiplaneTile, tiles_y_))};
}

void MultiplaneBlocks::plan(const core::PosedCamera& reference,
                            const std::vector<core::MultiplaneLayer>& layers,
                            const core::PosedCamera& target) {
  layers_ = &layers;
  view_ = target_view(reference, target);
  target_ = target.camera;
  const core::Rigid world_from_reference = reference.cam_from_world.inverse();
  const core::Rigid& target_from_world = target.cam_from_world;
  target_from_reference_ = {target_from_world.rotation * world_from_reference.rotation,
                            target_from_world.rotation * world_from_reference.translation +
                                target_from_world.translation};
  tiles_x_ = (target_.width + kMultiplaneTile - 1) / kMultiplaneTile;
  tiles_y_ = (target_.height + kMultiplaneTile - 1) / kMultiplaneTile;
  maps_.clear();
  std::vector<TileBox> boxes;
  tile_begin_.assign(tile_count() + 1, 0);
  for (const core::MultiplaneLayer& layer : layers) {
    maps_.push_back(plane_map(view_, plane_of(layer)));
    const TileBox& box = boxes.emplace_back(touched_tiles(layer));
    for (int y = box.y0; y < box.y1; ++y) {
      for (int x = box.x0; x < box.x1; ++x) ++tile_begin_[y * tiles_x_ + x + 1];
    }
  }
  for (int t = 0; t < tile_count(); ++t) tile_begin_[t + 1] += tile_begin_[t];
  tile_layers_.resize(tile_begin_.back());
  std::vector<int64_t> next(tile_begin_.begin(), tile_begin_.end() - 1);
  for (size_t i = 0; i < boxes.size(); ++i) {
    for (int y = boxes[i].y0; y < boxes[i].y1; ++y) {
      for (int x = boxes[i].x0; x < boxes[i].x1; ++x) {
        tile_layers_[next[y * tiles_x_ + x]++] = static_cast<int>(i);
      }
    }
  }
}

std::vector<int> MultiplaneBlocks::tiles_of(const core::PixelWindow& window) const {
  std::vector<int> tiles;
  for (int y = window.top / kMultiplaneTile; y * kMultiplaneTile < window.bottom(); ++y) {
    for (int x = window.left / kMultiplaneTile; x * kMultiplaneTile < window.right(); ++x) {
      tiles.push_back(y * tiles_x_ + x);
    }
  }
  return tiles;
}

// Appends the layer as the rectangle shows it, if it may show it.
bool MultiplaneBlocks::add_layer(const Rectangle& r, int layer_index,
                                 const std::vector<TexelPage>& pages, int texel_bytes,
                                 std::vector<BlockLayer>& to) const {
  const core::MultiplaneLayer& layer = (*layers_)[layer_index];
  const PlaneMap<double>& map = maps_[layer_index];
  const double offset_x = layer.window.left + 0.5, offset_y = layer.window.top + 0.5;
  int before = 0, apart = 0, off = 0;
  double left = 1e30, right = -1e30, top = 1e30, bottom = -1e30;
  for (int k = 0; k < 4; ++k) {
    const int column = k % 2, row = k / 2;
    const Point p = {r.x + 0.5 + column * (r.width - 1), r.y + 0.5 + row * (r.height - 1)};
    const double z = row_at(map.texel.m[2], p);
    const double inverse_depth = linear_at(map.inverse_depth, p.x, p.y);
    off += z > 0 ? 0 : 1;
    apart += inverse_depth > 0 ? 0 : 1;
    if (!(z > 0) || !(inverse_depth > 0)) continue;
    ++before;
    const double inverse = 1 / z;
    const double x = row_at(map.texel.m[0], p) * inverse - offset_x;
    const double y = row_at(map.texel.m[1], p) * inverse - offset_y;
    left = std::min(left, x);
    right = std::max(right, x);
    top = std::min(top, y);
    bottom = std::max(bottom, y);
  }
  if (off == 4 || apart == 4) return false;
  const int last_x = layer.window.width - 1, last_y = layer.window.height - 1;
  if (before == 4 && (right < -1 - kPlaceMargin || left > last_x + 1 + kPlaceMargin ||
                      bottom < -1 - kPlaceMargin || top > last_y + 1 + kPlaceMargin)) {
    return false;
  }
  BlockLayer b;
  b.inside = before == 4 && left > kPlaceMargin && right < last_x - kPlaceMargin &&
             top > kPlaceMargin && bottom < last_y - kPlaceMargin;
  b.facing = layer.plane.x == 0 && layer.plane.y == 0;
  const auto anchor = [](double low, double high, int last) {
    return static_cast<int>(std::clamp(std::floor(0.5 * (low + high)), 0.0, double(last)));
  };
  b.anchor_x = before > 0 ? anchor(left, right, last_x) : 0;
  b.anchor_y = before > 0 ? anchor(top, bottom, last_y) : 0;
  const Point corner = {r.x + 0.5, r.y + 0.5};
  const double shift[2] = {offset_x + b.anchor_x, offset_y + b.anchor_y};
  const double z[3] = {map.texel.m[2][0], map.texel.m[2][1], row_at(map.texel.m[2], corner)};
  for (int k = 0; k < 3; ++k) {
    for (int row = 0; row < 2; ++row) {
      const double value = k < 2 ? map.texel.m[row][k] : row_at(map.texel.m[row], corner);
      b.texel[row][k] = static_cast<float>(value - shift[row] * z[k]);
    }
    b.texel[2][k] = static_cast<float>(z[k]);
  }
  b.inverse_depth[0] = static_cast<float>(map.inverse_depth.x);
  b.inverse_depth[1] = static_cast<float>(map.inverse_depth.y);
  b.inverse_depth[2] = static_cast<float>(linear_at(map.inverse_depth, corner.x, corner.y));
  b.first_x = static_cast<float>(-b.anchor_x);
  b.first_y = static_cast<float>(-b.anchor_y);
  b.last_x = static_cast<float>(last_x - b.anchor_x);
  b.last_y = static_cast<float>(last_y - b.anchor_y);
  const TexelPage& page = pages[layer.page];
  const int64_t texel = int64_t{layer.y + b.anchor_y} * page.width + layer.x + b.anchor_x;
  b.texels = static_cast<const char*>(page.texels) + texel * texel_bytes;
  b.stride = page.width;
  b.layer = layer_index;
  b.crossing = 1;
  to.push_back(b);
  return true;
}

// The rectangle cut across its longer side.
std::pair<MultiplaneBlocks::Rectangle, MultiplaneBlocks::Rectangle> MultiplaneBlocks::halves(
    const Rectangle& r) {
  Rectangle first = r, second = r;
  if (r.width > r.height) {
    first.width = r.width / 2;
    second.x += first.width;
    second.width -= first.width;
  } else {
    first.height = r.height / 2;
    second.y += first.height;
    second.height -= first.height;
  }
  return {first, second};
}

// Puts `order` in that of the rectangle's first pixel; whether it is that of all its pixels.
bool MultiplaneBlocks::one_order(const Rectangle& r, std::vector<LayerDepth>& order) const {
  const auto look_from = [&](int x, int y) {
    for (LayerDepth& at : order) {
      at.inverse_depth = linear_at(maps_[at.layer].inverse_depth, x + 0.5, y + 0.5);
    }
  };
  look_from(r.x, r.y);
  std::sort(order.begin(), order.end());
  for (int k = 1; k < 4; ++k) {
    look_from(r.x + (k % 2) * (r.width - 1), r.y + (k / 2) * (r.height - 1));
    if (!std::is_sorted(order.begin(), order.end())) return false;
  }
  return true;
}

Block MultiplaneBlocks::block_of(const Rectangle& r, const TileBlocks& to) const {
  Block block = {};
  block.x = r.x;
  block.y = r.y;
  block.width = r.width;
  block.height = r.height;
  const double(&facing)[3] = view_.ray.m[2];
  block.facing_row[0] = static_cast<float>(facing[0]);
  block.facing_row[1] = static_cast<float>(facing[1]);
  block.facing_row[2] = static_cast<float>(row_at(facing, {r.x + 0.5, r.y + 0.5}));
  block.first_layer = static_cast<int>(to.layers.size());
  return block;
}

void MultiplaneBlocks::add_blocks(const Rectangle& r, const std::vector<TexelPage>& pages,
                                  int texel_bytes, TileBlocks& to) const {
  to.shown.clear();
  to.corners.clear();
  for (const LayerDepth& candidate : to.order) {
    if (!add_layer(r, candidate.layer, pages, texel_bytes, to.shown)) continue;
    CornerDepths& depths = to.corners.emplace_back();
    depths.place = static_cast<int>(to.shown.size()) - 1;
    for (int k = 0; k < 4; ++k) {
      const int x = r.x + k % 2 * (r.width - 1), y = r.y + k / 2 * (r.height - 1);
      depths.at[k] = {linear_at(maps_[candidate.layer].inverse_depth, x + 0.5, y + 0.5),
                      candidate.layer};
    }
  }
  sort_by_crossing(to);
  for (size_t i = 0; i + 1 < to.begins.size(); ++i) {
    if (to.begins[i + 1] - to.begins[i] <= kMostCrossing) continue;
    const auto [first, second] = halves(r);
    add_blocks(first, pages, texel_bytes, to);
    add_blocks(second, pages, texel_bytes, to);
    return;
  }
  Block& block = to.blocks.emplace_back(block_of(r, to));
  block.layer_count = static_cast<int>(to.shown.size());
  for (size_t i = 0; i + 1 < to.begins.size(); ++i) {
    const size_t first = to.layers.size();
    for (int k = to.begins[i]; k < to.begins[i + 1]; ++k) {
      to.layers.push_back(to.shown[to.corners[k].place]);
    }
    to.layers[first].crossing = to.begins[i + 1] - to.begins[i];
  }
}

void MultiplaneBlocks::add_ordered_blocks(const Rectangle& r, const std::vector<TexelPage>& pages,
                                          int texel_bytes, TileBlocks& to) const {
  if (!one_order(r, to.order)) {
    const auto [first, second] = halves(r);
    add_ordered_blocks(first, pages, texel_bytes, to);
    add_ordered_blocks(second, pages, texel_bytes, to);
    return;
  }
  Block block = block_of(r, to);
  for (const LayerDepth& at : to.order) {
    block.layer_count += add_layer(r, at.layer, pages, texel_bytes, to.layers) ? 1 : 0;
  }
  to.blocks.push_back(block);
}

MultiplaneBlocks::Rectangle MultiplaneBlocks::start(int tile, TileBlocks& to) const {
  to.blocks.clear();
  to.layers.clear();
  to.order.clear();
  for (int64_t i = tile_begin_[tile]; i < tile_begin_[tile + 1]; ++i) {
    to.order.push_back({0, tile_layers_[i]});
  }
  const int x = tile % tiles_x_ * kMultiplaneTile, y = tile / tiles_x_ * kMultiplaneTile;
  return {x, y, std::min(kMultiplaneTile, target_.width - x),
          std::min(kMultiplaneTile, target_.height - y)};
}

void MultiplaneBlocks::find(int tile, const std::vector<TexelPage>& pages, int texel_bytes,
                            TileBlocks& to) const {
  const Rectangle whole = start(tile, to);
  add_blocks(whole, pages, texel_bytes, to);
}

void MultiplaneBlocks::find_ordered(int tile, const std::vector<TexelPage>& pages, int texel_bytes,
                                    TileBlocks& to) const {
  const Rectangle whole = start(tile, to);
  add_ordered_blocks(whole, pages, texel_bytes, to);
}

math::Vec3<double> MultiplaneBlocks::plane_gradient(const Block& block, const BlockLayer& layer,
                                                    const BlockMapGradient& d) const {
  const core::MultiplaneLayer& l = (*layers_)[layer.layer];
  const double u = block.x + 0.5, v = block.y + 0.5;
  const double shift_x = l.window.left + 0.5 + layer.anchor_x;
  const double shift_y = l.window.top + 0.5 + layer.anchor_y;
  PlaneMap<double> map;
  for (int k = 0; k < 3; ++k) {
    for (int row = 0; row < 2; ++row) map.texel.m[row][k] = d.texel[row][k];
    map.texel.m[2][k] = d.texel[2][k] - shift_x * d.texel[0][k] - shift_y * d.texel[1][k];
  }
  for (auto& row : map.texel.m) {
    row[0] += u * row[2];
    row[1] += v * row[2];
  }
  map.inverse_depth = {d.inverse_depth[0] + u * d.inverse_depth[2],
                       d.inverse_depth[1] + v * d.inverse_depth[2], d.inverse_depth[2]};
  return plane_map_vjp(view_, plane_of(l), map);
}

}  // namespace tessera::render
