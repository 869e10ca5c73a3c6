// The double reference's gradients against central differences through the whole renderer.
// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/reference_render.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/random_scene.h"
#include "tests/support/tolerance.h"

namespace tessera::render {
namespace {

// A random linear function of the pictures, whose gradient is its weights.
struct Loss {
  ReferencePictureGradients weights;

  explicit Loss(int64_t pixels) {
    test::Random random(77);
    weights.color.resize(3 * pixels);
    weights.alpha.resize(pixels);
    weights.depth.resize(pixels);
    for (auto* picture : {&weights.color, &weights.alpha, &weights.depth}) {
      for (double& w : *picture) w = random.uniform(-1, 1);
    }
  }

  double operator()(const ReferencePictures& p) const {
    double sum = 0;
    for (size_t i = 0; i < p.color.size(); ++i) sum += weights.color[i] * p.color[i];
    for (size_t i = 0; i < p.alpha.size(); ++i) sum += weights.alpha[i] * p.alpha[i];
    for (size_t i = 0; i < p.depth.size(); ++i) sum += weights.depth[i] * p.depth[i];
    return sum;
  }
};

// Compares derivatives with differences, leaving out those across a decision.
class Differences {
 public:
  Differences(const ReferenceScene& scene, const Loss& loss) : scene_(scene), loss_(loss) {}

  // `move` changes a copy of the scene by a step along the derivative's direction.
  template <class Move>
  void expect(double derivative, const Move& move) {
    const double step = 1e-6;
    ReferenceScene above = scene_, below = scene_;
    move(above, step);
    move(below, -step);
    const ReferencePictures a = reference_render(above), b = reference_render(below);
    ++compared_;
    if (a.decisions != b.decisions) {
      ++crossed_;
      return;
    }
    EXPECT_TRUE(
        test::near(derivative, (loss_(a) - loss_(b)) / (2 * step), test::kCentralDifference));
  }

  void expect_few_crossed() const { EXPECT_LT(crossed_ * 20, compared_); }

 private:
  const ReferenceScene& scene_;
  const Loss& loss_;
  int compared_ = 0;
  int crossed_ = 0;
};

math::Mat3<double> turned(const math::Vec3<double>& omega, const math::Mat3<double>& rotation) {
  // exp of a small rotation vector, by its quaternion.
  const double angle = std::sqrt(math::dot(omega, omega));
  const double s = angle > 0 ? std::sin(angle / 2) / angle : 0.5;
  const math::Vec4<double> q = {std::cos(angle / 2), omega.x * s, omega.y * s, omega.z * s};
  return math::rotation_of_unit(q) * rotation;
}

void expect_gradients_are_differences(uint64_t seed, bool antialiased, int sh_degree) {
  const core::PosedCamera camera = test::pinhole_camera(14, 11, test::random_pose(seed));
  test::RandomCloud spec;
  spec.seed = seed;
  spec.count = 12;
  spec.sh_degree = sh_degree;
  spec.min_pixels = 0.3;
  RasterizeOptions options;
  options.antialiased = antialiased;
  ReferenceScene scene(test::random_cloud(spec, camera), camera, options);
  scene.background = {0.3, 0.5, 0.1};
  const Loss loss(scene.pixel_count());
  const ReferenceGradients g = reference_render_vjp(scene, loss.weights);

  Differences differences(scene, loss);
  for (int64_t k = 0; k < static_cast<int64_t>(scene.parameters.size()); ++k) {
    SCOPED_TRACE(testing::Message() << "plane " << k / scene.count << " of " << k % scene.count);
    differences.expect(g.parameters[k],
                       [&](ReferenceScene& s, double step) { s.parameters[k] += step; });
  }
  const auto component = [](math::Vec3<double>& v, int c) -> double& {
    return c == 0 ? v.x : c == 1 ? v.y : v.z;
  };
  for (int c = 0; c < 3; ++c) {
    SCOPED_TRACE(testing::Message() << "axis " << c);
    ReferenceGradients copy = g;
    differences.expect(component(copy.background, c),
                       [&](ReferenceScene& s, double step) { component(s.background, c) += step; });
    differences.expect(component(copy.camera_translation, c), [&](ReferenceScene& s, double step) {
      component(s.camera.cam_from_world.translation, c) += step;
    });
    differences.expect(component(copy.camera_rotation, c), [&](ReferenceScene& s, double step) {
      math::Vec3<double> omega = {0, 0, 0};
      component(omega, c) = step;
      s.camera.cam_from_world.rotation = turned(omega, s.camera.cam_from_world.rotation);
    });
  }
  differences.expect_few_crossed();
}

TEST(Reference, GradientsAreCentralDifferences) {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    for (const bool antialiased : {false, true}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << (antialiased ? " antialiased" : ""));
      expect_gradients_are_differences(seed, antialiased, static_cast<int>(seed));
    }
  }
}

