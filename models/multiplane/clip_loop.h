// How a clip becomes a loop: the piece of it whose end is most like its beginning, with a
// cross-fade there.
//
//   crossfade  frames behind the loop's end fade into those at its beginning
//   none       the whole clip, which jumps from its last frame to its first
//
// As in Schoedl et al., "Video Textures", 2000: the frame after the end of a good loop is like the
// one at its beginning, and so are those that follow the two.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/image.h"
#include "core/thread_pool.h"

namespace tessera::models {

struct LoopSettings {
  std::string name = "crossfade";  // a row's
  int least_frames = 0;            // 0: half of the clip's
};

// A mixture of two frames of the clip.
struct LoopFrame {
  int first = 0;
  int second = 0;
  float second_weight = 0;
};

struct ClipLoop {
  std::vector<LoopFrame> frames;
  int start = 0;  // frame of the clip
  int faded = 0;  // frames that are mixed, from the first on
  // PSNR of what moves between frames that follow one another; infinite where nothing moves.
  double usual_db = 0;   // the median in the clip
  double clip_db = 0;    // from the clip's last frame to its first
  double closed_db = 0;  // the worst where the loop closes and fades
};

struct LoopingEntry {
  std::string_view name;
  // `differences`, [frames][frames]: mean square difference of what moves.
  ClipLoop (*find)(const core::ImageF& differences, const LoopSettings& settings);
};

std::span<const LoopingEntry> loopings();
const LoopingEntry& find_looping(std::string_view name);  // throws UsageError naming all

// `moves` as of ClipStatistics. A clip that is a loop as it is stays so.
ClipLoop find_loop(std::span<const core::Image8> frames, const core::Image8& moves,
                   const LoopSettings& settings, core::ThreadPool& pool);

}  // namespace tessera::models
