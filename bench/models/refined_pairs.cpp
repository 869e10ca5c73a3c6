// What a refiner makes of the prediction of right pictures of stereo pairs: a table in Markdown.
//
//   refined_pairs FOLDER WEIGHTS [PICTURES]    FOLDER as of photo3d; predictions, plain and
//                                              refined, are written to PICTURES if given
//
// Figures as of photo3d, of the adaptive planner and the true disparity.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <exception>

#include "assets/safetensors.h"
#include "bench/models/pair_figures.h"
#include "core/timer.h"
#include "models/multiplane/refiner/refine.h"

namespace tessera::models {
namespace {

void row(const StereoPair& pair, const char* label, const core::MultiplaneImage& image,
         double seconds, const char* pictures, core::ThreadPool& pool) {
  const PairFigures figures = measured(pair, image, pool);
  std::printf("| %s | %s | %.2f | %.4f | %.2f | %.2f | %.1f |\n", pair.name.c_str(), label,
              figures.right.psnr, figures.right.ssim, figures.disoccluded_psnr, figures.left.psnr,
              seconds);
  std::fflush(stdout);
  if (pictures == nullptr) return;
  assets::write_image(std::filesystem::path(pictures) / (pair.name + "_" + label + ".png"),
                      assets::to_image8(figures.prediction));
}

}  // namespace
}  // namespace tessera::models

int main(int count, char** arguments) {
  using namespace tessera;
  if (count < 3) {
    std::fprintf(stderr, "usage: refined_pairs FOLDER WEIGHTS [PICTURES]\n");
    return 2;
  }
  const char* pictures = count > 3 ? arguments[3] : nullptr;
  try {
    std::printf(
        "| pair | image | PSNR | SSIM | disoccluded | reference view | s |\n"
        "|---|---|---|---|---|---|---|\n");
    core::ThreadPool pool;
    const core::TensorMap weights = assets::read_safetensors(arguments[2]);
    for (const models::StereoPair& pair : models::stereo_pairs(arguments[1])) {
      models::PlanSettings settings;
      settings.baseline = 1;
      core::Timer timer;
      const core::MultiplaneImage image =
          build_multiplane(depth_photo(pair, pair.disparity), settings, pool);
      models::row(pair, "plain", image, timer.seconds(), pictures, pool);
      timer = {};
      const core::MultiplaneImage refined =
          models::refined_multiplane(image, weights, pool, [](int64_t, int64_t) {});
      models::row(pair, "refined", refined, timer.seconds(), pictures, pool);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
