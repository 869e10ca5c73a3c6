// SPDX-License-Identifier: MIT
#include "models/multiplane/depth_meaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"

namespace tessera::models {
namespace {

constexpr double kMillimetre = 1e-3;
// Inverse depth up to scale and shift: the nearest at 1 unit, the farthest at 5. What is seen
// sideways depends on differences alone.
constexpr float kNearest = 1;
constexpr float kFarthest = 0.2F;

bool is_positive(float value) {
  return std::isfinite(value) && value > 0;
}

// A least-squares plane through values at the pixels of a block.
class PlaneThroughBlock {
 public:
  void add(double x, double y, double value) {
    const std::array<double, 3> row = {x, y, 1};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) normal_[i][j] += row[i] * row[j];
      right_[i] += row[i] * value;
    }
    squares_ += value * value;
    ++count_;
  }

  struct Fit {
    double slope = 0;     // over the block, of the steepest direction
    double residual = 0;  // root mean square
  };

  // By Cramer's rule; `side` is the block's.
  std::optional<Fit> fit(double side) const {
    const auto determinant = [](const std::array<std::array<double, 3>, 3>& m) {
      return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
             m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    };
    const double whole = determinant(normal_);
    if (count_ < 16 || !(whole > 1e-6)) return std::nullopt;
    std::array<double, 3> plane = {};
    double explained = 0;
    for (int i = 0; i < 3; ++i) {
      std::array<std::array<double, 3>, 3> replaced = normal_;
      for (int row = 0; row < 3; ++row) replaced[row][i] = right_[row];
      plane[i] = determinant(replaced) / whole;
      explained += plane[i] * right_[i];
    }
    return Fit{side * std::hypot(plane[0], plane[1]),
               std::sqrt(std::max(0.0, squares_ - explained) / static_cast<double>(count_))};
  }

 private:
  std::array<std::array<double, 3>, 3> normal_ = {};
  std::array<double, 3> right_ = {};
  double squares_ = 0;
  int64_t count_ = 0;
};

// How much straighter inverses are than values in a block, as a logarithm: above zero if they are.
// Nothing where it is no slanted surface.
std::optional<double> inverses_straighter_by(const core::ImageF& values, int left, int top,
                                             int side) {
  PlaneThroughBlock of_values;
  PlaneThroughBlock of_inverses;
  float least = INFINITY;
  float greatest = 0;
  for (int y = top; y < top + side; ++y) {
    for (int x = left; x < left + side; ++x) {
      const float value = values.at(x, y);
      if (!is_positive(value)) return std::nullopt;
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
  }
  constexpr float kEnoughSlope = 1.06F;
  constexpr float kAnEdge = 2;
  if (greatest < kEnoughSlope * least || greatest > kAnEdge * least) return std::nullopt;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const double value = values.at(left + x, top + y) / least;
      of_values.add(x, y, value);
      of_inverses.add(x, y, 1 / value);
    }
  }
  const auto a = of_values.fit(side);
  const auto b = of_inverses.fit(side);
  if (!a || !b || !(a->slope > 0) || !(b->slope > 0)) return std::nullopt;
  const double first = a->residual / a->slope;
  const double second = b->residual / b->slope;
  constexpr double kIsPlane = 0.1;
  if (std::min(first, second) > kIsPlane) return std::nullopt;
  constexpr double kRounding = 1e-6;
  return std::log((first + kRounding) / (second + kRounding));
}

// Values of 8 bits lie in steps; where the next step is beside, it goes over evenly.
core::ImageF smoothed_steps(const core::ImageF& values) {
  constexpr int kReach = 2;
  core::ImageF smooth(values.width, values.height, 1);
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; ++x) {
      const float here = values.at(x, y);
      float sum = 0;
      int count = 0;
      for (int v = std::max(0, y - kReach); v <= std::min(values.height - 1, y + kReach); ++v) {
        for (int u = std::max(0, x - kReach); u <= std::min(values.width - 1, x + kReach); ++u) {
          if (std::abs(values.at(u, v) - here) > 1) continue;
          sum += values.at(u, v);
          ++count;
        }
      }
      smooth.at(x, y) = sum / static_cast<float>(count);
    }
  }
  return smooth;
}

