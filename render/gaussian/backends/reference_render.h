// The definition of a rendered picture and of its gradients, in double, by brute force: every
// Gaussian against every pixel in the order of depth, no tiles, no cut-offs besides those of the
// definition (SplatLimits). Slow and plain on purpose; other backends are held against it.
//
// It takes parameters in double, so that differences through the whole renderer are exact enough.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "core/math/vec.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::render {

struct ReferenceScene {
  int64_t count = 0;
  int planes = 0;
  std::vector<double> parameters;  // [planes][count], in the order of core::GaussianCloud
  std::vector<uint64_t> ids;
  core::PosedCamera camera;
  RasterizeOptions options;  // but its background
  math::Vec3<double> background = {0, 0, 0};

  ReferenceScene(const core::GaussianCloud& cloud, const core::PosedCamera& posed,
                 const RasterizeOptions& rasterize_options);

  double value(int plane, int64_t i) const { return parameters[plane * count + i]; }
  int64_t pixel_count() const { return int64_t{camera.camera.width} * camera.camera.height; }
};

// Pictures as in RenderOutput.
struct ReferencePictures {
  std::vector<double> color, alpha, depth, depth_variance, median_depth, normal;
  std::vector<double> radii;  // per Gaussian
  int64_t visible = 0;        // Gaussians of which some pixel could show something
  // Of every decision made: which splats were blended where, in which order, and which alphas were
  // at their ceiling. Differences of two pictures mean something only if it is the same for both.
  uint64_t decisions = 0;
};

// dL/d of color, alpha and depth; an empty one counts as zero.
struct ReferencePictureGradients {
  std::vector<double> color, alpha, depth;
};

struct ReferenceGradients {
  std::vector<double> parameters;  // [planes][count]
  std::vector<math::Vec2<double>> mean2d, absolute_mean2d;
  math::Vec3<double> camera_rotation = {0, 0, 0};
  math::Vec3<double> camera_translation = {0, 0, 0};
  math::Vec3<double> background = {0, 0, 0};
};

ReferencePictures reference_render(const ReferenceScene& scene);
ReferenceGradients reference_render_vjp(const ReferenceScene& scene,
                                        const ReferencePictureGradients& gradients);

}  // namespace tessera::render
