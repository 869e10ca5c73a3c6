// SPDX-License-Identifier: MIT
#include "apps/commands/evaluate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "assets/photos/image_io.h"
#include "core/metrics.h"
#include "models/gaussian/sharded/sharded_renderer.h"

namespace tessera::apps {

struct Evaluator::Impl {
  Impl(const std::string& backend, distributed::Communicator& world, core::ThreadPool& threads)
      : ranks(world), pool(threads) {
    if (ranks.size() == 1) {
      rasterizer = render::make_rasterizer(backend, pool);
    } else {
      renderer.emplace(ranks, pool);
    }
  }

  // Collective: the picture becomes that of rank `at`.
  void draw(const core::GaussianCloud& cloud, const core::PosedCamera& camera,
            const render::RasterizeOptions& options, int at) {
    if (renderer) return renderer->draw(cloud, camera, options, at, picture);
    rasterizer->forward(cloud, camera, options, output);
    std::swap(picture, output.color);
  }

  distributed::Communicator& ranks;
  core::ThreadPool& pool;
  std::unique_ptr<render::Rasterizer> rasterizer;  // of a single rank
  render::RenderOutput output;
  std::optional<models::ShardedRenderer> renderer;  // of several
  core::ImageF picture;
};

namespace {

// What was drawn beside the photo it was drawn for.
ComparedView compared_view(const core::ImageF& drawn, const core::Photo& photo,
                           math::Vec3<float> background) {
  ComparedView pictures;
  pictures.render = drawn;
  for (float& value : pictures.render.data) value = std::clamp(value, 0.0F, 1.0F);
  pictures.photo = assets::over_background(photo.pixels, background);
  pictures.mask = photo.mask;
  return pictures;
}

ViewFigures figures_of(const core::ImageMetrics& metrics, const std::string& name,
                       const core::Camera& camera) {
  ViewFigures figures;
  figures.name = name;
  figures.width = camera.width;
  figures.height = camera.height;
  figures.counted_pixels = metrics.counted_pixels;
  figures.psnr = metrics.psnr;
  figures.ssim = metrics.ssim;
  if (metrics.ms_ssim_scales == core::kMsSsimScales) figures.ms_ssim = metrics.ms_ssim;
  return figures;
}

}  // namespace

Evaluator::Evaluator(const std::string& rasterizer, distributed::Communicator& ranks,
                     core::ThreadPool& pool)
    : impl_(std::make_unique<Impl>(rasterizer, ranks, pool)) {}

Evaluator::~Evaluator() = default;

ViewFigures Evaluator::measure(const core::GaussianCloud& cloud,
                               const render::RasterizeOptions& options, core::PhotoSource& photos,
                               int view, const core::PosedCamera& camera, ComparedView& compared) {
  impl_->draw(cloud, camera, options, 0);
  if (impl_->ranks.rank() != 0) return {};
  compared = compared_view(impl_->picture, *photos.photo(view), options.background);
  return figures_of(core::measure(compared.render, compared.photo, compared.mask, impl_->pool),
                    photos.name(view), camera.camera);
}

EvalFigures Evaluator::measure_all(
    const core::GaussianCloud& cloud, const render::RasterizeOptions& options,
    core::PhotoSource& photos, const std::vector<int>& views,
    const std::function<bool(size_t index, const ViewFigures&)>& each) {
  distributed::Communicator& ranks = impl_->ranks;
  const size_t together = ranks.size();
  EvalFigures figures;
  bool stop = false;
  for (size_t first = 0; first < views.size() && !stop; first += together) {
    const size_t count = std::min(together, views.size() - first);
    const size_t own = first + ranks.rank();
    if (own + together < views.size()) photos.prefetch(views[own + together]);
    for (size_t r = 0; r < count; ++r) {
      impl_->draw(cloud, photos.camera(views[first + r]), options, static_cast<int>(r));
    }
    core::ImageMetrics metrics;
    if (own < views.size()) {
      const ComparedView pictures =
          compared_view(impl_->picture, *photos.photo(views[own]), options.background);
      metrics = core::measure(pictures.render, pictures.photo, pictures.mask, impl_->pool);
    }
    const std::vector<core::ImageMetrics> all = ranks.all_gather("figures", metrics);
    for (size_t r = 0; r < count; ++r) {
      const int view = views[first + r];
      figures.views.push_back(figures_of(all[r], photos.name(view), photos.camera(view).camera));
      stop = !each(first + r, figures.views.back()) || stop;
    }
    stop = ranks.all_reduce("stop", distributed::Reduction::kMax, int64_t{stop}) != 0;
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
