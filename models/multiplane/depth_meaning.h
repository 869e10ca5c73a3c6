// What the numbers of a depth map mean, and the inverse depth that they give.
//
// Depth maps come as depth, as disparity of a pair, or as what networks give: inverse depth up to
// scale and shift. Surfaces tell which: a plane is straight over the picture in inverse depth and
// in disparity, not in depth.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/image.h"

namespace tessera::models {

struct DepthMap {
  core::ImageF values;   // [height][width][1]
  int integer_bits = 0;  // of the stored numbers; 0: floating point
};

enum class DepthKind {
  kDepth,         // along the camera's axis; 0, negative and not finite: unknown
  kDisparity,     // in pixels; the same are unknown
  kInverseDepth,  // up to scale and shift; only what is not finite is unknown, and zeros of 8 bits
                  // that stand apart from all other values
};

// "depth", "disparity", "inverse"; nothing for other words.
std::optional<DepthKind> depth_kind_named(std::string_view name);
std::string_view name_of(DepthKind kind);

// Of a map whose kind nobody told: integers of 8 bits, and of 16 bits that use all of their
// range, are inverse depth, all else is what surfaces say, and depth if they say nothing.
DepthKind guessed_kind(const DepthMap& map);

// By pieces of surfaces that are slanted enough to tell: true if values are straight over them,
// false if their inverses are; nothing if too few tell or they disagree.
std::optional<bool> straight_in_values(const core::ImageF& values);

struct DepthScale {
  double focal_px = 0;
  double baseline = 0;   // of a disparity; 0: a pair one unit apart
  double value = 0;      // units, or pixels of a disparity, per value; 0: one, or a
                         // thousandth for depth in integers of 16 bits, which are mm
  double offset_px = 0;  // added to disparities: what a point at infinity has
};

struct InverseDepth {
  core::ImageF values;                // [height][width][1], 1 / units; 0: unknown
  bool metric = false;                // whether a unit is a meter
  std::vector<std::string> notes;     // what was decided, one sentence each
  std::vector<std::string> warnings;  // what looks wrong
};

// Throws core::Error if no value is known.
InverseDepth inverse_depth_of(const DepthMap& map, DepthKind kind, const DepthScale& scale);

// A map at another size: bilinear within surfaces, the nearest value across their edges, so that
// no depths come up that no surface has. Values that are zero or not finite are unknown and stay
// so.
core::ImageF resized_depth(const core::ImageF& values, int width, int height);

}  // namespace tessera::models
