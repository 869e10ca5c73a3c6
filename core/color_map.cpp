// The color maps are published polynomials: "turbo" by A. Mikhailov (2019), "inferno" by
// N. Smith and S. van der Walt (matplotlib, CC0) as fitted by M. Zucker (CC0).
// SPDX-License-Identifier: MIT
#include "core/color_map.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera::core {
namespace {

uint8_t byte_of(float value) {
  return static_cast<uint8_t>(std::clamp(value, 0.0F, 1.0F) * 255 + 0.5F);
}

float polynomial(const float (&coefficients)[7], float x) {
  float value = 0;
  for (int i = 6; i >= 0; --i) value = value * x + coefficients[i];
  return value;
}

void turbo(float x, uint8_t* rgb) {
  static constexpr float kCoefficients[3][7] = {
      {0.13572138F, 4.61539260F, -42.66032258F, 132.13108234F, -152.94239396F, 59.28637943F, 0},
      {0.09140261F, 2.19418839F, 4.84296658F, -14.18503333F, 4.27729857F, 2.82956604F, 0},
      {0.10667330F, 12.64194608F, -60.58204836F, 110.36276771F, -89.90310912F, 27.34824973F, 0}};
  for (int c = 0; c < 3; ++c) rgb[c] = byte_of(polynomial(kCoefficients[c], x));
}

void inferno(float x, uint8_t* rgb) {
  static constexpr float kCoefficients[3][7] = {
      {0.00021894F, 0.10651342F, 11.60249308F, -41.70399613F, 77.16293570F, -71.31942824F,
       25.13112622F},
      {0.00165100F, 0.56395644F, -3.97285397F, 17.43639888F, -33.40235894F, 32.62606426F,
       -12.24266895F},
      {-0.01948090F, 3.93271239F, -15.94239411F, 44.35414520F, -81.80730926F, 73.20951986F,
       -23.07032500F}};
  for (int c = 0; c < 3; ++c) rgb[c] = byte_of(polynomial(kCoefficients[c], x));
}

}  // namespace

Image8 depth_picture(const ImageF& depth) {
  std::vector<float> known;
  for (const float z : depth.data) {
    if (z > 0) known.push_back(1 / z);
  }
  Image8 picture(depth.width, depth.height, 3);
  picture.data.fill(0);
  if (known.empty()) return picture;
  const auto quantile = [&](double part) {
    const auto at = known.begin() + static_cast<int64_t>(part * (known.size() - 1));
    std::nth_element(known.begin(), at, known.end());
    return *at;
  };
  const float far = quantile(0.01);
  const float near = quantile(0.99);
  const float scale = near > far ? 1 / (near - far) : 0;
  for (int64_t i = 0; i < depth.pixel_count(); ++i) {
    if (depth.data[i] > 0) {
      turbo(std::clamp((1 / depth.data[i] - far) * scale, 0.0F, 1.0F), &picture.data[3 * i]);
    }
  }
  return picture;
}

Image8 normal_picture(const ImageF& normal) {
  Image8 picture(normal.width, normal.height, 3);
  for (int64_t i = 0; i < normal.pixel_count(); ++i) {
    const float* n = &normal.data[3 * i];
    const float size = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const float scale = size > 1e-3F ? 0.5F / size : 0;
    const float shift = scale > 0 ? 0.5F : 0;
    picture.data[3 * i] = byte_of(n[0] * scale + shift);
    picture.data[3 * i + 1] = byte_of(-n[1] * scale + shift);
    picture.data[3 * i + 2] = byte_of(-n[2] * scale + shift);
  }
  return picture;
}

Image8 difference_picture(const ImageF& a, const ImageF& b, const Image8& mask, float white_at) {
  Image8 picture(a.width, a.height, 3);
  for (int64_t i = 0; i < a.pixel_count(); ++i) {
    if (!mask.empty() && mask.data[i] == 0) {
      std::fill_n(&picture.data[3 * i], 3, uint8_t{110});
      continue;
    }
    float sum = 0;
    for (int c = 0; c < 3; ++c) sum += std::abs(a.data[3 * i + c] - b.data[3 * i + c]);
    inferno(std::min(sum / (3 * white_at), 1.0F), &picture.data[3 * i]);
  }
  return picture;
}

Image8 shrunk(const Image8& image, int width) {
  if (image.width <= width) return image;
  const double step = static_cast<double>(image.width) / width;
  const int height = std::max(1, static_cast<int>(std::lround(image.height / step)));
  Image8 small(width, height, image.channels);
  const double step_y = static_cast<double>(image.height) / height;
  std::vector<double> sums(image.channels);
  for (int y = 0; y < height; ++y) {
    const double top = y * step_y;
    const double bottom = std::min<double>(top + step_y, image.height);
    for (int x = 0; x < width; ++x) {
      const double left = x * step;
      const double right = std::min<double>(left + step, image.width);
      std::fill(sums.begin(), sums.end(), 0.0);
      double total = 0;
      for (int v = static_cast<int>(top); v < bottom; ++v) {
        const double part_y = std::min<double>(v + 1, bottom) - std::max<double>(v, top);
        for (int u = static_cast<int>(left); u < right; ++u) {
          const double part = part_y * (std::min<double>(u + 1, right) - std::max<double>(u, left));
          total += part;
          for (int c = 0; c < image.channels; ++c) sums[c] += part * image.at(u, v, c);
        }
      }
      for (int c = 0; c < image.channels; ++c) {
        small.at(x, y, c) = static_cast<uint8_t>(sums[c] / total + 0.5);
      }
    }
  }
  return small;
}

}  // namespace tessera::core
