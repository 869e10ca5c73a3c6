// From a photo with depth to a multiplane image.
//
// A planner cuts the picture into tiles that overlap, gives each tile planes and each pixel one of
// them (planner.h); what follows is common: the colors that a layer has behind nearer ones
// (hidden_colors.h) and the packing of texels into pages (pages.h). Seen from the reference camera
// the result is the photo.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/camera.h"
#include "core/image.h"
#include "core/multiplane_image.h"
#include "core/thread_pool.h"

namespace tessera::models {

struct DepthPhoto {
  core::Image8 photo;          // RGB
  core::ImageF inverse_depth;  // [height][width][1], 1 / units; 0, negative, NaN: unknown
  core::ImageF weight;         // of that shape, how far a depth is to be trusted; empty: alike
  core::PosedCamera camera;    // a pinhole
  bool metric = false;         // whether a unit is a meter
};

// How far a stage is: `done` of `total` tiles or depths ("unit").
struct PlanProgress {
  std::string_view stage;  // "planes", "hidden colors"
  std::string_view unit;
  int64_t done = 0;
  int64_t total = 0;
};

struct PlanSettings {
  std::string planner = "adaptive";
  int planes = 0;       // of the planner; per tile where it has tiles; 0: as many as is usual there
  double baseline = 0;  // how far views will stand from the photo's, in units; 0: so far that the
                        // nearest moves against the farthest by usual_shift_px()
  double largest_error_px = 0.3;  // `adaptive`: RMS a tile may be off in a view at `baseline`
  int64_t most_texel_bytes = INT64_MAX;               // of all pages
  std::function<void(const PlanProgress&)> progress;  // if any: called in the caller's thread
};

// Throws core::Error if sizes differ or the camera is no pinhole of the photo's size.
void check_depth_photo(const DepthPhoto& photo);

// How far the nearest moves against the farthest where nobody says, in pixels.
double usual_shift_px(const core::Camera& camera);

// The distance between the reference and its views for which `settings` asks. Nearest and farthest
// are those of all known pixels but the last two of a thousand on either side.
double planned_baseline(const DepthPhoto& photo, const PlanSettings& settings);

// The same for any number of threads. Throws core::Error if sizes differ, no depth is known, the
// camera is no pinhole, there is no planner of that name, or pages would take more than the most.
core::MultiplaneImage build_multiplane(const DepthPhoto& photo, const PlanSettings& settings,
                                       core::ThreadPool& pool);

}  // namespace tessera::models
