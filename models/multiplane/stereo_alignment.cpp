// SPDX-License-Identifier: MIT
#include "models/multiplane/stereo_alignment.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/median.h"

namespace tessera::models {
namespace {

constexpr int kPatch = 5;          // pixels from a patch's middle to its sides
constexpr int kSearchWidth = 480;  // of the pictures that are matched
constexpr int kCellsAlong = 20;

// Grey, smaller by a whole number, 0..1.
core::ImageF shrunk_grey(const core::Image8& image, int times) {
  core::ImageF grey(image.width / times, image.height / times, 1);
  for (int y = 0; y < grey.height; ++y) {
    for (int x = 0; x < grey.width; ++x) {
      int sum = 0;
      for (int v = 0; v < times; ++v) {
        const uint8_t* pixel = &image.at(x * times, y * times + v);
        for (int i = 0; i < 3 * times; ++i) sum += pixel[i];
      }
      grey.at(x, y) = static_cast<float>(sum) / (255.0F * 3 * times * times);
    }
  }
  return grey;
}

// The lesser eigenvalue of the structure tensor of a patch: large at corners.
// Shi and Tomasi, "Good Features to Track", 1994.
float cornerness(const core::ImageF& grey, int x, int y) {
  float xx = 0;
  float xy = 0;
  float yy = 0;
  for (int v = y - 2; v <= y + 2; ++v) {
    for (int u = x - 2; u <= x + 2; ++u) {
      const float gx = grey.at(u + 1, v) - grey.at(u - 1, v);
      const float gy = grey.at(u, v + 1) - grey.at(u, v - 1);
      xx += gx * gx;
      xy += gx * gy;
      yy += gy * gy;
    }
  }
  return 0.5F * (xx + yy - std::sqrt((xx - yy) * (xx - yy) + 4 * xy * xy));
}

struct Place {
  int x = 0;
  int y = 0;
};

// The best corner of each cell, if it is one at all.
std::vector<Place> corners_of(const core::ImageF& grey, int margin_y) {
  constexpr float kLeastCornerness = 0.01F;
  const int cell = std::max(2 * kPatch, grey.width / kCellsAlong);
  const int left = kPatch + 1;
  const int top = std::max(kPatch + 1, margin_y + kPatch);
  std::vector<Place> corners;
  for (int y0 = top; y0 < grey.height - top; y0 += cell) {
    for (int x0 = left; x0 < grey.width - left; x0 += cell) {
      float most = kLeastCornerness;
      std::optional<Place> best;
      for (int y = y0; y < std::min(y0 + cell, grey.height - top); ++y) {
        for (int x = x0; x < std::min(x0 + cell, grey.width - left); ++x) {
          const float here = cornerness(grey, x, y);
          if (here <= most) continue;
          most = here;
          best = {x, y};
        }
      }
      if (best) corners.push_back(*best);
    }
  }
  return corners;
}

// Normalized cross-correlation of two patches, -1..1.
float correlation(const core::ImageF& a, Place at, const core::ImageF& b, Place to) {
  float sum_a = 0;
  float sum_b = 0;
  float aa = 0;
  float ab = 0;
  float bb = 0;
  for (int dy = -kPatch; dy <= kPatch; ++dy) {
    const float* row_a = &a.at(at.x - kPatch, at.y + dy);
    const float* row_b = &b.at(to.x - kPatch, to.y + dy);
    for (int i = 0; i <= 2 * kPatch; ++i) {
      sum_a += row_a[i];
      sum_b += row_b[i];
      aa += row_a[i] * row_a[i];
      ab += row_a[i] * row_b[i];
      bb += row_b[i] * row_b[i];
    }
  }
  constexpr float kCount = (2 * kPatch + 1) * (2 * kPatch + 1);
  const float variances = (aa - sum_a * sum_a / kCount) * (bb - sum_b * sum_b / kCount);
  return variances > 0 ? (ab - sum_a * sum_b / kCount) / std::sqrt(variances) : 0;
}

// Where a corner of `left` is in `right`, if only one place looks like it.
std::optional<Place> match(const core::ImageF& left, const core::ImageF& right, Place corner,
                           int reach_x, int reach_y) {
  float best = 0;
  Place found;
  std::vector<float> scores;
  const int x0 = std::max(kPatch, corner.x - reach_x);
  const int x1 = std::min(right.width - kPatch - 1, corner.x + reach_x);
  for (int y = corner.y - reach_y; y <= corner.y + reach_y; ++y) {
    for (int x = x0; x <= x1; ++x) {
      const float score = correlation(left, corner, right, {x, y});
      scores.push_back(score);
      if (score <= best) continue;
      best = score;
      found = {x, y};
    }
  }
  constexpr float kIsMatch = 0.8F;
  constexpr float kAmbiguous = 0.92F;  // of the best
  constexpr int kSamePlace = 3;
  if (best < kIsMatch) return std::nullopt;
  const int across = x1 - x0 + 1;
  for (size_t i = 0; i < scores.size(); ++i) {
    const int x = x0 + static_cast<int>(i) % across;
    const int y = corner.y - reach_y + static_cast<int>(i) / across;
    if (std::abs(x - found.x) <= kSamePlace && std::abs(y - found.y) <= kSamePlace) continue;
    if (scores[i] > kAmbiguous * best) return std::nullopt;
  }
  return found;
}

}  // namespace

StereoAlignment align_stereo(const core::Image8& left, const core::Image8& right,
                             int largest_disparity, core::ThreadPool& pool) {
  const int times = std::max(1, (left.width + kSearchWidth - 1) / kSearchWidth);
  StereoAlignment alignment;
  alignment.precision_px = times;
  if (left.width / times < 8 * kPatch || left.height / times < 8 * kPatch) return alignment;
  const core::ImageF a = shrunk_grey(left, times);
  const core::ImageF b = shrunk_grey(right, times);
  const int reach_x = largest_disparity / times + 2;
  const int reach_y = std::max(3, a.height / 40);
  const std::vector<Place> corners = corners_of(a, reach_y);
  std::vector<std::optional<Place>> found(corners.size());
  pool.parallel_for(static_cast<int64_t>(corners.size()), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) found[i] = match(a, b, corners[i], reach_x, reach_y);
  });

  std::vector<double> shifts;
  std::vector<double> verticals;
  int exchanged = 0;
  int off_row = 0;
  for (size_t i = 0; i < corners.size(); ++i) {
    if (!found[i]) continue;
    const int dx = found[i]->x - corners[i].x;
    const int dy = found[i]->y - corners[i].y;
    shifts.push_back(dx * times);
    verticals.push_back(dy * times);
    exchanged += dx > 0 ? 1 : 0;
    off_row += std::abs(dy) > 1 ? 1 : 0;
  }
  alignment.matches = static_cast<int>(shifts.size());
  if (alignment.matches == 0) return alignment;
  alignment.right_shift_px = core::median(shifts);
  alignment.vertical_px = core::median(verticals);
  alignment.exchanged_share = static_cast<double>(exchanged) / alignment.matches;
  alignment.off_row_share = static_cast<double>(off_row) / alignment.matches;
  return alignment;
}

}  // namespace tessera::models
