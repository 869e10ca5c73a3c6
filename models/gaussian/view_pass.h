// A pass over the views of a step: from Gaussians and photos to the loss and its gradient.
//
// The trainer does the rest of a step (schedule, optimizer, densification) whatever the pass: the
// single one draws every view from Gaussians that are all here, the sharded one
// (sharded/sharded_pass.h) from Gaussians that many ranks own.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "core/math/vec.h"
#include "core/photo_source.h"
#include "core/thread_pool.h"
#include "models/gaussian/camera_corrections.h"
#include "models/gaussian/densify/densify.h"
#include "models/gaussian/settings.h"
#include "models/gaussian/stage_clock.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::models {

struct StepView {
  int index = 0;         // among the views trained on
  int view = 0;          // in the photo source
  int64_t position = 0;  // in the run: photos seen before it
  math::Vec3<float> background = {0, 0, 0};
};

// What passes work with; all of it outlives them.
struct PassContext {
  const TrainSettings& settings;
  core::PhotoSource& photos;
  CameraCorrections& corrections;
  core::ThreadPool& pool;
  StageClock& clock;
};

// Splats that windows of pictures got since the start, each counted once per window, and those
// among them that came from another rank.
struct SplatCounts {
  int64_t routed = 0;
  int64_t moved = 0;
  int64_t evaluated = 0;  // pairs of pixel and splat that this rank's windows blended
};

class ViewPass {
 public:
  virtual ~ViewPass() = default;

  virtual SplatCounts splat_counts() const = 0;

  // A hint that the step after some others will show these.
  virtual void prefetch(std::span<const StepView> step) = 0;

  // The loss of each view in order; the gradients of all together are added to `gradient`, those of
  // the corrections to the corrections. `seen` is told of each view, in order, once its gradient is
  // known. `options`: background, depth and normals are the pass's own affair. A loss that is not
  // finite ends the pass: it is the last one given and no gradient means anything.
  virtual std::vector<double> run(const core::GaussianCloud& cloud, std::span<const StepView> step,
                                  render::RasterizeOptions options,
                                  render::RasterizeGradient& gradient,
                                  const std::function<void(const ViewStatistics&)>& seen) = 0;
};

std::unique_ptr<ViewPass> make_single_pass(const PassContext& context);

// Throws core::Error if the photo does not have the camera's size.
void check_photo_size(const core::Photo& photo, const core::Camera& camera,
                      const std::string& name);

}  // namespace tessera::models
