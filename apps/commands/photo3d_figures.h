// How near views of a multiplane image are to photos: those that it was made of, and those that
// are only held against it.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "apps/commands/multiplane_view.h"
#include "apps/commands/photo3d_input.h"
#include "apps/commands/report.h"
#include "core/log.h"
#include "core/metrics.h"
#include "core/multiplane_video.h"
#include "core/thread_pool.h"
#include "models/multiplane/clip_loop.h"
#include "models/multiplane/depth_clip.h"

namespace tessera::apps {

// A view that there is a photo of.
struct MeasuredView {
  std::string name;
  core::ImageMetrics metrics;
  double inner_psnr = 0;  // of the middle 80 % of width and height
  ReportView shown;
};

// "PSNR 31.31 dB (33.96 in the inner 80 %), SSIM 0.9100".
std::string figures_text(const MeasuredView& view);

// The photo itself where it has all of the depth; and those that were not used. What `painter`
// painted last is the reference's view, and is taken.
std::vector<MeasuredView> measured_views(const Photo3dInput& input, MultiplanePainter& painter,
                                         core::ThreadPool& pool);

// The first, the middle and the last frame of the loop that is not mixed of two. `video`, which
// `painter` paints, shows its first frame at the end.
std::vector<MeasuredView> measured_frames(const models::DepthClip& clip,
                                          const models::ClipLoop& loop,
                                          core::MultiplaneVideo& video, MultiplanePainter& painter,
                                          core::ThreadPool& pool);

// Of the photos that an image was fitted to.
struct FitFigures {
  double mean_psnr = 0;
  double worst_psnr = 0;
  std::string worst;  // the photo's name
};

// Says them in `log`, and that the fit failed where it did. Photos of which nothing counts are
// left out.
FitFigures measured_fit(const Photo3dInput& input, MultiplanePainter& painter,
                        core::ThreadPool& pool, core::Log& log);

}  // namespace tessera::apps
