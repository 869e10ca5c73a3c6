// What is likely to be astray in a scene: rules that give each Gaussian a number, and a threshold
// beyond which it may go.
//
// A command removes by them, a window shows their histograms; both read the table. Values are the
// same for any number of threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/array.h"
#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "core/thread_pool.h"

namespace tessera::render {

enum class CleanSide { kBelow, kAbove };

struct CleanRule {
  std::string_view name;   // as typed
  std::string_view title;  // as shown
  std::string_view what;  // of those that go: "longest axis above this share of the scene's extent"
  CleanSide side;         // of the threshold on which they are
  double threshold;       // removes floaters and keeps the scene
  bool needs_cameras;
  // One for each Gaussian; NaN where a Gaussian that is not finite has none.
  core::Array<float> (*values)(const core::GaussianCloud& cloud,
                               std::span<const core::PosedCamera> cameras, core::ThreadPool& pool);

  // NaN is on no side.
  bool removes(float value, double at) const {
    return side == CleanSide::kBelow ? value < at : value > at;
  }
};

std::span<const CleanRule> clean_rules();

// Half the diagonal of the box that holds the means, without the outer 2 % on each side of each
// axis; 0 without Gaussians.
double extent(const core::GaussianCloud& cloud);

}  // namespace tessera::render