// A photo's lower part is mostly nearer than its upper part.
bool is_upside_down(const core::ImageF& inverse_depth) {
  double sums[2] = {0, 0};
  int64_t counts[2] = {0, 0};
  const int third = inverse_depth.height / 3;
  for (int part = 0; part < 2; ++part) {
    const int top = part == 0 ? 0 : inverse_depth.height - third;
    for (int y = top; y < top + third; ++y) {
      for (int x = 0; x < inverse_depth.width; ++x) {
        if (!(inverse_depth.at(x, y) > 0)) continue;
        sums[part] += inverse_depth.at(x, y);
        ++counts[part];
      }
    }
  }
  if (counts[0] == 0 || counts[1] == 0) return false;
  constexpr double kClearly = 1.3;
  return sums[0] / static_cast<double>(counts[0]) >
         kClearly * sums[1] / static_cast<double>(counts[1]);
}

struct Range {
  float least = INFINITY;
  float greatest = -INFINITY;
  int64_t known = 0;
};

template <class Known>
Range range_of(const core::ImageF& values, const Known& known) {
  Range range;
  for (const float value : values.data) {
    if (!known(value)) continue;
    range.least = std::min(range.least, value);
    range.greatest = std::max(range.greatest, value);
    ++range.known;
  }
  if (range.known == 0) {
    throw core::Error("The depth map has no value above zero that is finite: nothing is known.");
  }
  return range;
}

// Integers of 8 bits that are zero or far above it: zero is no depth there, but means unknown.
bool zero_stands_apart(const DepthMap& map) {
  if (map.integer_bits != 8) return false;
  float least_above = INFINITY;
  bool zeros = false;
  for (const float value : map.values.data) {
    if (value == 0) zeros = true;
    if (value > 0) least_above = std::min(least_above, value);
  }
  constexpr float kApart = 10;
  return zeros && std::isfinite(least_above) && least_above >= kApart;
}

void from_inverse_depth(const DepthMap& map, bool zero_is_unknown, InverseDepth& result) {
  const auto is_known = [&](float value) {
    return std::isfinite(value) && !(zero_is_unknown && value == 0);
  };
  const Range range = range_of(map.values, is_known);
  const float extent = range.greatest - range.least;
  for (int64_t i = 0; i < map.values.pixel_count(); ++i) {
    const float value = map.values.data[i];
    const float place = extent > 0 ? (value - range.least) / extent : 0.5F;
    result.values.data[i] = is_known(value) ? kFarthest + (kNearest - kFarthest) * place : 0.0F;
  }
  if (zero_is_unknown) {
    result.notes.emplace_back(
        "Zeros stand apart from all other values, so they are taken as unknown.");
  }
  result.notes.emplace_back(
      "Depth is relative: the nearest is taken to be five times nearer than the farthest; there is "
      "no metric scale.");
}

void from_disparity(const DepthMap& map, const DepthScale& scale, InverseDepth& result) {
  range_of(map.values, is_positive);
  const double per_value = scale.value > 0 ? scale.value : 1;
  const double baseline = scale.baseline > 0 ? scale.baseline : 1;
  for (int64_t i = 0; i < map.values.pixel_count(); ++i) {
    const float value = map.values.data[i];
    const double disparity = value * per_value + scale.offset_px;
    result.values.data[i] =
        is_positive(value)
            ? static_cast<float>(std::max(disparity, 0.0) / (scale.focal_px * baseline))
            : 0.0F;
  }
  result.metric = scale.baseline > 0;
  if (!result.metric) {
    result.notes.emplace_back(
        "There is no metric scale: a unit is the distance between the pair's cameras; "
        "--stereo-baseline gives it in meters.");
  }
}