// The projected means move with the principal point, so the sum of their gradients is its own. With
// everything inside the picture the Jacobian's clamp, which moves too, touches nothing.
TEST(Reference, MeanGradientsSumToThatOfThePrincipalPoint) {
  const core::PosedCamera camera = test::pinhole_camera(20, 15);
  core::GaussianCloud cloud = test::random_cloud({}, camera);
  test::Random random(5);
  for (int64_t i = 0; i < cloud.size(); ++i) {
    const double z = random.uniform(1, 5), v = random.uniform(0, 15), u = random.uniform(0, 20);
    test::place(cloud, i, camera, u, v, z, {1, 2, 3});
  }
  const ReferenceScene scene(cloud, camera, {});
  const Loss loss(scene.pixel_count());
  const ReferenceGradients g = reference_render_vjp(scene, loss.weights);
  double sum_x = 0, sum_y = 0;
  for (const math::Vec2<double>& m : g.mean2d) {
    sum_x += m.x;
    sum_y += m.y;
  }
  Differences differences(scene, loss);
  differences.expect(sum_x, [](ReferenceScene& s, double h) { s.camera.camera.cx += h; });
  differences.expect(sum_y, [](ReferenceScene& s, double h) { s.camera.camera.cy += h; });
  differences.expect_few_crossed();
}

// One opaque splat over the whole picture: everything can be worked out by hand.
TEST(Reference, OneSplatByHand) {
  core::PosedCamera posed;
  posed.camera = {core::CameraModel::kPinhole, 3, 3, 10, 10, 1.5, 1.5, {}};
  core::GaussianCloud cloud(0, 1);
  cloud.plane(2)[0] = 2;  // straight ahead
  for (int k = 0; k < 3; ++k) cloud.plane(core::kLogScalePlane + k)[0] = std::log(0.2F);
  cloud.plane(core::kQuaternionPlane)[0] = 1;
  cloud.plane(core::kOpacityPlane)[0] = 0;  // opacity 1/2
  cloud.plane(core::kShPlane)[0] = 1;
  RasterizeOptions options;
  options.background = {0, 0, 1};
  const ReferenceScene scene(cloud, posed, options);
  const ReferencePictures p = reference_render(scene);
  // Variance (10 / 2 * 0.2)^2 + 0.3 = 1.3 px^2; a corner is sqrt(2) away.
  const double alpha = 0.5 * std::exp(-0.5 * 2 / 1.3);
  const double red = 0.5 + 0.28209479177387814;
  EXPECT_TRUE(test::near(p.alpha[4], 0.5, test::kFloatMean));
  EXPECT_TRUE(test::near(p.alpha[0], alpha, test::kFloatMean));
  EXPECT_TRUE(test::near(p.color[0], alpha * red, test::kFloatMean));
  EXPECT_TRUE(test::near(p.color[1], alpha * 0.5, test::kFloatMean));
  EXPECT_TRUE(test::near(p.color[2], alpha * 0.5 + (1 - alpha), test::kFloatMean));
  EXPECT_TRUE(test::near(p.depth[0], 2, test::kFloatMean));
  EXPECT_TRUE(test::near(p.depth_variance[0], 0, test::kFloatMean));
  EXPECT_EQ(p.median_depth[0], 0);
  EXPECT_EQ(p.visible, 1);
  EXPECT_TRUE(test::near(p.radii[0], std::sqrt(2 * std::log(0.5 * 255) * 1.3), test::kFloatMean));
}

}  // namespace
}  // namespace tessera::render
