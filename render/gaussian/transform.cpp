// SPDX-License-Identifier: MIT
#include "render/gaussian/transform.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "core/math/quat.h"
#include "core/math/sh.h"

namespace tessera::render {
namespace {

using math::Mat3;
using math::Vec3;

constexpr int kMostCoefficients = 25;
constexpr int kDirections = 64;

// Evenly over the sphere, by the golden angle.
Vec3<double> direction(int k) {
  const double z = 1 - (2 * k + 1.0) / kDirections;
  const double r = std::sqrt(1 - z * z);
  const double angle = k * std::numbers::pi * (3 - std::sqrt(5.0));
  return {r * std::cos(angle), r * std::sin(angle), z};
}

// Solves a x = b for `columns` right sides at once, in place of b. Rows are exchanged for size.
void solve(std::array<double, 81>& a, std::array<double, 81>& b, int n) {
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    }
    for (int j = 0; j < n; ++j) {
      std::swap(a[k * n + j], a[best * n + j]);
      std::swap(b[k * n + j], b[best * n + j]);
    }
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double f = a[i * n + k] / a[k * n + k];
      for (int j = 0; j < n; ++j) {
        a[i * n + j] -= f * a[k * n + j];
        b[i * n + j] -= f * b[k * n + j];
      }
    }
  }
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) b[k * n + j] /= a[k * n + k];
  }
}

void rotate_colors(core::GaussianCloud& cloud, const Mat3<double>& rotation,
                   const std::vector<int64_t>& moved) {
  for (int degree = 1; degree <= cloud.sh_degree; ++degree) {
    const ShRotation turn = sh_rotation(rotation, degree);
    const int n = 2 * degree + 1, first = degree * degree;
    for (int c = 0; c < 3; ++c) {
      float* planes[9];
      for (int k = 0; k < n; ++k) planes[k] = cloud.plane(core::kShPlane + 3 * (first + k) + c);
      for (const int64_t i : moved) {
        double turned[9];
        for (int row = 0; row < n; ++row) {
          turned[row] = 0;
          for (int k = 0; k < n; ++k) turned[row] += turn.m[row * n + k] * planes[k][i];
        }
        for (int k = 0; k < n; ++k) planes[k][i] = static_cast<float>(turned[k]);
      }
    }
  }
}

void rotate_axes(core::GaussianCloud& cloud, const Mat3<double>& rotation,
                 const std::vector<int64_t>& moved) {
  const math::Vec4<double> r = math::quaternion_from_rotation(rotation);
  float* planes[4];
  for (int k = 0; k < 4; ++k) planes[k] = cloud.plane(core::kQuaternionPlane + k);
  for (const int64_t i : moved) {
    const double w = planes[0][i], x = planes[1][i], y = planes[2][i], z = planes[3][i];
    planes[0][i] = static_cast<float>(r.w * w - r.x * x - r.y * y - r.z * z);
    planes[1][i] = static_cast<float>(r.w * x + r.x * w + r.y * z - r.z * y);
    planes[2][i] = static_cast<float>(r.w * y - r.x * z + r.y * w + r.z * x);
    planes[3][i] = static_cast<float>(r.w * z + r.x * y - r.y * x + r.z * w);
  }
}

}  // namespace

ShRotation sh_rotation(const Mat3<double>& rotation, int degree) {
  // f'(d) = f(R^T d): over many directions Y_k(R^T d) = sum_j m_jk Y_j(d), by least squares.
  const int n = 2 * degree + 1, first = degree * degree;
  std::array<double, 81> products = {};
  ShRotation turn;
  turn.degree = degree;
  for (int k = 0; k < kDirections; ++k) {
    double here[kMostCoefficients], back[kMostCoefficients];
    math::sh_basis<double>(degree, direction(k), here);
    math::sh_basis<double>(degree, math::transposed_times(rotation, direction(k)), back);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        products[i * n + j] += here[first + i] * here[first + j];
        turn.m[i * n + j] += here[first + i] * back[first + j];
      }
    }
  }
  solve(products, turn.m, n);
  return turn;
}

void transform(core::GaussianCloud& cloud, const core::Similarity& similarity,
               core::View<const uint8_t> moved) {
  std::vector<int64_t> which;
  for (int64_t i = 0; i < cloud.size(); ++i) {
    if (moved.empty() || moved[i] != 0) which.push_back(i);
  }
  const bool turned = !(similarity.rotation == Mat3<double>::identity());
  const bool shifted = !(similarity.translation == Vec3<double>{0, 0, 0});
  if (turned || shifted || similarity.scale != 1) {
    float* means[3];
    for (int a = 0; a < 3; ++a) means[a] = cloud.plane(core::kMeanPlane + a);
    for (const int64_t i : which) {
      const Vec3<double> p = similarity({means[0][i], means[1][i], means[2][i]});
      means[0][i] = static_cast<float>(p.x);
      means[1][i] = static_cast<float>(p.y);
      means[2][i] = static_cast<float>(p.z);
    }
  }
  if (similarity.scale != 1) {
    const auto more = static_cast<float>(std::log(similarity.scale));
    for (int a = 0; a < 3; ++a) {
      for (const int64_t i : which) cloud.plane(core::kLogScalePlane + a)[i] += more;
    }
  }
  if (turned) {
    rotate_axes(cloud, similarity.rotation, which);
    rotate_colors(cloud, similarity.rotation, which);
  }
}

}  // namespace tessera::render
