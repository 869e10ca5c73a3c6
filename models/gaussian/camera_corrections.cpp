// SPDX-License-Identifier: MIT
#include "models/gaussian/camera_corrections.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/error.h"

namespace tessera::models {
namespace {

using Mat3d = math::Mat3<double>;
using Vec3d = math::Vec3<double>;

constexpr int64_t kRowGrain = 16;
// A photo is shown once an epoch whatever the batch, so its rates do not follow the batch's.
constexpr AdamConstants kAdam;
// Rates fall exponentially over the run: exposures as in the original, poses in radians and, for
// shifts, in extents.
constexpr double kExposureRate = 0.01, kExposureRateFinal = 0.001;
constexpr double kPoseRate = 5e-5, kPoseRateFinal = 5e-7;

double decayed(double first, double last, double share) {
  return first * std::pow(last / first, share);
}

// exp([omega]x), by Rodrigues' formula.
Mat3d rotation_by(Vec3d omega) {
  const double angle = std::sqrt(dot(omega, omega));
  const double a = angle > 1e-8 ? std::sin(angle) / angle : 1.0;
  const double b = angle > 1e-8 ? (1 - std::cos(angle)) / (angle * angle) : 0.5;
  const Mat3d k = {{{0, -omega.z, omega.y}, {omega.z, 0, -omega.x}, {-omega.y, omega.x, 0}}};
  const Mat3d kk = k * k;
  Mat3d result = Mat3d::identity();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result.m[i][j] += a * k.m[i][j] + b * kk.m[i][j];
  }
  return result;
}

// Adam's change of each value, to be subtracted.
template <size_t kCount>
std::array<double, kCount> adam_change(const AdamConstants& constants, double steps, double rate,
                                       const std::array<double, kCount>& gradient,
                                       std::array<double, 2 * kCount>& moments) {
  const double correction1 = 1 - std::pow(constants.beta1, steps);
  const double correction2 = 1 - std::pow(constants.beta2, steps);
  std::array<double, kCount> change;
  for (size_t k = 0; k < kCount; ++k) {
    double& first = moments[k];
    double& second = moments[kCount + k];
    first = constants.beta1 * first + (1 - constants.beta1) * gradient[k];
    second = constants.beta2 * second + (1 - constants.beta2) * gradient[k] * gradient[k];
    change[k] =
        rate * (first / correction1) / (std::sqrt(second / correction2) + constants.epsilon);
  }
  return change;
}

}  // namespace

CameraCorrections::CameraCorrections(const TrainSettings& settings, double extent, int photos,
                                     core::ThreadPool& pool)
    : settings_(settings), extent_(extent), pool_(pool) {
  if (!exposes() && !moves()) return;
  Photo unchanged;
  unchanged.exposure = kNoExposure;
  unchanged.motion = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  photos_.assign(photos, unchanged);
  gradients_.resize(photos);
}

core::PosedCamera CameraCorrections::corrected(int photo, core::PosedCamera camera) const {
  if (!moves()) return camera;
  const auto& m = photos_[photo].motion;
  const Mat3d turn = {{{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}}};
  core::Rigid& pose = camera.cam_from_world;
  pose.rotation = turn * pose.rotation;
  pose.translation = turn * pose.translation + Vec3d{m[3], m[7], m[11]};
  return camera;
}

void CameraCorrections::expose(int photo, const core::ImageF& render, core::ImageF& exposed) const {
  exposed.width = render.width;
  exposed.height = render.height;
  exposed.channels = 3;
  exposed.data.resize(render.data.size());
  std::array<float, kExposureSize> map;
  std::copy_n(photos_[photo].exposure.begin(), kExposureSize, map.begin());
  pool_.parallel_for(render.height, kRowGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
    const float* from = render.row(static_cast<int>(begin));
    float* to = exposed.row(static_cast<int>(begin));
    for (int64_t i = 0; i < (end - begin) * render.width; ++i, from += 3, to += 3) {
      for (int c = 0; c < 3; ++c) {
        const float* row = &map[4 * c];
        to[c] = row[0] * from[0] + row[1] * from[1] + row[2] * from[2] + row[3];
      }
    }
  });
}

void CameraCorrections::expose_backward(int photo, const core::ImageF& render,
                                        core::ImageF& gradient) {
  std::array<float, kExposureSize> map;
  std::copy_n(photos_[photo].exposure.begin(), kExposureSize, map.begin());
  row_sums_.resize(int64_t{render.height} * kExposureSize);
  pool_.parallel_for(render.height, kRowGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t y = begin; y < end; ++y) {
      const float* color = render.row(static_cast<int>(y));
      float* g = gradient.row(static_cast<int>(y));
      double* sums = row_sums_.data() + y * kExposureSize;
      std::fill_n(sums, kExposureSize, 0.0);
      for (int x = 0; x < render.width; ++x, color += 3, g += 3) {
        const float of_exposed[3] = {g[0], g[1], g[2]};
        for (int c = 0; c < 3; ++c) {
          for (int k = 0; k < 3; ++k) sums[4 * c + k] += double{of_exposed[c]} * color[k];
          sums[4 * c + 3] += of_exposed[c];
        }
        for (int k = 0; k < 3; ++k) {
          g[k] = map[k] * of_exposed[0] + map[4 + k] * of_exposed[1] + map[8 + k] * of_exposed[2];
        }
      }
    }
  });
  Gradient& total = gradients_[photo];
  total.shown = true;
  for (int y = 0; y < render.height; ++y) {
    for (int k = 0; k < kExposureSize; ++k) {
      total.exposure[k] += row_sums_[int64_t{y} * kExposureSize + k];
    }
  }
}

