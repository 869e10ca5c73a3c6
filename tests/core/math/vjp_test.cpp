// Every f_vjp of core/math against dual numbers (those of the camera models stand with their test).
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <vector>

#include "core/math/mat.h"
#include "core/math/quat.h"
#include "core/math/sh.h"
#include "tests/support/dual_check.h"

namespace tessera::math {
namespace {

template <class T>
std::vector<T> flat(const Mat3<T>& m) {
  std::vector<T> values;
  for (const auto& row : m.m) values.insert(values.end(), row, row + 3);
  return values;
}

TEST(Vjp, RotationFromQuaternion) {
  test::Random random(3);
  for (int n = 0; n < 20; ++n) {
    std::vector<double> q(4);
    for (double& v : q) v = random.normal() * (n < 10 ? 1 : 1e-3);
    test::expect_vjp(
        q,
        [](const std::vector<Dual>& x) {
          return flat(rotation_from_quaternion(Vec4<Dual>{x[0], x[1], x[2], x[3]}));
        },
        [](const std::vector<double>& x, const std::vector<double>& g) {
          Mat3<double> d;
          for (int k = 0; k < 9; ++k) d.m[k / 3][k % 3] = g[k];
          const Vec4<double> r =
              rotation_from_quaternion_vjp(Vec4<double>{x[0], x[1], x[2], x[3]}, d);
          return std::vector<double>{r.w, r.x, r.y, r.z};
        });
  }
}

TEST(Vjp, ShBasis) {
  test::Random random(4);
  for (int degree = 0; degree <= 4; ++degree) {
    const size_t count = (degree + 1) * (degree + 1);
    test::expect_vjp(
        {random.normal(), random.normal(), random.normal()},
        [&](const std::vector<Dual>& x) {
          std::vector<Dual> basis(count);
          sh_basis(degree, Vec3<Dual>{x[0], x[1], x[2]}, basis.data());
          return basis;
        },
        [&](const std::vector<double>& x, const std::vector<double>& g) {
          const Vec3<double> r = sh_basis_vjp(degree, Vec3<double>{x[0], x[1], x[2]}, g.data());
          return std::vector<double>{r.x, r.y, r.z};
        });
  }
}

TEST(Quaternion, RotationIsOrthonormalAndRoundTrips) {
  test::Random random(5);
  for (int n = 0; n < 100; ++n) {
    Vec4<double> q = {random.normal(), random.normal(), random.normal(), random.normal()};
    if (n % 4 == 1) q.w = 0;
    if (n % 4 == 2) q = {0, n % 3 == 0 ? 1.0 : 0.0, n % 3 == 1 ? 1.0 : 0.0, n % 3 == 2 ? 1.0 : 0.0};
    const Mat3<double> r = rotation_from_quaternion(q);
    const Mat3<double> identity = r * transpose(r);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        EXPECT_TRUE(test::near(identity.m[i][j], i == j ? 1 : 0, test::kDoubleExact));
      }
    }
    EXPECT_TRUE(test::near(determinant(r), 1, test::kDoubleExact));
    const Mat3<double> again = rotation_from_quaternion(quaternion_from_rotation(r));
    for (int k = 0; k < 9; ++k) {
      EXPECT_TRUE(test::near(again.m[k / 3][k % 3], r.m[k / 3][k % 3], test::kDoubleExact));
    }
  }
}

// Orthonormal on the sphere: the mean of Y_i Y_j over a product quadrature, exact to degree 8.
TEST(SphericalHarmonics, AreOrthonormal) {
  constexpr int kCount = 25;
  constexpr double kPi = 3.14159265358979323846;
  // Gauss-Legendre of 5 points in z (exact to degree 9), 16 equal steps around it.
  const double z[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                       0.9061798459386640};
  const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                            0.4786286704993665, 0.2369268850561891};
  double product[kCount][kCount] = {};
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 16; ++b) {
      const double radius = std::sqrt(1 - z[a] * z[a]);
      const double angle = 2 * kPi * (b + 0.3) / 16;
      double basis[kCount];
      sh_basis(4, Vec3<double>{radius * std::cos(angle), radius * std::sin(angle), z[a]}, basis);
      for (int i = 0; i < kCount; ++i) {
        for (int j = 0; j < kCount; ++j) {
          product[i][j] += weight[a] * 2 * kPi / 16 * basis[i] * basis[j];
        }
      }
    }
  }
  for (int i = 0; i < kCount; ++i) {
    for (int j = 0; j < kCount; ++j) {
      EXPECT_TRUE(test::near(product[i][j], i == j ? 1 : 0, test::kDoubleExact)) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace tessera::math
