// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/expected_evaluations.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera::models {
namespace {

constexpr double kDepthUnits = 64;
constexpr double kLog2MinAlpha = -7.99435343686;
constexpr int kUnitSide = 4;  // pixels that are evaluated together

// Pixels whose mean optical depth this is begin to be finished (-log 1e-4 = 9.2 where splats lie
// evenly), and all are. Chosen by bench/models/blocks_bench.cpp.
constexpr double kFirstFinished = 9;
constexpr double kAllFinished = 20;

// The sum over k of x^k / k^2, to 1 % for x in [0, 0.99]: of a splat's optical depth
// -log(1 - x exp(-r^2)) over the plane, in units of pi.
double dilogarithm(double x) {
  return x + x * x / 4 + 0.35 * x * x * x * x;
}

}  // namespace

UnhiddenLoad unhidden_load(const render::CpuSplat& s) {
  const double xx = s.conic_xx, xy = s.conic_xy, yy = s.conic_yy;
  const double determinant = std::max(xx * yy - xy * xy / 4, 1e-12);
  const double area_per_log2 = std::numbers::pi / std::sqrt(determinant);
  // Of the box with the half pixel that binning adds on each side.
  const double width = 2.0 * s.half_width + 1, height = 2.0 * s.half_height + 1;
  const double area = area_per_log2 * std::max(0.0, s.log2_opacity - kLog2MinAlpha);
  const double evaluations = area + kUnitSide * (width + height) + kUnitSide * kUnitSide;
  const double depth = area_per_log2 / std::numbers::ln2 * dilogarithm(s.opacity);
  const double tiles = (width + render::kTileSize) * (height + render::kTileSize) /
                       static_cast<double>(render::kTilePixels);
  // Never more than a tile has pixels; needles whose determinant is rounded could.
  constexpr double kMostDepth = 1e3 * render::kTilePixels;
  return {std::llround(std::min(evaluations / tiles, double{render::kTilePixels})),
          std::llround(std::min(depth / tiles, kMostDepth) * kDepthUnits)};
}

double expected_evaluations(const UnhiddenLoad& load, int64_t pixels) {
  const double depth =
      static_cast<double>(load.optical_depth) / (kDepthUnits * static_cast<double>(pixels));
  if (depth <= kFirstFinished) return static_cast<double>(load.evaluations);
  const double beyond = std::min(depth, kAllFinished) - kFirstFinished;
  const double within =
      kFirstFinished + beyond - beyond * beyond / (2 * (kAllFinished - kFirstFinished));
  return static_cast<double>(load.evaluations) * within / depth;
}

}  // namespace tessera::models
