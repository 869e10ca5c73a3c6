// COLMAP's camera models against pycolmap 4.2.1 (tests/data/make_colmap_fixtures.py) and against
// exact derivatives.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "core/camera.h"
#include "core/math/dual.h"

namespace tessera::tests {
namespace {

struct Row {
  core::Camera camera;
  math::Vec3<double> point;
  math::Vec2<double> pixel;
  math::Vec2<double> ray;
};

core::Camera camera_of(core::CameraModel model, int width, int height,
                       const std::vector<double>& parameters) {
  core::Camera camera;
  camera.model = model;
  camera.width = width;
  camera.height = height;
  const int focals = core::has_single_focal_length(model) ? 1 : 2;
  camera.fx = parameters[0];
  camera.fy = parameters[focals - 1];
  camera.cx = parameters[focals];
  camera.cy = parameters[focals + 1];
  std::copy(parameters.begin() + focals + 2, parameters.begin() + core::parameter_count(model),
            camera.distortion.begin());
  return camera;
}

std::vector<Row> read_rows() {
  std::vector<Row> rows;
  std::ifstream file(TESSERA_FIXTURES "/camera_models.csv");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    int model = 0;
    int width = 0;
    int height = 0;
    fields >> model >> width >> height;
    std::vector<double> parameters(12);
    for (double& value : parameters) fields >> value;
    Row row;
    row.camera = camera_of(static_cast<core::CameraModel>(model), width, height, parameters);
    fields >> row.point.x >> row.point.y >> row.point.z >> row.pixel.x >> row.pixel.y >>
        row.ray.x >> row.ray.y;
    EXPECT_TRUE(fields) << line;
    rows.push_back(row);
  }
  return rows;
}

constexpr double kPixelTolerance = 1e-8;
constexpr double kRayTolerance = 1e-8;

TEST(CameraModels, ProjectAsColmap) {
  const std::vector<Row> rows = read_rows();
  ASSERT_EQ(rows.size(), 300U);
  for (const Row& row : rows) {
    const math::Vec2<double> pixel = project(lens_of(row.camera), row.point);
    EXPECT_NEAR(pixel.x, row.pixel.x, kPixelTolerance) << core::name_of(row.camera.model);
    EXPECT_NEAR(pixel.y, row.pixel.y, kPixelTolerance) << core::name_of(row.camera.model);
  }
}

TEST(CameraModels, UnprojectAsColmap) {
  for (const Row& row : read_rows()) {
    math::Vec2<double> ray{};
    ASSERT_TRUE(unproject(lens_of(row.camera), row.pixel, ray)) << core::name_of(row.camera.model);
    EXPECT_NEAR(ray.x, row.ray.x, kRayTolerance) << core::name_of(row.camera.model);
    EXPECT_NEAR(ray.y, row.ray.y, kRayTolerance) << core::name_of(row.camera.model);
  }
}

TEST(CameraModels, SinglePrecisionIsAsGoodAsItsDigits) {
  for (const Row& row : read_rows()) {
    const core::Camera& c = row.camera;
    float k[8];
    std::copy(c.distortion.begin(), c.distortion.end(), k);
    const auto lens = math::make_lens<float>(static_cast<int>(c.model), static_cast<float>(c.fx),
                                             static_cast<float>(c.fy), static_cast<float>(c.cx),
                                             static_cast<float>(c.cy), k);
    const math::Vec2<float> pixel = project(
        lens, math::Vec3<float>{static_cast<float>(row.point.x), static_cast<float>(row.point.y),
                                static_cast<float>(row.point.z)});
    const double tolerance = 2e-6 * c.width;
    EXPECT_NEAR(pixel.x, row.pixel.x, tolerance) << core::name_of(c.model);
    EXPECT_NEAR(pixel.y, row.pixel.y, tolerance) << core::name_of(c.model);
  }
}

math::Lens<math::Dual> dual_lens(const core::Camera& camera) {
  math::Dual k[8];
  std::copy(camera.distortion.begin(), camera.distortion.end(), k);
  return math::make_lens<math::Dual>(static_cast<int>(camera.model), camera.fx, camera.fy,
                                     camera.cx, camera.cy, k);
}

TEST(CameraModels, GradientsAgreeWithDuals) {
  for (const Row& row : read_rows()) {
    const math::Vec2<double> g{0.7, -1.3};
    const math::Vec3<double> gradient = project_vjp(lens_of(row.camera), row.point, g);
    const double expected[3] = {gradient.x, gradient.y, gradient.z};
    for (int axis = 0; axis < 3; ++axis) {
      const math::Vec3<math::Dual> point{math::Dual(row.point.x, axis == 0 ? 1 : 0),
                                         math::Dual(row.point.y, axis == 1 ? 1 : 0),
                                         math::Dual(row.point.z, axis == 2 ? 1 : 0)};
      const math::Vec2<math::Dual> pixel = project(dual_lens(row.camera), point);
      const double exact = g.x * pixel.x.derivative + g.y * pixel.y.derivative;
      EXPECT_NEAR(expected[axis], exact, 1e-9 * (1 + std::abs(exact)))
          << core::name_of(row.camera.model) << " axis " << axis;
    }
  }
}

TEST(CameraModels, TheAxisItselfIsNoSpecialCase) {
  for (const Row& row : read_rows()) {
    const math::Lens<double> lens = lens_of(row.camera);
    const math::Vec2<double> pixel = project(lens, math::Vec3<double>{0, 0, 2});
    EXPECT_NEAR(pixel.x, row.camera.cx, 1e-9);
    EXPECT_NEAR(pixel.y, row.camera.cy, 1e-9);
    const math::Vec3<double> gradient = project_vjp(lens, math::Vec3<double>{0, 0, 2}, {1, 1});
    const double magnification = lens.scale * lens.slope;
    EXPECT_NEAR(gradient.x, magnification * row.camera.fx / 2, 1e-6 * row.camera.fx);
    EXPECT_NEAR(gradient.y, magnification * row.camera.fy / 2, 1e-6 * row.camera.fy);
    math::Vec2<double> ray{1, 1};
    EXPECT_TRUE(unproject(lens, pixel, ray));
    EXPECT_NEAR(ray.x, 0, 1e-9);
    EXPECT_NEAR(ray.y, 0, 1e-9);
  }
}

TEST(CameraModels, PixelsBeyondTheFoldHaveNoRay) {
  // r (1 - 0.28 r^2) grows no further than 0.727, so nothing is seen beyond 333 pixels of the
  // center.
  core::Camera camera =
      camera_of(core::CameraModel::kSimpleRadialFisheye, 752, 480, {458, 367.2, 248.4, -0.28});
  math::Vec2<double> ray{};
  EXPECT_TRUE(unproject(lens_of(camera), {367.2 + 300, 248.4}, ray));
  EXPECT_FALSE(unproject(lens_of(camera), {367.2 + 340, 248.4}, ray));
}

TEST(Camera, ScalesByTheTrueRatios) {
  const core::Camera camera =
      camera_of(core::CameraModel::kPinhole, 63, 48, {59.0625, 59.0625, 31.5, 24});
  const core::Camera half = core::scaled(camera, 32, 24);
  EXPECT_DOUBLE_EQ(half.fx, 59.0625 * 32 / 63);
  EXPECT_DOUBLE_EQ(half.cx, 16);
  EXPECT_DOUBLE_EQ(half.fy, 59.0625 / 2);
}

}  // namespace
}  // namespace tessera::tests
