// Which plane of its tile each pixel is on, frame by frame, where depth moves.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/image.h"
#include "core/thread_pool.h"
#include "models/multiplane/depth_clip.h"
#include "models/multiplane/planner.h"

namespace tessera::models {

// Frames of a tile; one only where depth stays.
struct TileFrames {
  std::vector<core::Image8> labels;  // of the tile's window
  // The same shape: 1 where a surface that moved is so near in the picture that colors are mixed.
  std::vector<core::Image8> mixed;  // none where depth stays
};

// Tiles in which depth moves get planes for what comes nearer or goes farther than it is at rest.
// A pixel leaves the plane that it is on at rest where its disparity moves by more than kNearerBy.
// `frames` are those of the clip that are wanted.
std::vector<TileFrames> follow_depth(const DepthClip& clip, const std::vector<int>& frames,
                                     const PlanSettings& settings, std::vector<PlannedTile>& tiles,
                                     core::ThreadPool& pool);

}  // namespace tessera::models
