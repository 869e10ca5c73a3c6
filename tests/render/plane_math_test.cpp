// Every f_vjp of plane_math.h against dual numbers, and the map of a plane against points on it.
// SPDX-License-Identifier: MIT
#include "render/multiplane/plane_math.h"

#include <gtest/gtest.h>

#include <vector>

#include "render/multiplane/target_view.h"
#include "tests/support/dual_check.h"
#include "tests/support/multiplane_scenes.h"

namespace tessera::render {
namespace {

using math::Dual;

TargetView<double> some_view(uint64_t seed) {
  test::Random random(seed);
  const core::PosedCamera reference = test::pinhole_camera(60, 50, test::random_pose(seed));
  const double x = random.uniform(-0.3, 0.3), z = random.uniform(-0.3, 0.3);
  return target_view(
      reference, test::target_beside(reference, 70, 40, {x, 0.2, z}, {0.1 * x, 0.2 * z, 0.3 * x}));
}

TargetView<Dual> in_duals(const TargetView<double>& v) {
  TargetView<Dual> d = {{}, {v.center.x, v.center.y, v.center.z}, v.fx, v.fy, v.cx, v.cy};
  for (int k = 0; k < 9; ++k) d.ray.m[k / 3][k % 3] = v.ray.m[k / 3][k % 3];
  return d;
}

template <class T>
std::vector<T> flat(const PlaneMap<T>& map) {
  std::vector<T> values;
  for (const auto& row : map.texel.m) values.insert(values.end(), row, row + 3);
  values.insert(values.end(), {map.inverse_depth.x, map.inverse_depth.y, map.inverse_depth.z});
  return values;
}
template <class T>
PlaneMap<T> plane_map_of(const std::vector<T>& values) {
  PlaneMap<T> map;
  for (int k = 0; k < 9; ++k) map.texel.m[k / 3][k % 3] = values[k];
  map.inverse_depth = {values[9], values[10], values[11]};
  return map;
}

TEST(PlaneMath, MapFindsThePointThatThePixelShows) {
  const core::PosedCamera reference = test::pinhole_camera(60, 50, test::random_pose(8));
  const core::PosedCamera target =
      test::target_beside(reference, 70, 40, {0.3, -0.2, 0.4}, {0.05, -0.1, 0.3});
  const TargetView<double> view = target_view(reference, target);
  const auto pixel_of = [](const core::PosedCamera& camera, math::Vec3<double> in_world) {
    const math::Vec3<double> p =
        camera.cam_from_world.rotation * in_world + camera.cam_from_world.translation;
    const core::Camera& c = camera.camera;
    return math::Vec3<double>{c.fx * p.x / p.z + c.cx, c.fy * p.y / p.z + c.cy, p.z};
  };
  test::Random random(9);
  for (int n = 0; n < 50; ++n) {
    const double nx = random.uniform(-0.2, 0.2), ny = random.uniform(-0.2, 0.2);
    const math::Vec3<double> plane = {nx, ny, random.uniform(0.2, 0.9)};
    const double rx = random.uniform(-0.5, 0.5), ry = random.uniform(-0.5, 0.5);
    const math::Vec3<double> ray = {rx, ry, 1};
    const math::Vec3<double> point = ray * (1 / math::dot(plane, ray));
    const core::Rigid world = reference.cam_from_world.inverse();
    const math::Vec3<double> in_world = world.rotation * point + world.translation;
    const math::Vec3<double> at = pixel_of(target, in_world), texel = pixel_of(reference, in_world);
    ASSERT_GT(plane_facing(view, plane), 0);
    const PlaneMap<double> map = plane_map(view, plane);
    ASSERT_TRUE(shows_plane(map, at.x, at.y));
    const math::Vec2<double> got = texel_at(map, at.x, at.y);
    EXPECT_TRUE(test::near(got.x, texel.x, test::kOtherProgram)) << n;
    EXPECT_TRUE(test::near(got.y, texel.y, test::kOtherProgram)) << n;
    EXPECT_TRUE(test::near(linear_at(map.inverse_depth, at.x, at.y), 1 / at.z, test::kOtherProgram))
        << n;
  }
}

TEST(PlaneMath, PlaneMapVjp) {
  for (uint64_t seed = 1; seed < 10; ++seed) {
    const TargetView<double> view = some_view(seed);
    test::expect_vjp(
        {0.1, -0.2, 0.1 * static_cast<double>(seed)},
        [&](const std::vector<Dual>& x) {
          return flat(plane_map(in_duals(view), math::Vec3<Dual>{x[0], x[1], x[2]}));
        },
        [&](const std::vector<double>& x, const std::vector<double>& g) {
          const math::Vec3<double> d =
              plane_map_vjp(view, math::Vec3<double>{x[0], x[1], x[2]}, plane_map_of(g));
          return std::vector<double>{d.x, d.y, d.z};
        });
  }
}

TEST(PlaneMath, TexelAtVjp) {
  const PlaneMap<double> map = plane_map(some_view(3), math::Vec3<double>{0.1, 0.1, 0.4});
  const double u = 31.5, v = 12.5;
  test::expect_vjp(
      flat(map),
      [&](const std::vector<Dual>& x) {
        const math::Vec2<Dual> t = texel_at(plane_map_of(x), Dual(u), Dual(v));
        return std::vector<Dual>{t.x, t.y};
      },
      [&](const std::vector<double>& x, const std::vector<double>& g) {
        const math::Vec3<double> d = texel_at_vjp(plane_map_of(x), u, v, {g[0], g[1]});
        return std::vector<double>{d.x * u, d.x * v, d.x, d.y * u, d.y * v, d.y,
                                   d.z * u, d.z * v, d.z, 0,       0,       0};
      });
}

// Inputs: 16 texel values, then x and y.
TEST(PlaneMath, SampleVjp) {
  test::Random random(4);
  std::vector<double> inputs(18);
  for (double& v : inputs) v = random.uniform(0, 1);
  const auto quad_of = [](const auto& x) {
    TexelQuad<typename std::decay_t<decltype(x)>::value_type> quad;
    for (int k = 0; k < 16; ++k) quad.texel[k / 4].c[k % 4] = x[k];
    return quad;
  };
  test::expect_vjp(
      inputs,
      [&](const std::vector<Dual>& x) {
        const Rgba<Dual> s = sample(quad_of(x), x[16], x[17]);
        return std::vector<Dual>(s.c, s.c + 4);
      },
      [&](const std::vector<double>& x, const std::vector<double>& g) {
        const Rgba<double> d = {{g[0], g[1], g[2], g[3]}};
        const TexelWeights<double> weights = texel_weights(x[16], x[17]);
        std::vector<double> r(18);
        for (int k = 0; k < 16; ++k) r[k] = weights.w[k / 4] * d.c[k % 4];
        const math::Vec2<double> at = sample_vjp(quad_of(x), x[16], x[17], d);
        r[16] = at.x;
        r[17] = at.y;
        return r;
      });
}

// Of each layer: color, alpha, inverse depth. The middle one is opaque: no division by 1 - alpha.
TEST(PlaneMath, BlendVjp) {
  constexpr int kLayers = 4;
  const double background[3] = {0.3, 0.9, 0.5};
  test::Random random(5);
  std::vector<double> inputs(kLayers * 5);
  for (double& v : inputs) v = random.uniform(0, 1);
  inputs[5 * 2 + 3] = 1;
  const auto sample_of = [](const auto& x, int layer) {
    Rgba<typename std::decay_t<decltype(x)>::value_type> s;
    for (int c = 0; c < 4; ++c) s.c[c] = x[5 * layer + c];
    return s;
  };
  test::expect_vjp(
      inputs,
      [&](const std::vector<Dual>& x) {
        Composite<Dual> all = nothing_before<Dual>();
        for (int i = 0; i < kLayers; ++i) blend(all, sample_of(x, i), x[5 * i + 4]);
        std::vector<Dual> out(5);
        for (int c = 0; c < 3; ++c) {
          out[c] = all.color[c] + all.transmittance * Dual(background[c]);
        }
        out[3] = Dual(1) - all.transmittance;
        out[4] = all.disparity;
        return out;
      },
      [&](const std::vector<double>& x, const std::vector<double>& g) {
        const CompositeGradient<double> d = {{g[0], g[1], g[2]}, g[3], g[4]};
        Composite<double> all = nothing_before<double>();
        double transmittance[kLayers];
        for (int i = 0; i < kLayers; ++i) {
          transmittance[i] = all.transmittance;
          blend(all, sample_of(x, i), x[5 * i + 4]);
        }
        double behind = nothing_behind(d, background);
        std::vector<double> r(kLayers * 5);
        for (int i = kLayers - 1; i >= 0; --i) {
          const BlendGradient<double> b =
              blend_vjp(transmittance[i], sample_of(x, i), x[5 * i + 4], d, behind);
          std::copy(b.sample.c, b.sample.c + 4, r.begin() + 5 * i);
          r[5 * i + 4] = b.inverse_depth;
        }
        return r;
      });
}

}  // namespace
}  // namespace tessera::render
