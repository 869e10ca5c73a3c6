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

#include "bench/models/pair_figures.h"
#include "models/multiplane/planner.h"
#include "models/multiplane/stereo.h"

namespace tessera::models {
namespace {

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
  const PairFigures figures = measured(pair, image, pool);
  std::printf("| %s | %s | %.2f | %.3f | %.2f | %.1f | %zu | %.2f | %.2f |\n", pair.name.c_str(),
              label.c_str(), figures.right.psnr, figures.right.ssim, figures.disoccluded_psnr,
              4e-6 * static_cast<double>(texels), image.layers.size(), figures.left.psnr,
              seconds / (1e-6 * static_cast<double>(photo.photo.pixel_count())));
  std::fflush(stdout);
  if (pictures == nullptr) return;
  const std::filesystem::path folder = pictures;
  assets::write_image(folder / (pair.name + "_" + label + ".png"),
                      assets::to_image8(figures.prediction));
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
