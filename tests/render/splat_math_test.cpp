// Every f_vjp of the splat's mathematics against dual numbers.
// SPDX-License-Identifier: MIT
#include "render/gaussian/splat_math.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/support/dual_check.h"

namespace tessera::render {
namespace {

using math::Dual;

template <class T>
Gaussian<T> gaussian_of(const std::vector<T>& x) {
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8], x[9]}, x[10]};
}

// A camera turned by a small omega = x[11..13] and moved by x[14..16].
template <class T>
SplatCamera<T> camera_of(const SplatCamera<double>& base, const std::vector<T>& x) {
  SplatCamera<T> c;
  const Mat3<T> turn = {{{T(1), -x[13], x[12]}, {x[13], T(1), -x[11]}, {-x[12], x[11], T(1)}}};
  Mat3<T> rotation;
  for (int k = 0; k < 9; ++k) rotation.m[k / 3][k % 3] = T(base.rotation.m[k / 3][k % 3]);
  c.rotation = turn * rotation;
  c.translation = {base.translation.x + x[14], base.translation.y + x[15],
                   base.translation.z + x[16]};
  c.fx = T(base.fx);
  c.fy = T(base.fy);
  c.cx = T(base.cx);
  c.cy = T(base.cy);
  c.min_x = T(base.min_x);
  c.max_x = T(base.max_x);
  c.min_y = T(base.min_y);
  c.max_y = T(base.max_y);
  c.max_radius2 = T(base.max_radius2);
  c.distorted = base.distorted;
  c.lens = base.lens;
  return c;
}

SplatCamera<double> base_camera(uint64_t seed, const core::Camera& camera) {
  return make_splat_camera<double>(camera_values({camera, test::random_pose(seed)}));
}

// One camera of each kind of lens.
std::vector<core::Camera> cameras() {
  using core::CameraModel;
  return {{CameraModel::kPinhole, 64, 48, 70, 65, 30, 20, {}},
          {CameraModel::kFullOpenCv,
           64,
           48,
           70,
           65,
           30,
           20,
           {0.1, -0.2, 1e-3, -2e-3, 0.05, 0.02, -0.03, 0.01}},
          {CameraModel::kOpenCvFisheye, 64, 48, 40, 42, 30, 20, {0.05, -0.02, 0.01, -0.004}},
          {CameraModel::kFov, 64, 48, 45, 42, 30, 20, {0.9}},
          {CameraModel::kThinPrismFisheye,
           64,
           48,
           45,
           42,
           30,
           20,
           {0.1, 0.05, 1e-3, -1e-3, -0.02, 0.01, 1e-3, 2e-3}}};
}

// Inputs of a Gaussian at (x, y, z) in camera axes, then a camera that is not moved.
std::vector<double> inputs_at(uint64_t seed, double x, double y, double z, double log_scale) {
  test::Random random(seed);
  const core::Rigid world_from_cam = test::random_pose(seed).inverse();
  const Vec3<double> mean =
      world_from_cam.rotation * Vec3<double>{x, y, z} + world_from_cam.translation;
  std::vector<double> inputs = {mean.x, mean.y, mean.z};
  for (int k = 0; k < 3; ++k) inputs.push_back(log_scale + random.uniform(-1, 1));
  for (int k = 0; k < 4; ++k) inputs.push_back(random.normal());
  inputs.push_back(random.uniform(-2, 2));
  inputs.resize(17, 0.0);
  return inputs;
}

void expect_project_vjp(const core::Camera& camera, uint64_t seed,
                        const std::vector<double>& inputs, bool antialiased) {
  const SplatCamera<double> base = base_camera(seed, camera);
  test::expect_vjp(
      inputs,
      [&](const std::vector<Dual>& x) {
        const Splat<Dual> s = project(gaussian_of(x), camera_of(base, x), antialiased);
        return std::vector<Dual>{s.mean.x,   s.mean.y,   s.depth,  s.conic.xx,
                                 s.conic.xy, s.conic.yy, s.opacity};
      },
      [&](const std::vector<double>& x, const std::vector<double>& g) {
        const SplatGradient<double> d = {{g[0], g[1]}, g[2], {g[3], g[4], g[5]}, g[6]};
        const ProjectGradient<double> r = project_vjp(gaussian_of(x), base, antialiased, d);
        const Gaussian<double>& o = r.gaussian;
        return std::vector<double>{o.mean.x,       o.mean.y,       o.mean.z,        o.log_scale.x,
                                   o.log_scale.y,  o.log_scale.z,  o.quaternion.w,  o.quaternion.x,
                                   o.quaternion.y, o.quaternion.z, o.opacity_logit, r.omega.x,
                                   r.omega.y,      r.omega.z,      r.translation.x, r.translation.y,
                                   r.translation.z};
      },
      seed);
}