void from_depth(const DepthMap& map, const DepthScale& scale, InverseDepth& result) {
  const Range range = range_of(map.values, is_positive);
  if (map.integer_bits == 8 && scale.value == 0) {
    const float extent = range.greatest - range.least;
    for (int64_t i = 0; i < map.values.pixel_count(); ++i) {
      const float value = map.values.data[i];
      const float place = extent > 0 ? (range.greatest - value) / extent : 0.5F;
      result.values.data[i] = kFarthest + (kNearest - kFarthest) * std::clamp(place, 0.0F, 1.0F);
    }
    result.notes.emplace_back(
        "Depth of 8 bits has no unit: it is taken as relative, dark is near; --depth-scale gives "
        "meters a value.");
    return;
  }
  const double usual = map.integer_bits == 16 ? kMillimetre : 1;
  const double per_value = scale.value > 0 ? scale.value : usual;
  for (int64_t i = 0; i < map.values.pixel_count(); ++i) {
    const float value = map.values.data[i];
    result.values.data[i] = is_positive(value) ? static_cast<float>(1 / (value * per_value)) : 0.0F;
  }
  result.metric = scale.value > 0 || map.integer_bits == 16;
  if (scale.value > 0) return;
  if (result.metric) {
    result.notes.push_back(
        fmt::format("Depth of 16 bits is taken as millimeters: {:.3g} to {:.3g} m; --depth-scale "
                    "gives another unit.",
                    range.least * kMillimetre, range.greatest * kMillimetre));
  } else {
    result.notes.emplace_back(
        "The depth map says no unit: there is no metric scale; --depth-scale 1 says meters.");
  }
}

}  // namespace

