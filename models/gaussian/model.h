// Where training starts: a cloud of Gaussians made from points, from a scene or at random.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/camera.h"
#include "core/capture.h"
#include "core/gaussian_cloud.h"
#include "core/math/vec.h"
#include "core/thread_pool.h"
#include "models/gaussian/settings.h"
#include "models/gaussian/state.h"

namespace tessera::models {

// The cameras' mean position.
math::Vec3<double> cameras_center(std::span<const core::PosedCamera> cameras);

// 1.1 times the largest distance of a camera from the cameras' mean position; 1 if all stand in one
// place.
double scene_extent(std::span<const core::PosedCamera> cameras);

// How many Gaussians a run may grow to if settings.max_gaussians is 0: for default one per
// kPixelsPerGaussian pixels of all training photos together, since more than that explain noise
// and cost time; in large captures, whose photos show the same things again, and in runs too short
// to train them, kGaussiansPerRootPixel sqrt(pixels) n / 30,000 or kGaussiansOfShortRuns, the
// larger, if that is less; but not less than it starts with. For mcmc 1,000,000.
inline constexpr int64_t kPixelsPerGaussian = 100;
inline constexpr double kGaussiansPerRootPixel = 30;
inline constexpr int64_t kGaussiansOfShortRuns = 40000;
int64_t gaussian_budget(const TrainSettings& settings, std::span<const core::PosedCamera> cameras,
                        int64_t start_size);

// The `spread` of random points: they fill a volume and lie behind one another everywhere, where
// points of a reconstruction lie on surfaces; half the size costs a quarter of the time to draw.
inline constexpr float kRandomPointSpread = 0.5F;

// One Gaussian per point: scale sqrt(mean squared distance to the 3 nearest others), identity
// rotation, color at SH degree 0, opacity 0.1; for mcmc opacity 0.5 and scale x 0.1.
// `spread` multiplies the scale. Points that are not finite are left out. Throws core::Error if
// none remains. Of the Gaussians only `share` is made, with the ids that they have among all.
core::GaussianCloud cloud_from_points(std::span<const core::ColoredPoint> points,
                                      const TrainSettings& settings, core::ThreadPool& pool,
                                      Share share = {}, float spread = 1.0F);

// Makes Gaussians of at most this scale, one number each.
void limit_scales(core::GaussianCloud& cloud, std::span<const float> largest);

// The Gaussians `places` of a scene that was read, made ready to be trained on: SH degree as set.
core::GaussianCloud cloud_from_scene(const core::GaussianCloud& scene,
                                     std::span<const int64_t> places,
                                     const TrainSettings& settings);

// The highest SH degree of which any coefficient is not zero.
int used_sh_degree(const core::GaussianCloud& cloud);

}  // namespace tessera::models
