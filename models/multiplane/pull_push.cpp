// SPDX-License-Identifier: MIT
#include "models/multiplane/pull_push.h"

#include <algorithm>

namespace tessera::models {
namespace {

constexpr int64_t kRowsAtOnce = 16;

// A coarse pixel is the sum of its up to four fine ones, scaled to a weight of at most 1.
void pull(const core::ImageF& fine, core::ImageF& coarse, core::ThreadPool& pool) {
  coarse.resize((fine.width + 1) / 2, (fine.height + 1) / 2, 4);
  pool.parallel_for(coarse.height, kRowsAtOnce, [&](int64_t begin, int64_t end, int) {
    for (int y = static_cast<int>(begin); y < end; ++y) {
      const int rows = std::min(2, fine.height - 2 * y);
      for (int x = 0; x < coarse.width; ++x) {
        const int columns = std::min(2, fine.width - 2 * x);
        float sum[4] = {};
        for (int v = 0; v < rows; ++v) {
          const float* from = &fine.at(2 * x, 2 * y + v);
          for (int u = 0; u < columns; ++u) {
            for (int c = 0; c < 4; ++c) sum[c] += from[4 * u + c];
          }
        }
        const float scale = sum[3] > 1 ? 1 / sum[3] : 1;
        for (int c = 0; c < 4; ++c) coarse.at(x, y, c) = scale * sum[c];
      }
    }
  });
}

void push(const core::ImageF& coarse, core::ImageF& fine, core::ThreadPool& pool) {
  pool.parallel_for(fine.height, kRowsAtOnce, [&](int64_t begin, int64_t end, int) {
    for (int y = static_cast<int>(begin); y < end; ++y) {
      for (int x = 0; x < fine.width; ++x) {
        float* pixel = &fine.at(x, y);
        if (pixel[3] >= 1) continue;
        add_bilinear(coarse, 0.5F * (x + 0.5F), 0.5F * (y + 0.5F), 1 - pixel[3], pixel);
      }
    }
  });
}

}  // namespace

void PullPush::fill(core::ImageF& picture) {
  size_t count = 1;
  for (int side = std::max(picture.width, picture.height); side > 1; side = (side + 1) / 2) ++count;
  if (levels_.size() < count) levels_.resize(count);
  std::swap(levels_[0], picture);
  for (size_t level = 1; level < count; ++level) pull(levels_[level - 1], levels_[level], pool_);
  float* top = levels_[count - 1].data.data();
  if (top[3] > 0) {
    for (int c = 0; c < 3; ++c) top[c] /= top[3];
    top[3] = 1;
  }
  for (size_t level = count - 1; level > 0; --level)
    push(levels_[level], levels_[level - 1], pool_);
  std::swap(levels_[0], picture);
}

}  // namespace tessera::models
