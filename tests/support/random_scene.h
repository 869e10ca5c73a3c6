// Random Gaussians before a camera, the same on every machine.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "core/math/quat.h"
#include "core/math/rng.h"

namespace tessera::test {

class Random {
 public:
  explicit Random(uint64_t seed) : seed_(seed) {}

  double uniform(double low, double high) {
    const math::Random4 r = math::random_bits(seed_, math::RandomStream::kInit, 0, next_++);
    return low + (high - low) * math::uniform_from_bits(r.v[0]);
  }
  double normal() {
    const math::Random4 r = math::random_bits(seed_, math::RandomStream::kInit, 1, next_++);
    float a = 0, b = 0;
    math::normals_from_bits(r.v[0], r.v[1], a, b);
    return a;
  }

 private:
  uint64_t seed_;
  uint64_t next_ = 0;
};

inline core::Rigid random_pose(uint64_t seed) {
  Random random(seed);
  core::Rigid pose;
  pose.rotation = math::rotation_from_quaternion(
      math::Vec4<double>{random.normal(), random.normal(), random.normal(), random.normal()});
  pose.translation = {random.normal(), random.normal(), random.normal()};
  return pose;
}

inline core::PosedCamera pinhole_camera(int width, int height, const core::Rigid& pose = {}) {
  core::PosedCamera posed;
  posed.camera.width = width;
  posed.camera.height = height;
  posed.camera.fx = 1.1 * width + 3;
  posed.camera.fy = 1.0 * width + 3;
  posed.camera.cx = 0.52 * width;
  posed.camera.cy = 0.47 * height;
  posed.cam_from_world = pose;
  return posed;
}

struct RandomCloud {
  uint64_t seed = 1;
  int64_t count = 100;
  int sh_degree = 1;
  double min_depth = 1, max_depth = 8;
  double min_pixels = 1, max_pixels = 8;  // of the axes' scale in the picture
  double min_logit = -3, max_logit = 4;   // of opacity
};

// Places one Gaussian so that it projects to pixel (u, v) at depth z with axes of `pixels`.
inline void place(core::GaussianCloud& cloud, int64_t i, const core::PosedCamera& posed, double u,
                  double v, double z, const double (&pixels)[3]) {
  const core::Camera& c = posed.camera;
  const math::Vec3<double> in_camera = {(u - c.cx) / c.fx * z, (v - c.cy) / c.fy * z, z};
  const core::Rigid world_from_cam = posed.cam_from_world.inverse();
  const math::Vec3<double> p = world_from_cam.rotation * in_camera + world_from_cam.translation;
  const double mean[3] = {p.x, p.y, p.z};
  for (int k = 0; k < 3; ++k) {
    cloud.plane(core::kMeanPlane + k)[i] = static_cast<float>(mean[k]);
    cloud.plane(core::kLogScalePlane + k)[i] =
        static_cast<float>(std::log(pixels[k] * std::fabs(z) / c.fx));
  }
}

inline core::GaussianCloud random_cloud(const RandomCloud& spec, const core::PosedCamera& posed) {
  Random random(spec.seed);
  core::GaussianCloud cloud(spec.sh_degree, spec.count);
  const core::Camera& c = posed.camera;
  for (int64_t i = 0; i < spec.count; ++i) {
    double pixels[3];
    for (double& p : pixels) {
      p = std::exp(random.uniform(std::log(spec.min_pixels), std::log(spec.max_pixels)));
    }
    // One by one: the order in which a call's arguments are worked out differs between machines.
    const double z = random.uniform(spec.min_depth, spec.max_depth);
    const double v = random.uniform(-0.2, 1.2) * c.height;
    const double u = random.uniform(-0.2, 1.2) * c.width;
    place(cloud, i, posed, u, v, z, pixels);
    for (int k = 0; k < 4; ++k) {
      cloud.plane(core::kQuaternionPlane + k)[i] = static_cast<float>(random.normal());
    }
    cloud.plane(core::kOpacityPlane)[i] =
        static_cast<float>(random.uniform(spec.min_logit, spec.max_logit));
    for (int p = core::kShPlane; p < cloud.parameters.plane_count(); ++p) {
      const double range = p < core::kShPlane + 3 ? 1.2 : 0.3;
      cloud.plane(p)[i] = static_cast<float>(random.uniform(-range, range));
    }
  }
  return cloud;
}

}  // namespace tessera::test
