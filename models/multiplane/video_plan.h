// From a clip of a camera that stands still, with depth, to a multiplane image that plays.
//
// Tiles and planes are planned once, from what is still. A layer moves where its texels change in
// color by more than noise, or where depth moves and so its alpha; the others keep the median over
// time of what is seen of them, which has less noise and, where something passes before them, the
// colors that it hides. Tiles that move and tiles that stay are those of Ma et al., "3D Video Loops
// from Asynchronous Input", 2023, without its optimization.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/multiplane_video.h"
#include "core/thread_pool.h"
#include "models/multiplane/clip_loop.h"
#include "models/multiplane/depth_clip.h"

namespace tessera::models {

struct BuiltVideo {
  core::MultiplaneVideo video;  // shows its first frame
  int moving_layers = 0;
  int64_t moving_texels = 0;  // of a frame, without gutters
};

// `loop` is that of the clip's frames, `settings` are as of build_multiplane(). The same for any
// number of threads. Throws core::Error as build_multiplane does, if the clip has depths for
// another number of frames, and if what moves takes more than core::kMostVideoTexels.
BuiltVideo build_multiplane_video(const DepthClip& clip, const ClipStatistics& statistics,
                                  const ClipLoop& loop, const PlanSettings& settings,
                                  core::ThreadPool& pool);

}  // namespace tessera::models
