// SPDX-License-Identifier: MIT
#include "core/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/ssim.h"

namespace tessera::core {
namespace {

constexpr double kScaleWeights[kMsSsimScales] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};

struct Pair {
  ImageF render;
  ImageF photo;
  Image8 mask;
};

ImageF clamped(ImageF image) {
  for (float& value : image.data) value = std::clamp(value, 0.0F, 1.0F);
  return image;
}

bool counts(const Image8& mask, int x, int y) {
  return mask.empty() || mask.at(x, y) >= kMaskThreshold;
}

// The picture at half the size: the mean of those of four pixels that count. An odd last row or
// column is left out.
ImageF halved(const ImageF& image, const Image8& mask) {
  ImageF half(image.width / 2, image.height / 2, image.channels);
  for (int y = 0; y < half.height; ++y) {
    for (int x = 0; x < half.width; ++x) {
      for (int c = 0; c < half.channels; ++c) {
        float sum = 0;
        int count = 0;
        for (int k = 0; k < 4; ++k) {
          const int from_x = 2 * x + k % 2;
          const int from_y = 2 * y + k / 2;
          if (!counts(mask, from_x, from_y)) continue;
          sum += image.at(from_x, from_y, c);
          ++count;
        }
        half.at(x, y, c) = count > 0 ? sum / static_cast<float>(count) : 0.0F;
      }
    }
  }
  return half;
}

Image8 halved_mask(const Image8& mask) {
  if (mask.empty()) return {};
  Image8 half(mask.width / 2, mask.height / 2, 1);
  for (int y = 0; y < half.height; ++y) {
    for (int x = 0; x < half.width; ++x) {
      half.at(x, y) = std::max({mask.at(2 * x, 2 * y), mask.at(2 * x + 1, 2 * y),
                                mask.at(2 * x, 2 * y + 1), mask.at(2 * x + 1, 2 * y + 1)});
    }
  }
  return half;
}

static_assert(kMsSsimShortestSide == kSsimTaps << (kMsSsimScales - 1));

int usable_scales(int width, int height) {
  int scales = 0;
  for (int side = std::min(width, height); side >= kSsimTaps && scales < kMsSsimScales; side /= 2) {
    ++scales;
  }
  return scales;
}

double ms_ssim(Pair pair, int scales, PhotoComparer& comparer) {
  double weight_sum = 0;
  for (int s = 0; s < scales; ++s) weight_sum += kScaleWeights[s];
  double product = 1;
  for (int s = 0; s < scales; ++s) {
    const PhotoComparison here = comparer.compare(pair.render, pair.photo, pair.mask, kSsimRadius);
    const double similarity = s + 1 < scales ? here.structure : here.ssim;
    product *= std::pow(std::max(0.0, similarity), kScaleWeights[s] / weight_sum);
    if (s + 1 == scales) break;
    pair = {halved(pair.render, pair.mask), halved(pair.photo, pair.mask), halved_mask(pair.mask)};
  }
  return product;
}

ImageMetrics measure_pair(Pair pair, ThreadPool& pool) {
  PhotoComparer comparer(pool);
  const PhotoComparison comparison = comparer.compare(pair.render, pair.photo, pair.mask);
  ImageMetrics metrics;
  metrics.counted_pixels = comparison.counted_pixels;
  metrics.ssim = comparison.ssim;
  metrics.psnr = psnr(pair.render, pair.photo, pair.mask);
  metrics.ms_ssim_scales = usable_scales(pair.render.width, pair.render.height);
  metrics.ms_ssim = metrics.ms_ssim_scales == 0
                        ? metrics.ssim
                        : ms_ssim(std::move(pair), metrics.ms_ssim_scales, comparer);
  return metrics;
}

}  // namespace

ImageF unit_floats(const Image8& image) {
  ImageF result(image.width, image.height, image.channels);
  for (int64_t i = 0; i < image.data.size(); ++i) {
    result.data[i] = static_cast<float>(image.data[i]) * (1.0F / 255.0F);
  }
  return result;
}

double psnr(const ImageF& render, const ImageF& photo, const Image8& mask) {
  double squares = 0;
  int64_t pixels = 0;
  for (int y = 0; y < render.height; ++y) {
    for (int x = 0; x < render.width; ++x) {
      if (!counts(mask, x, y)) continue;
      ++pixels;
      for (int c = 0; c < render.channels; ++c) {
        const double difference = double{render.at(x, y, c)} - photo.at(x, y, c);
        squares += difference * difference;
      }
    }
  }
  if (squares == 0) return std::numeric_limits<double>::infinity();
  return -10.0 * std::log10(squares / static_cast<double>(pixels * render.channels));
}

ImageMetrics measure(ImageF render, const ImageF& photo, const Image8& mask, ThreadPool& pool) {
  return measure_pair({clamped(std::move(render)), clamped(photo), mask}, pool);
}

ImageMetrics measure(ImageF render, const Image8& photo, const Image8& mask, ThreadPool& pool) {
  return measure_pair({clamped(std::move(render)), clamped(unit_floats(photo)), mask}, pool);
}

}  // namespace tessera::core
