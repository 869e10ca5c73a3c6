// How a stereo pair stands to one another, by matching corners: whether it is rectified, and
// whether left and right are exchanged.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/image.h"
#include "core/thread_pool.h"

namespace tessera::models {

struct StereoAlignment {
  int matches = 0;             // of distinct corners; figures below mean nothing for a few
  double right_shift_px = 0;   // median of x in the right picture less x in the left one
  double exchanged_share = 0;  // of matches that move right instead of left
  double vertical_px = 0;      // median of y in the right picture less y in the left one
  double off_row_share = 0;    // of matches that lie more than precision_px off their row
  double precision_px = 1;     // corners are matched in pictures that are smaller by this

  bool is_known() const { return matches >= 16; }
  bool is_exchanged() const { return is_known() && exchanged_share > 0.7; }
  bool is_rectified() const { return !is_known() || off_row_share < 0.3; }
};

// `left` and `right` are RGB, of one size; corners are looked for up to `largest_disparity` pixels
// to both sides and 2.5 % of the height above and below.
StereoAlignment align_stereo(const core::Image8& left, const core::Image8& right,
                             int largest_disparity, core::ThreadPool& pool);

}  // namespace tessera::models
