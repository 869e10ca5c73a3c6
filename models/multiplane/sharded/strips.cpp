// SPDX-License-Identifier: MIT
#include "models/multiplane/sharded/strips.h"

#include <cmath>

#include "render/multiplane/target_view.h"

namespace tessera::models {
namespace {

using render::TargetView;

// Beyond the texels that a bilinear sample takes: what rounding may move it by, and room for
// renderers to see that a window's end is not near.
constexpr int kMargin = 2;

// What a window of the target may show of a layer, if its plane has a place there.
RowRange sampled_rows(const TargetView<double>& view, const core::MultiplaneLayer& layer,
                      const core::PixelWindow& window, const RowRange& all) {
  const math::Vec3<double> plane = render::plane_of(layer);
  if (!(render::plane_facing(view, plane) > 0)) return {};
  const render::PlaneMap<double> map = render::plane_map(view, plane);
  double top = INFINITY;
  double bottom = -INFINITY;
  int shown = 0;
  for (const int x : {window.left, window.right()}) {
    for (const int y : {window.top, window.bottom()}) {
      if (!render::shows_plane(map, double(x), double(y))) continue;
      ++shown;
      const double row = render::texel_at(map, double(x), double(y)).y;
      top = std::min(top, row);
      bottom = std::max(bottom, row);
    }
  }
  if (shown == 0) return {};
  const RowRange of_layer = intersection(all, {layer.window.top, layer.window.bottom()});
  if (shown < 4) return of_layer;  // it reaches to the plane's horizon
  const auto row = [&](double value) {
    return static_cast<int>(std::clamp(value, all.begin - 1.0, all.end + 1.0));
  };
  return intersection(
      of_layer, {row(std::floor(top - 0.5)) - kMargin, row(std::ceil(bottom + 0.5)) + 1 + kMargin});
}

// Of the reference, at the middle of a picture's row; above zero only where a layer is shown.
double shown_row(const TargetView<double>& view, std::span<const core::MultiplaneLayer> layers,
                 double x, double y) {
  double sum = 0;
  int count = 0;
  for (const core::MultiplaneLayer& layer : layers) {
    if (!(render::plane_facing(view, render::plane_of(layer)) > 0)) continue;
    const render::PlaneMap<double> map = render::plane_map(view, render::plane_of(layer));
    if (!render::shows_plane(map, x, y)) continue;
    sum += render::texel_at(map, x, y).y;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

RowRange hull(const RowRange& a, const RowRange& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

RowRange owned_rows(const RowRange& all, int rank, int ranks) {
  const auto border = [&](int64_t r) {
    return all.begin + static_cast<int>(r * all.count() / ranks);
  };
  return {border(rank), border(rank + 1)};
}

std::vector<Strip> strips_of(const core::PosedCamera& reference, const core::PosedCamera& target,
                             std::span<const core::MultiplaneLayer> layers, const RowRange& all,
                             int ranks) {
  const core::Camera& camera = target.camera;
  const TargetView<double> view = render::target_view(reference, target);
  const int count = (camera.height + kStripRows - 1) / kStripRows;
  const double middle = 0.5 * camera.width;
  const bool upside_down =
      shown_row(view, layers, middle, camera.height) < shown_row(view, layers, middle, 0);
  std::vector<Strip> strips;
  for (int i = 0; i < count; ++i) {
    Strip& strip = strips.emplace_back();
    strip.rank = static_cast<int>(int64_t{upside_down ? count - 1 - i : i} * ranks / count);
    strip.window = {0, i * kStripRows, camera.width,
                    std::min(kStripRows, camera.height - i * kStripRows)};
    for (const core::MultiplaneLayer& layer : layers) {
      strip.rows = hull(strip.rows, sampled_rows(view, layer, strip.window, all));
    }
  }
  return strips;
}

std::span<const Strip> strips_of_rank(std::span<const Strip> strips, int rank) {
  size_t begin = 0;
  while (begin < strips.size() && strips[begin].rank != rank) ++begin;
  size_t end = begin;
  while (end < strips.size() && strips[end].rank == rank) ++end;
  return strips.subspan(begin, end - begin);
}

core::PixelWindow window_of(std::span<const Strip> strips) {
  if (strips.empty()) return {};
  core::PixelWindow window = strips.front().window;
  window.height = strips.back().window.bottom() - window.top;
  return window;
}

RowRange rows_of(std::span<const Strip> strips) {
  RowRange rows;
  for (const Strip& strip : strips) rows = hull(rows, strip.rows);
  return rows;
}

}  // namespace tessera::models
