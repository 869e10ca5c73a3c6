// SPDX-License-Identifier: MIT
#include "models/multiplane/disparity_islands.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::models {
namespace {

class Islands {
 public:
  Islands(core::ImageF& disparity, const IslandLimits& limits)
      : disparity_(disparity), limits_(limits), piece_of_(disparity.pixel_count(), 0) {}

  void clear() {
    std::vector<int64_t> cleared;
    for (int64_t start = 0; start < disparity_.pixel_count(); ++start) {
      if (piece_of_[start] != 0 || disparity_.data[start] == 0) continue;
      find_piece(start);
      if (static_cast<int64_t>(piece_.size()) > limits_.pixels || !stands_out()) continue;
      cleared.insert(cleared.end(), piece_.begin(), piece_.end());
    }
    for (const int64_t pixel : cleared) disparity_.data[pixel] = 0;
  }

 private:
  void find_piece(int64_t start) {
    const int width = disparity_.width;
    ++number_;
    piece_.assign(1, start);
    piece_of_[start] = number_;
    for (size_t next = 0; next < piece_.size(); ++next) {
      const int64_t at = piece_[next];
      const auto join = [&](int64_t neighbor) {
        const float value = disparity_.data[neighbor];
        if (piece_of_[neighbor] != 0 || value == 0) return;
        if (std::fabs(value - disparity_.data[at]) > limits_.step) return;
        piece_of_[neighbor] = number_;
        piece_.push_back(neighbor);
      };
      if (at % width > 0) join(at - 1);
      if (at % width + 1 < width) join(at + 1);
      if (at >= width) join(at - width);
      if (at + width < disparity_.pixel_count()) join(at + width);
    }
  }

  // The next known disparity of another piece along the row; 0 if there is none.
  float beside(int64_t pixel, int step) const {
    const int width = disparity_.width;
    int x = static_cast<int>(pixel % width);
    for (int64_t at = pixel; x >= 0 && x < width; x += step, at += step) {
      if (piece_of_[at] != number_ && disparity_.data[at] > 0) return disparity_.data[at];
    }
    return 0;
  }

  // In most of the places where it begins and ends along rows.
  bool stands_out() const {
    int64_t ends = 0;
    int64_t before = 0;
    for (const int64_t pixel : piece_) {
      for (const int step : {-1, 1}) {
        const bool at_border =
            step < 0 ? pixel % disparity_.width == 0 : (pixel + 1) % disparity_.width == 0;
        if (!at_border && piece_of_[pixel + step] == number_) continue;
        ++ends;
        const float other = std::max(beside(pixel, -1), beside(pixel, 1));
        if (disparity_.data[pixel] > other + limits_.standing_out) ++before;
      }
    }
    return 2 * before > ends;
  }

  core::ImageF& disparity_;
  const IslandLimits& limits_;
  std::vector<int32_t> piece_of_;
  std::vector<int64_t> piece_;  // the last one's pixels
  int32_t number_ = 0;
};

}  // namespace

void clear_islands(core::ImageF& disparity, const IslandLimits& limits) {
  Islands(disparity, limits).clear();
}

}  // namespace tessera::models
