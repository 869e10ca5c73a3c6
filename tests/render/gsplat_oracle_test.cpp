// The splat's mathematics against numbers of another program: gsplat's PyTorch functions and their
// autograd, written to tests/data by make_gsplat_fixtures.py.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/camera.h"
#include "render/gaussian/camera_values.h"
#include "render/gaussian/splat_math.h"
#include "tests/support/tolerance.h"

namespace tessera::render {
namespace {

// Takes the numbers of a line in their order.
class Line {
 public:
  explicit Line(const std::string& text) : in_(text) {}

  double number() {
    double value = NAN;
    in_ >> value;
    return value;
  }
  Vec3<double> vec3() {
    Vec3<double> v;
    v.x = number();
    v.y = number();
    v.z = number();
    return v;
  }
  std::vector<double> numbers(int count) {
    std::vector<double> values(count);
    for (double& v : values) v = number();
    return values;
  }
  bool complete() { return static_cast<bool>(in_) && (in_ >> std::ws).eof(); }

 private:
  std::istringstream in_;
};

std::vector<std::string> fixture(const std::string& name) {
  std::ifstream file(std::string(TESSERA_FIXTURES) + "/" + name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& want,
                 const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  double largest = 0;
  for (const double w : want) largest = std::max(largest, std::fabs(w));
  const test::Tolerance t = {test::kOtherProgram.relative * largest, test::kOtherProgram.relative};
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(test::near(got[i], want[i], t)) << what << " " << i;
  }
}

TEST(GsplatOracle, ProjectionAndItsGradients) {
  const std::vector<std::string> lines = fixture("gsplat_projection.csv");
  ASSERT_EQ(lines.size(), 24U);
  for (size_t n = 0; n < lines.size(); ++n) {
    SCOPED_TRACE(testing::Message() << "line " << n);
    Line line(lines[n]);
    const std::vector<double> r = line.numbers(9);
    core::PosedCamera posed;
    posed.cam_from_world.rotation = {{{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}}};
    posed.cam_from_world.translation = line.vec3();
    const std::vector<double> k = line.numbers(6);
    posed.camera = {core::CameraModel::kPinhole,
                    static_cast<int>(k[4]),
                    static_cast<int>(k[5]),
                    k[0],
                    k[1],
                    k[2],
                    k[3],
                    {}};
    const auto camera = make_splat_camera<double>(camera_values(posed));
    Gaussian<double> g;
    g.mean = line.vec3();
    g.log_scale = line.vec3();
    const std::vector<double> q = line.numbers(4);
    g.quaternion = {q[0], q[1], q[2], q[3]};
    g.opacity_logit = line.number();

    const Splat<double> s = project(g, camera, true);
    expect_near({s.mean.x, s.mean.y}, line.numbers(2), "mean");
    expect_near({s.depth}, line.numbers(1), "depth");
    expect_near({s.conic.xx, s.conic.xy, s.conic.yy}, line.numbers(3), "conic");
    expect_near({s.opacity}, line.numbers(1), "opacity");

    const std::vector<double> d = line.numbers(7);
    const ProjectGradient<double> p =
        project_vjp(g, camera, true, {{d[0], d[1]}, d[2], {d[3], d[4], d[5]}, d[6]});
    const Gaussian<double>& o = p.gaussian;
    expect_near({o.mean.x, o.mean.y, o.mean.z}, line.numbers(3), "gradient of mean");
    expect_near({o.log_scale.x, o.log_scale.y, o.log_scale.z}, line.numbers(3),
                "gradient of log scale");
    expect_near({o.quaternion.w, o.quaternion.x, o.quaternion.y, o.quaternion.z}, line.numbers(4),
                "gradient of quaternion");
    expect_near({o.opacity_logit}, line.numbers(1), "gradient of opacity");
    expect_near({p.omega.x, p.omega.y, p.omega.z}, line.numbers(3), "gradient of rotation");
    expect_near({p.translation.x, p.translation.y, p.translation.z}, line.numbers(3),
                "gradient of translation");
    EXPECT_TRUE(line.complete());
  }
}

TEST(GsplatOracle, SphericalHarmonicsAndTheirGradients) {
  const std::vector<std::string> lines = fixture("gsplat_sh.csv");
  ASSERT_EQ(lines.size(), 15U);
  for (const std::string& text : lines) {
    Line line(text);
    const int degree = static_cast<int>(line.number());
    SCOPED_TRACE(testing::Message() << "degree " << degree);
    const int coefficients = 3 * (degree + 1) * (degree + 1);
    const Vec3<double> direction = line.vec3();
    const std::vector<double> sh = line.numbers(coefficients);
    const auto coefficient = [&](int k, int c) { return sh[3 * k + c]; };
    const Vec3<double> color = sh_color(degree, normalize(direction), coefficient);
    expect_near({color.x - 0.5, color.y - 0.5, color.z - 0.5}, line.numbers(3), "color");

    std::vector<double> d_sh(coefficients);
    const Vec3<double> d = normalize_vjp(
        direction, sh_color_vjp(degree, normalize(direction), coefficient, line.vec3(),
                                [&](int k, int c, double v) { d_sh[3 * k + c] = v; }));
    expect_near({d.x, d.y, d.z}, line.numbers(3), "gradient of direction");
    expect_near(d_sh, line.numbers(coefficients), "gradient of coefficients");
    EXPECT_TRUE(line.complete());
  }
}

}  // namespace
}  // namespace tessera::render
