// What is learned for each photo besides the scene: an affine map of its color (exposure) and a
// rigid motion of its camera (pose refinement).
//
// Exposure: as in Kerbl et al., "A Hierarchical 3D Gaussian Representation", 2024: the render is
// mapped before it is compared. The mean of all maps is none at all. Poses turn about the camera's
// center, so that a turn and a shift are told apart. Both learn by Adam, a photo only in the steps
// that show it.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/camera.h"
#include "core/image.h"
#include "core/thread_pool.h"
#include "models/gaussian/schedule.h"
#include "models/gaussian/settings.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::models {

class CameraCorrections {
 public:
  CameraCorrections(const TrainSettings& settings, double extent, int photos,
                    core::ThreadPool& pool);

  bool exposes() const { return settings_.exposure; }
  bool moves() const { return settings_.pose_opt; }

  core::PosedCamera corrected(int photo, core::PosedCamera camera) const;

  // `exposed` becomes the photo's map of `render`, both [H][W][3].
  void expose(int photo, const core::ImageF& render, core::ImageF& exposed) const;
  // Turns the gradient of `exposed` into that of `render`, and adds the map's own to the step's.
  void expose_backward(int photo, const core::ImageF& render, core::ImageF& gradient);
  // Adds the gradient of the camera as the rasterizer gave it (it was zero before).
  void move_backward(int photo, const core::PosedCamera& camera,
                     const render::RasterizeGradient& gradient);

  // The gradients of these photos, which all ranks show in this step, one after another; and those
  // of all ranks together in their place.
  std::vector<double> gradients(std::span<const int> photos) const;
  void set_gradients(std::span<const int> photos, std::span<const double> sums);

  // Forgets the gradients of a step that was broken off.
  void clear_gradients();
  // Steps the photos that were shown; `seen`: photos seen before the step.
  void step(int64_t seen);

  // All that is learned, with its moments, for a checkpoint; empty if nothing is. Restoring throws
  // core::Error if the number of photos or what is learned differs.
  std::vector<double> state() const;
  void restore(const std::vector<double>& state);

 private:
  static constexpr int kExposureSize = 12;  // rows of [A | b]
  static constexpr std::array<double, kExposureSize> kNoExposure = {1, 0, 0, 0, 0, 1,
                                                                    0, 0, 0, 0, 1, 0};
  static constexpr int kPoseSize = 12;    // rows of [R | t]: a motion after cam_from_world
  static constexpr int kPoseFreedom = 6;  // turn, then shift, in camera axes

  struct Photo {
    std::array<double, kExposureSize> exposure;
    std::array<double, 2 * kExposureSize> exposure_moments = {};
    std::array<double, kPoseSize> motion;
    std::array<double, 2 * kPoseFreedom> motion_moments = {};
    double steps = 0;
  };
  struct Gradient {
    bool shown = false;
    std::array<double, kExposureSize> exposure = {};
    std::array<double, kPoseFreedom> motion = {};
  };

  void center_exposures();
  void step_photo(Photo& photo, const Gradient& gradient, int64_t seen) const;

  const TrainSettings settings_;
  const double extent_;
  core::ThreadPool& pool_;
  std::vector<Photo> photos_;
  std::vector<Gradient> gradients_;
  core::Array<double> row_sums_;
};

}  // namespace tessera::models
