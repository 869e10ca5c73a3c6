// Several photos held against one another on planes before a reference camera: where they agree
// there is a surface.
//
// Collins, "A Space-Sweep Approach to True Multi-Image Matching", 1996.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/camera.h"
#include "core/image.h"
#include "core/multiplane_image.h"
#include "core/pixel_window.h"
#include "core/thread_pool.h"
#include "models/multiplane/posed_photo.h"

namespace tessera::models {

// What the photos show of one plane, for each pixel of a window of the reference picture.
struct SweptPlane {
  core::ImageF color;      // [height][width][3]: the mean over the photos that see it, sRGB 0..1
  core::ImageF deviation;  // [height][width][1]: their standard deviation over photos, the root
                           // mean square of the channels; infinite where fewer than two see it
};

SweptPlane sweep_plane(std::span<const PosedPhoto> photos, const core::PosedCamera& reference,
                       const core::PixelWindow& window, double inverse_depth,
                       core::ThreadPool& pool);

// Inverse depths that hold what the photos show, nearest first: those at which pixels of the
// reference picture agree best, clearly, but for the outermost thousandths, with some room on both
// sides. Throws core::Error if photos stand in one place or agree nowhere.
struct InverseDepthRange {
  double nearest = 0;
  double farthest = 0;
};
InverseDepthRange swept_range(std::span<const PosedPhoto> photos,
                              const core::PosedCamera& reference, core::ThreadPool& pool);

// Planes that face the reference, `count` at equal steps of inverse depth, farthest first, each on
// a page of its own.
std::vector<core::MultiplaneLayer> planes_between(const InverseDepthRange& range, int count,
                                                  const core::PixelWindow& window);

// A multiplane image of planes_between() to start from, more opaque where photos agree better there
// than on the other planes. What a part of the window becomes is what it is in the whole but for
// kSweptMargin pixels at borders.
inline constexpr int kSweptMargin = 2;
core::MultiplaneImageF swept_multiplane(std::span<const PosedPhoto> photos,
                                        const core::PosedCamera& reference,
                                        const core::PixelWindow& window,
                                        const InverseDepthRange& range, int count,
                                        core::ThreadPool& pool);

}  // namespace tessera::models
