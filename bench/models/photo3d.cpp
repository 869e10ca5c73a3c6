// How well the left picture of a stereo pair with its true disparity predicts the right one, by
// every planner: a table in Markdown.
//
//   photo3d FOLDER [PICTURES]    FOLDER has any of aloe/, middlebury_cones/ and motorcycle/
//                                (motorcycle.py); predictions are written to PICTURES if given
//
// Beside the planners as they are, uniform has a row with 64 planes, and adaptive one with the
// disparity that a matcher finds. PSNR and SSIM over right-picture columns from 8 to W -
// ceil(largest disparity) - 2 and rows from 8 to H - 8; disoccluded: those of these pixels that no
// pixel of the left picture moves to. MB: four bytes a texel of all layers, without gutters.
// Seconds per megapixel: of a core to plan and build.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>

#include "bench/models/stereo_pairs.h"
#include "core/metrics.h"
#include "models/multiplane/planner.h"
#include "models/multiplane/screen_fill.h"
#include "models/multiplane/stereo.h"
#include "render/multiplane/multiplane_renderer.h"

namespace tessera::models {
namespace {

core::ImageF predict(const core::MultiplaneImage& image, const core::PosedCamera& camera,
                     core::ThreadPool& pool) {
  render::MultiplaneOptions options;
  options.disparity = true;
  render::MultiplaneOutput output;
  render::make_multiplane_renderer("cpu", pool)->forward(image, camera, options, output);
  fill_screen(output.color, output.alpha, output.disparity, pool);
  return std::move(output.color);
}

double psnr_where(const core::ImageF& render, const core::Image8& photo, const core::Image8& mask) {
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
core::Image8 disoccluded(const StereoPair& pair) {
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

void row(const StereoPair& pair, const core::ImageF& disparity, const std::string& label,
         const PlanSettings& settings, const char* pictures) {
  const DepthPhoto photo = depth_photo(pair, disparity);
  core::ThreadPool one(1);
  core::ThreadPool pool;
  const std::clock_t start = std::clock();
  const core::MultiplaneImage image = build_multiplane(photo, settings, one);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  int64_t texels = 0;
  for (const core::MultiplaneLayer& layer : image.layers) {
    texels += int64_t{layer.window.width} * layer.window.height;
  }
  const core::ImageF left = predict(image, left_camera(pair), pool);
  const core::ImageF right = predict(image, right_camera(pair), pool);

  const float largest = *std::max_element(pair.disparity.data.begin(), pair.disparity.data.end());
  const core::PixelWindow window = {8, 8, right.width - static_cast<int>(std::ceil(largest)) - 10,
                                    right.height - 16};
  core::ImageF predicted;
  core::Image8 truth;
  core::Image8 gaps;
  core::crop(right, window, predicted);
  core::crop(pair.right, window, truth);
  core::crop(disoccluded(pair), window, gaps);
  const core::ImageMetrics metrics = core::measure(predicted, truth, {}, pool);
  std::printf("| %s | %s | %.2f | %.3f | %.2f | %.1f | %zu | %.2f | %.2f |\n", pair.name.c_str(),
              label.c_str(), metrics.psnr, metrics.ssim, psnr_where(predicted, truth, gaps),
              4e-6 * static_cast<double>(texels), image.layers.size(),
              core::measure(left, pair.left, {}, pool).psnr,
              seconds / (1e-6 * static_cast<double>(photo.photo.pixel_count())));
  std::fflush(stdout);
  if (pictures == nullptr) return;
  const std::filesystem::path folder = pictures;
  assets::write_image(folder / (pair.name + "_" + label + ".png"), assets::to_image8(right));
}

}  // namespace
}  // namespace tessera::models

int main(int count, char** arguments) {
  using namespace tessera::models;
  if (count < 2) {
    std::fprintf(stderr, "usage: photo3d FOLDER [PICTURES]\n");
    return 2;
  }
  const char* pictures = count > 2 ? arguments[2] : nullptr;
  try {
    std::printf(
        "| pair | planner | PSNR | SSIM | disoccluded | MB | layers | reference view | s/MP "
        "|\n|---|---|---|---|---|---|---|---|---|\n");
    for (const StereoPair& pair : stereo_pairs(arguments[1])) {
      for (const PlannerEntry& planner : planners()) {
        PlanSettings settings;
        settings.planner = planner.name;
        settings.baseline = 1;
        row(pair, pair.disparity, settings.planner, settings, pictures);
      }
      PlanSettings settings;
      settings.baseline = 1;
      settings.planner = "uniform";
      settings.planes = 64;
      row(pair, pair.disparity, "uniform 64", settings, pictures);
      settings = {};
      settings.baseline = 1;
      row(pair, match_stereo(pair.left, pair.right, pair.left.width / 5), "adaptive, SGBM",
          settings, pictures);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
