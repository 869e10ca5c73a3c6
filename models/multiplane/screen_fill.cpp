// SPDX-License-Identifier: MIT
#include "models/multiplane/screen_fill.h"

#include <algorithm>
#include <cmath>

#include "models/multiplane/pull_push.h"

namespace tessera::models {
namespace {

constexpr float kCovered = 0.5F;
// A pixel counts as near if its disparity is above the least of its block of pixels and those
// around it by more than this part of the picture's range.
constexpr int kBlock = 32;
constexpr float kNearPart = 0.1F;

struct Range {
  float least = INFINITY;
  float greatest = 0;

  void add(float value) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
};

// The least disparity of each block and its neighbors, and the picture's range.
core::ImageF least_around(const core::ImageF& alpha, const core::ImageF& disparity, Range& range) {
  core::ImageF blocks((alpha.width + kBlock - 1) / kBlock, (alpha.height + kBlock - 1) / kBlock, 1);
  blocks.data.fill(INFINITY);
  for (int y = 0; y < alpha.height; ++y) {
    for (int x = 0; x < alpha.width; ++x) {
      if (alpha.at(x, y) < kCovered) continue;
      const float value = disparity.at(x, y) / alpha.at(x, y);
      range.add(value);
      float& block = blocks.at(x / kBlock, y / kBlock);
      block = std::min(block, value);
    }
  }
  core::ImageF around = blocks;
  for (int y = 0; y < blocks.height; ++y) {
    for (int x = 0; x < blocks.width; ++x) {
      const core::PixelWindow near = core::widened({x, y, 1, 1}, 1, blocks.width, blocks.height);
      for (int v = near.top; v < near.bottom(); ++v) {
        for (int u = near.left; u < near.right(); ++u) {
          around.at(x, y) = std::min(around.at(x, y), blocks.at(u, v));
        }
      }
    }
  }
  return around;
}

}  // namespace

void fill_screen(core::ImageF& color, const core::ImageF& alpha, const core::ImageF& disparity,
                 core::ThreadPool& pool) {
  Range range;
  const core::ImageF least = least_around(alpha, disparity, range);
  const float step = kNearPart * (range.greatest - range.least);
  const auto is_source = [&](int x, int y) {
    const float a = alpha.at(x, y);
    return a >= kCovered && disparity.at(x, y) <= a * (least.at(x / kBlock, y / kBlock) + step);
  };
  // Pull-push from half the size on: at the full size a pixel is known or not.
  core::ImageF known((color.width + 1) / 2, (color.height + 1) / 2, 4);
  pool.parallel_for(known.height, 16, [&](int64_t begin, int64_t end, int) {
    for (int y = static_cast<int>(begin); y < end; ++y) {
      for (int x = 0; x < known.width; ++x) {
        float sum[4] = {};
        for (int v = 2 * y; v < std::min(2 * y + 2, color.height); ++v) {
          for (int u = 2 * x; u < std::min(2 * x + 2, color.width); ++u) {
            if (!is_source(u, v)) continue;
            for (int c = 0; c < 3; ++c) sum[c] += color.at(u, v, c) / alpha.at(u, v);
            sum[3] += 1;
          }
        }
        const float scale = sum[3] > 1 ? 1 / sum[3] : 1;
        for (int c = 0; c < 4; ++c) known.at(x, y, c) = scale * sum[c];
      }
    }
  });
  PullPush(pool).fill(known);
  pool.parallel_for(color.height, 16, [&](int64_t begin, int64_t end, int) {
    for (int y = static_cast<int>(begin); y < end; ++y) {
      for (int x = 0; x < color.width; ++x) {
        const float missing = 1 - alpha.at(x, y);
        // Partly covered pixels are the edges of what covers them.
        const float scale = alpha.at(x, y) >= kCovered ? missing / alpha.at(x, y) : 0;
        float filled[4] = {};
        if (alpha.at(x, y) < kCovered) {
          add_bilinear(known, 0.5F * (x + 0.5F), 0.5F * (y + 0.5F), 1, filled);
        }
        for (int c = 0; c < 3; ++c) {
          color.at(x, y, c) += scale > 0 ? scale * color.at(x, y, c) : missing * filled[c];
        }
      }
    }
  });
}

}  // namespace tessera::models
