// How well a multiplane image of a pair's left picture predicts the right one.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/models/stereo_pairs.h"
#include "core/metrics.h"
#include "models/multiplane/screen_fill.h"
#include "render/multiplane/multiplane_renderer.h"

namespace tessera::models {

inline core::ImageF predict(const core::MultiplaneImage& image, const core::PosedCamera& camera,
                            core::ThreadPool& pool) {
  render::MultiplaneOptions options;
  options.disparity = true;
  render::MultiplaneOutput output;
  render::make_multiplane_renderer("cpu", pool)->forward(image, camera, options, output);
  fill_screen(output.color, output.alpha, output.disparity, pool);
  return std::move(output.color);
}

inline double psnr_where(const core::ImageF& render, const core::Image8& photo,
                         const core::Image8& mask) {
  double squares = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < mask.pixel_count(); ++i) {
    if (mask.data[i] == 0) continue;
    for (int c = 0; c < 3; ++c) {
      const double value = std::clamp(render.data[3 * i + c], 0.0F, 1.0F);
      const double difference = value - photo.data[3 * i + c] / 255.0;
      squares += difference * difference;
      ++count;
    }
  }
  return -10 * std::log10(squares / static_cast<double>(count));
}

// Of the right picture: 255 where no pixel of known disparity comes to lie.
inline core::Image8 disoccluded(const StereoPair& pair) {
  core::Image8 mask(pair.left.width, pair.left.height, 1);
  mask.data.fill(255);
  for (int y = 0; y < mask.height; ++y) {
    for (int x = 0; x < mask.width; ++x) {
      const float disparity = pair.disparity.at(x, y);
      if (disparity == 0) continue;
      const float to = static_cast<float>(x) - disparity;
      for (const float place : {std::floor(to), std::ceil(to)}) {
        if (place >= 0) mask.at(static_cast<int>(place), y) = 0;
      }
    }
  }
  return mask;
}

struct PairFigures {
  core::ImageF prediction;      // of the right picture
  core::ImageMetrics right;     // over columns from 8 to W - ceil(largest disparity) - 2 and rows
                                // from 8 to H - 8
  double disoccluded_psnr = 0;  // of these, those that no pixel of the left picture moves to
  core::ImageMetrics left;      // of the reference view
};

inline PairFigures measured(const StereoPair& pair, const core::MultiplaneImage& image,
                            core::ThreadPool& pool) {
  PairFigures figures;
  figures.left = core::measure(predict(image, left_camera(pair), pool), pair.left, {}, pool);
  figures.prediction = predict(image, right_camera(pair), pool);
  const float largest = *std::max_element(pair.disparity.data.begin(), pair.disparity.data.end());
  const core::PixelWindow window = {
      8, 8, figures.prediction.width - static_cast<int>(std::ceil(largest)) - 10,
      figures.prediction.height - 16};
  core::ImageF predicted;
  core::Image8 truth;
  core::Image8 gaps;
  core::crop(figures.prediction, window, predicted);
  core::crop(pair.right, window, truth);
  core::crop(disoccluded(pair), window, gaps);
  figures.right = core::measure(predicted, truth, {}, pool);
  figures.disoccluded_psnr = psnr_where(predicted, truth, gaps);
  return figures;
}

}  // namespace tessera::models