// The rasterizer turns about the world's origin as the camera sees it (the translation stays); here
// the translation turns too, which adds t x dL/dt to the turn's gradient.
void CameraCorrections::move_backward(int photo, const core::PosedCamera& camera,
                                      const render::RasterizeGradient& gradient) {
  const Vec3d shift = gradient.camera_translation;
  const Vec3d turn = gradient.camera_rotation + cross(camera.cam_from_world.translation, shift);
  const double values[kPoseFreedom] = {turn.x, turn.y, turn.z, shift.x, shift.y, shift.z};
  Gradient& total = gradients_[photo];
  total.shown = true;
  for (int k = 0; k < kPoseFreedom; ++k) total.motion[k] += values[k];
}

std::vector<double> CameraCorrections::gradients(std::span<const int> photos) const {
  std::vector<double> values;
  values.reserve(photos.size() * (kExposureSize + kPoseFreedom));
  for (const int photo : photos) {
    const Gradient& gradient = gradients_[photo];
    values.insert(values.end(), gradient.exposure.begin(), gradient.exposure.end());
    values.insert(values.end(), gradient.motion.begin(), gradient.motion.end());
  }
  return values;
}

void CameraCorrections::set_gradients(std::span<const int> photos, std::span<const double> sums) {
  auto next = sums.begin();
  for (const int photo : photos) {
    Gradient& gradient = gradients_[photo];
    gradient.shown = true;
    std::copy_n(next, kExposureSize, gradient.exposure.begin());
    std::copy_n(next + kExposureSize, kPoseFreedom, gradient.motion.begin());
    next += kExposureSize + kPoseFreedom;
  }
}

void CameraCorrections::clear_gradients() {
  for (Gradient& gradient : gradients_) {
    if (gradient.shown) gradient = {};
  }
}

void CameraCorrections::step(int64_t seen) {
  for (size_t i = 0; i < photos_.size(); ++i) {
    if (gradients_[i].shown) step_photo(photos_[i], gradients_[i], seen);
  }
  if (exposes()) center_exposures();
  clear_gradients();
}

// What all photos' maps have in common is the scene's own color: left to them, it drifts there
// while the scene is still dark, and stays.
void CameraCorrections::center_exposures() {
  for (int k = 0; k < kExposureSize; ++k) {
    double sum = 0;
    for (const Photo& photo : photos_) sum += photo.exposure[k];
    const double excess = sum / static_cast<double>(photos_.size()) - kNoExposure[k];
    for (Photo& photo : photos_) photo.exposure[k] -= excess;
  }
}

void CameraCorrections::step_photo(Photo& photo, const Gradient& gradient, int64_t seen) const {
  const double share =
      std::min(1.0, static_cast<double>(seen) / static_cast<double>(settings_.iterations));
  photo.steps += 1;
  if (exposes()) {
    const double rate = decayed(kExposureRate, kExposureRateFinal, share);
    const auto change =
        adam_change(kAdam, photo.steps, rate, gradient.exposure, photo.exposure_moments);
    for (int k = 0; k < kExposureSize; ++k) photo.exposure[k] -= change[k];
  }
  if (!moves()) return;
  const double rate = decayed(kPoseRate, kPoseRateFinal, share);
  const auto change = adam_change(kAdam, photo.steps, rate, gradient.motion, photo.motion_moments);
  const Mat3d turn = rotation_by({-change[0], -change[1], -change[2]});
  auto& m = photo.motion;
  std::array<double, kPoseSize> moved;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 4; ++column) {
      moved[4 * row + column] = turn.m[row][0] * m[column] + turn.m[row][1] * m[4 + column] +
                                turn.m[row][2] * m[8 + column];
    }
    moved[4 * row + 3] -= extent_ * change[3 + row];
  }
  m = moved;
}

std::vector<double> CameraCorrections::state() const {
  std::vector<double> values;
  for (const Photo& photo : photos_) {
    values.insert(values.end(), photo.exposure.begin(), photo.exposure.end());
    values.insert(values.end(), photo.exposure_moments.begin(), photo.exposure_moments.end());
    values.insert(values.end(), photo.motion.begin(), photo.motion.end());
    values.insert(values.end(), photo.motion_moments.begin(), photo.motion_moments.end());
    values.push_back(photo.steps);
  }
  return values;
}

void CameraCorrections::restore(const std::vector<double>& state) {
  constexpr size_t kValues = 3 * kExposureSize + kPoseSize + 2 * kPoseFreedom + 1;
  if (state.size() != photos_.size() * kValues) {
    throw core::Error("The checkpoint's exposures and poses are not those of these photos.");
  }
  const double* from = state.data();
  const auto take = [&](std::span<double> to) {
    std::copy_n(from, to.size(), to.begin());
    from += to.size();
  };
  for (Photo& photo : photos_) {
    take(photo.exposure);
    take(photo.exposure_moments);
    take(photo.motion);
    take(photo.motion_moments);
    take({&photo.steps, 1});
  }
}

}  // namespace tessera::models