std::optional<DepthKind> depth_kind_named(std::string_view name) {
  for (const DepthKind kind :
       {DepthKind::kDepth, DepthKind::kDisparity, DepthKind::kInverseDepth}) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

std::string_view name_of(DepthKind kind) {
  switch (kind) {
    case DepthKind::kDepth:
      return "depth";
    case DepthKind::kDisparity:
      return "disparity";
    case DepthKind::kInverseDepth:
      return "inverse";
  }
  return "";
}

std::optional<bool> straight_in_values(const core::ImageF& values) {
  constexpr int kBlocksAlong = 10;
  constexpr int kLeastSide = 12;
  const int side = std::max(kLeastSide, std::max(values.width, values.height) / kBlocksAlong);
  double sum = 0;
  double squares = 0;
  int blocks = 0;
  for (int top = 0; top + side <= values.height; top += side / 2) {
    for (int left = 0; left + side <= values.width; left += side / 2) {
      const std::optional<double> by = inverses_straighter_by(values, left, top, side);
      if (!by) continue;
      sum += *by;
      squares += *by * *by;
      ++blocks;
    }
  }
  constexpr int kEnoughBlocks = 12;
  constexpr double kStandardErrors = 4;
  if (blocks < kEnoughBlocks) return std::nullopt;
  const double mean = sum / blocks;
  const double error = std::sqrt(std::max(squares / blocks - mean * mean, 0.0) / blocks);
  if (std::abs(mean) <= kStandardErrors * error) return std::nullopt;
  return mean < 0;
}

DepthKind guessed_kind(const DepthMap& map) {
  if (map.integer_bits == 8) return DepthKind::kInverseDepth;
  // A map that was stretched over all of its range has no unit.
  constexpr float kFullRange = 65535;
  if (map.integer_bits == 16 &&
      *std::max_element(map.values.data.begin(), map.values.data.end()) == kFullRange) {
    return DepthKind::kInverseDepth;
  }
  return straight_in_values(map.values).value_or(false) ? DepthKind::kInverseDepth
                                                        : DepthKind::kDepth;
}

InverseDepth inverse_depth_of(const DepthMap& map, DepthKind kind, const DepthScale& scale) {
  InverseDepth result;
  result.values.resize(map.values.width, map.values.height, 1);
  DepthMap smooth;
  const DepthMap* used = &map;
  const bool zero_is_unknown = kind != DepthKind::kInverseDepth || zero_stands_apart(map);
  if (map.integer_bits == 8) {
    smooth = {smoothed_steps(map.values), map.integer_bits};
    for (int64_t i = 0; i < map.values.pixel_count(); ++i) {
      if (map.values.data[i] == 0 && zero_is_unknown) smooth.values.data[i] = 0;
    }
    used = &smooth;
    result.notes.emplace_back("Depth of 8 bits has 256 steps, which are smoothed on surfaces.");
  }
  switch (kind) {
    case DepthKind::kDepth:
      from_depth(*used, scale, result);
      break;
    case DepthKind::kDisparity:
      from_disparity(*used, scale, result);
      break;
    case DepthKind::kInverseDepth:
      from_inverse_depth(*used, zero_is_unknown, result);
      break;
  }
  const std::optional<bool> straight = straight_in_values(map.values);
  if (straight && *straight != (kind != DepthKind::kDepth)) {
    result.warnings.push_back(
        *straight ? "Surfaces are straight in the map's values, as they are in disparity or "
                    "inverse depth, not in depth: if it looks bent, give --depth-is disparity or "
                    "inverse."
                  : "Surfaces are straight in the inverse of the map's values, as they are in "
                    "depth, not in disparity or inverse depth: if it looks bent, give --depth-is "
                    "depth.");
  }
  if (is_upside_down(result.values)) {
    result.warnings.emplace_back(
        "The photo's upper part is nearer than its lower part, which is rare: if near and far are "
        "exchanged, give another --depth-is.");
  }
  const auto [least, greatest] =
      std::minmax_element(result.values.data.begin(), result.values.data.end());
  if (*least == *greatest) {
    result.warnings.emplace_back(
        "Depth is the same everywhere: the photo will move as one flat picture.");
  }
  return result;
}

core::ImageF resized_depth(const core::ImageF& values, int width, int height) {
  core::ImageF resized(width, height, 1);
  const auto is_known = [](float value) { return std::isfinite(value) && value != 0; };
  float largest = 0;
  for (const float value : values.data) {
    if (is_known(value)) largest = std::max(largest, std::abs(value));
  }
  constexpr float kOfOneSurface = 0.1F;   // of the value
  constexpr float kOfFarSurface = 0.02F;  // of the largest value
  for (int y = 0; y < height; ++y) {
    const double v = (y + 0.5) * values.height / height - 0.5;
    const int y0 = std::clamp(static_cast<int>(std::floor(v)), 0, values.height - 1);
    const int y1 = std::min(y0 + 1, values.height - 1);
    const auto fy = static_cast<float>(std::clamp(v - y0, 0.0, 1.0));
    for (int x = 0; x < width; ++x) {
      const double u = (x + 0.5) * values.width / width - 0.5;
      const int x0 = std::clamp(static_cast<int>(std::floor(u)), 0, values.width - 1);
      const int x1 = std::min(x0 + 1, values.width - 1);
      const auto fx = static_cast<float>(std::clamp(u - x0, 0.0, 1.0));
      const float corners[4] = {values.at(x0, y0), values.at(x1, y0), values.at(x0, y1),
                                values.at(x1, y1)};
      const auto [least, greatest] = std::minmax_element(corners, corners + 4);
      const bool smooth =
          std::all_of(corners, corners + 4, is_known) &&
          *greatest - *least <= std::max(kOfOneSurface * *least, kOfFarSurface * largest);
      resized.at(x, y) = smooth ? (corners[0] * (1 - fx) + corners[1] * fx) * (1 - fy) +
                                      (corners[2] * (1 - fx) + corners[3] * fx) * fy
                                : corners[(fy >= 0.5F ? 2 : 0) + (fx >= 0.5F ? 1 : 0)];
    }
  }
  return resized;
}

}  // namespace tessera::models
