// A short clip of a camera that stands still, with depth, and what is still in it.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/camera.h"
#include "core/image.h"
#include "core/thread_pool.h"
#include "models/multiplane/plan.h"

namespace tessera::models {

struct DepthClip {
  std::vector<core::Image8> frames;         // RGB, at least two, of one size
  std::vector<core::ImageF> inverse_depth;  // as of DepthPhoto: one for all frames, or one each
  core::PosedCamera camera;                 // a pinhole
  bool metric = false;
  double frames_per_second = 25;
};

// Pixels' colors over time.
struct ClipStatistics {
  core::Image8 median;    // RGB: what is still, without its noise
  core::Image8 moves;     // [height][width][1]: 1 where color changes by more than noise
  float noise = 0;        // standard deviation of a channel of what is still, 0..255
  float least_moved = 0;  // standard deviation over time from which on a pixel moves
  double moving_share = 0;
};

// Noise is that of the quarter of the picture that changes least. Throws core::Error unless there
// are two frames or more, all RGB and of one size.
ClipStatistics clip_statistics(std::span<const core::Image8> frames, core::ThreadPool& pool);

// The root mean square over channels of the standard deviation of colors, given as `count` of RGB.
float deviation_of(const uint8_t* colors, int count);
// The median of each channel. Reorders the colors.
void median_of(uint8_t* colors, int count, uint8_t* rgb);

// The median frame with the median of depths over time where they are known.
DepthPhoto still_photo(const DepthClip& clip, const ClipStatistics& statistics,
                       core::ThreadPool& pool);

// Inverse depths over time, each the median of three frames one after another, so that a map that
// is wrong for a frame does not count; 0 where none is known.
struct DepthExtremes {
  core::ImageF least;
  core::ImageF greatest;
};
DepthExtremes depth_extremes(const DepthClip& clip, core::ThreadPool& pool);

}  // namespace tessera::models