TEST(SplatMath, ProjectVjp) {
  for (const core::Camera& camera : cameras()) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      for (const bool antialiased : {false, true}) {
        SCOPED_TRACE(testing::Message() << name_of(camera.model) << ", seed " << seed
                                        << (antialiased ? " antialiased" : ""));
        test::Random random(seed);
        const double z = random.uniform(0.5, 5);
        const double x = random.uniform(-0.3, 0.3) * z, y = random.uniform(-0.3, 0.3) * z;
        expect_project_vjp(camera, seed, inputs_at(seed, x, y, z, -2), antialiased);
        // Beyond the Jacobian's clamp to either side, and tiny: at the compensation's floor.
        expect_project_vjp(camera, seed, inputs_at(seed, 3 * z, -2 * z, z, -2), antialiased);
        expect_project_vjp(camera, seed, inputs_at(seed, x, y, z, -14), antialiased);
        // On the axis, where quotients of the lens would be 0 / 0.
        expect_project_vjp(camera, seed, inputs_at(seed, 1e-9 * z, 0, z, -2), antialiased);
      }
    }
  }
}

TEST(SplatMath, ColorVjp) {
  for (int degree = 0; degree <= 4; ++degree) {
    const int coefficients = 3 * (degree + 1) * (degree + 1);
    test::Random random(degree + 1);
    std::vector<double> inputs(3 + coefficients);
    for (double& v : inputs) v = random.normal();
    test::expect_vjp(
        inputs,
        [&](const std::vector<Dual>& x) {
          const Vec3<Dual> c = sh_color(degree, Vec3<Dual>{x[0], x[1], x[2]},
                                        [&](int k, int ch) { return x[3 + 3 * k + ch]; });
          return std::vector<Dual>{c.x, c.y, c.z};
        },
        [&](const std::vector<double>& x, const std::vector<double>& g) {
          std::vector<double> out(x.size(), 0.0);
          const Vec3<double> d = sh_color_vjp(
              degree, Vec3<double>{x[0], x[1], x[2]},
              [&](int k, int ch) { return x[3 + 3 * k + ch]; }, Vec3<double>{g[0], g[1], g[2]},
              [&](int k, int ch, double value) { out[3 + 3 * k + ch] += value; });
          out[0] = d.x;
          out[1] = d.y;
          out[2] = d.z;
          return out;
        });
  }
}

TEST(SplatMath, NormalizeVjp) {
  test::Random random(8);
  for (int n = 0; n < 10; ++n) {
    test::expect_vjp(
        {random.normal(), random.normal(), random.normal()},
        [](const std::vector<Dual>& x) {
          const Vec3<Dual> v = normalize(Vec3<Dual>{x[0], x[1], x[2]});
          return std::vector<Dual>{v.x, v.y, v.z};
        },
        [](const std::vector<double>& x, const std::vector<double>& g) {
          const Vec3<double> r =
              normalize_vjp(Vec3<double>{x[0], x[1], x[2]}, Vec3<double>{g[0], g[1], g[2]});
          return std::vector<double>{r.x, r.y, r.z};
        });
  }
  const Vec3<double> none = normalize_vjp(Vec3<double>{0, 0, 0}, Vec3<double>{1, 2, 3});
  EXPECT_EQ(none.x, 0);
  EXPECT_EQ(none.z, 0);
}

TEST(SplatMath, NormalIsTheShortestAxisTurnedToTheCamera) {
  const core::Rigid pose;
  const SplatCamera<double> camera = make_splat_camera<double>(
      camera_values({{core::CameraModel::kPinhole, 20, 20, 50, 50, 10, 10, {}}, pose}));
  Gaussian<double> g = {{0.5, 0, 2}, {0, -1, -3}, {1, 0, 0, 0}, 0};
  EXPECT_EQ(splat_normal(g, camera).z, -1);  // the z axis, which points away from the camera
  g.log_scale = {-4, -1, -3};
  EXPECT_EQ(splat_normal(g, camera).x, -1);
  g.mean.x = -0.5;
  EXPECT_EQ(splat_normal(g, camera).x, 1);
}

// 2^(log2_alpha) is opacity times the Gaussian.
TEST(SplatMath, Log2AlphaIsTheGaussian) {
  const Sym2<double> conic = {0.3, -0.1, 0.2};
  const double dx = 1.5, dy = -0.7, opacity = 0.6;
  const double alpha = std::exp2(log2_alpha(conic_in_log2(conic), std::log2(opacity), dx, dy));
  const double power = -0.5 * (conic.xx * dx * dx + conic.yy * dy * dy) - conic.xy * dx * dy;
  // The constant log2(e) is a float's.
  EXPECT_TRUE(test::near(alpha, opacity * std::exp(power), test::kFloatMean));
}

}  // namespace
}  // namespace tessera::render
