// What a training step sends between ranks, from counts of its splats: the formula of messages.
//
// It is exact: tests hold it to the counters of real runs, byte by byte.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/pixel_window.h"
#include "models/gaussian/sharded/message_coding.h"
#include "models/gaussian/sharded/round.h"

namespace tessera::models {

// What one rank has for one window.
struct SplatCount {
  int64_t splats = 0;
  int64_t outside = 0;  // see MessageCoding::count_outside
};

struct WindowCounts {
  DrawnWindow drawn;
  std::vector<SplatCount> splats;  // by the rank that owns them
  int64_t tile_pairs = 0;          // of splats and the tiles that their boxes touch
  int64_t evaluated_pairs = 0;     // of splats and pixels, see RasterizeCounts
};

struct StepCounts {
  Partition partition = Partition::kWholeViews;
  std::vector<core::PixelWindow> pictures;        // of the views
  std::vector<size_t> cost_numbers;               // that ranks add up together, to cut the views
  std::vector<std::vector<WindowCounts>> rounds;  // [round][window], as a Round
  std::vector<int64_t> owned;                     // Gaussians, by rank
  std::vector<int64_t> visible;                   // of these, summed over the views

  int ranks() const { return static_cast<int>(owned.size()); }
};

struct TagTraffic {
  std::string_view tag;
  std::vector<int64_t> bytes, messages;  // sent, by rank
};

// All that the pass over a step's views sends but for corrections of cameras, by the tags of the
// communicator's counters.
std::vector<TagTraffic> step_traffic(const StepCounts& step, const MessageCoding& coding);

// The same of the scheme with random owners and strips of tile rows: all splats at once, 44 bytes
// each and 36 for the gradient, and a count for each view and pair of ranks.
std::vector<TagTraffic> row_traffic(const StepCounts& step);

}  // namespace tessera::models
