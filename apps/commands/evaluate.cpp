// SPDX-License-Identifier: MIT
#include "apps/commands/evaluate.h"

#include <algorithm>
#include <cmath>

#include "core/metrics.h"

namespace tessera::apps {

struct Evaluator::Impl {
  Impl(const std::string& backend, core::ThreadPool& threads)
      : pool(threads), rasterizer(render::make_rasterizer(backend, threads)) {}

  core::ThreadPool& pool;
  std::unique_ptr<render::Rasterizer> rasterizer;
  render::RenderOutput output;
};

namespace {

// Bytes as values of 0 to 1, laid over the background where the photo is transparent.
core::ImageF over_background(const core::Image8& photo, math::Vec3<float> background) {
  core::ImageF result(photo.width, photo.height, 3);
  const float behind[3] = {background.x, background.y, background.z};
  for (int64_t i = 0; i < photo.pixel_count(); ++i) {
    const uint8_t* in = &photo.data[i * photo.channels];
    const float alpha = photo.channels == 4 ? in[3] / 255.0F : 1;
    for (int c = 0; c < 3; ++c) {
      const float value = in[photo.channels >= 3 ? c : 0] / 255.0F;
      result.data[3 * i + c] = alpha * value + (1 - alpha) * behind[c];
    }
  }
  return result;
}

}  // namespace

Evaluator::Evaluator(const std::string& rasterizer, core::ThreadPool& pool)
    : impl_(std::make_unique<Impl>(rasterizer, pool)) {}

Evaluator::~Evaluator() = default;

ViewFigures Evaluator::measure(const core::GaussianCloud& cloud,
                               const render::RasterizeOptions& options, core::PhotoSource& photos,
                               int view, const core::PosedCamera& camera, ComparedView* compared) {
  const std::shared_ptr<const core::Photo> photo = photos.photo(view);
  impl_->rasterizer->forward(cloud, camera, options, impl_->output);
  ComparedView pictures;
  pictures.render = impl_->output.color;
  for (float& value : pictures.render.data) value = std::clamp(value, 0.0F, 1.0F);
  pictures.photo = over_background(photo->pixels, options.background);
  pictures.mask = photo->mask;
  const core::ImageMetrics metrics =
      core::measure(pictures.render, pictures.photo, pictures.mask, impl_->pool);
  ViewFigures figures;
  figures.name = photos.name(view);
  figures.width = pictures.photo.width;
  figures.height = pictures.photo.height;
  figures.counted_pixels = metrics.counted_pixels;
  figures.psnr = metrics.psnr;
  figures.ssim = metrics.ssim;
  if (metrics.ms_ssim_scales == core::kMsSsimScales) figures.ms_ssim = metrics.ms_ssim;
  if (compared != nullptr) *compared = std::move(pictures);
  return figures;
}

EvalFigures Evaluator::measure_all(
    const core::GaussianCloud& cloud, const render::RasterizeOptions& options,
    core::PhotoSource& photos, const std::vector<int>& views,
    const std::function<bool(size_t index, const ViewFigures&)>& each) {
  EvalFigures figures;
  for (size_t i = 0; i < views.size(); ++i) {
    if (i + 1 < views.size()) photos.prefetch(views[i + 1]);
    figures.views.push_back(measure(cloud, options, photos, views[i], photos.camera(views[i])));
    if (!each(i, figures.views.back())) break;
  }
  take_means(figures);
  return figures;
}

void take_means(EvalFigures& figures) {
  double psnr = 0;
  double ssim = 0;
  double ms_ssim = 0;
  int counted = 0;
  int with_scales = 0;
  for (const ViewFigures& view : figures.views) {
    if (view.counted_pixels == 0) continue;
    ++counted;
    psnr += view.psnr;
    ssim += view.ssim;
    if (view.ms_ssim) {
      ++with_scales;
      ms_ssim += *view.ms_ssim;
    }
  }
  figures.psnr = counted > 0 ? psnr / counted : 0;
  figures.ssim = counted > 0 ? ssim / counted : 0;
  figures.ms_ssim.reset();
  if (counted > 0 && with_scales == counted) figures.ms_ssim = ms_ssim / counted;
}

}  // namespace tessera::apps
