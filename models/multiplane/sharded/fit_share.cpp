// SPDX-License-Identifier: MIT
#include "models/multiplane/sharded/fit_share.h"

#include "models/multiplane/alpha_smoothness.h"
#include "models/windows/halo.h"

namespace tessera::models {
namespace {

// Rows of the own page that the rows of the reference picture are.
RowRange page_rows(const RowRange& rows, const core::MultiplaneLayer& layer) {
  const int shift = layer.y - layer.window.top;
  return {rows.begin + shift, rows.end + shift};
}

}  // namespace

std::vector<SharedPhoto> shared_photos(std::span<const PosedPhoto> photos,
                                       const core::PosedCamera& reference,
                                       std::span<const core::MultiplaneLayer> layers,
                                       const RowRange& all, distributed::Communicator& ranks) {
  std::vector<SharedPhoto> shared;
  for (const PosedPhoto& photo : photos) {
    SharedPhoto& s = shared.emplace_back();
    s.camera = photo.camera;
    s.picture = photo.pixels.window();
    s.counted_pixels = core::counted_pixels(s.picture.width, s.picture.height, photo.mask);
    s.strips = strips_of(reference, photo.camera, layers, all, ranks.size());
    for (int rank = 0; rank < ranks.size(); ++rank) {
      const std::span<const Strip> strips = strips_of_rank(s.strips, rank);
      if (!strips.empty()) s.round.push_back({rank, 0, window_of(strips)});
      // Smoothness looks at the next rows.
      const RowRange own = owned_rows(all, rank, ranks.size());
      const RowRange beside = own.empty() ? own : intersection(all, {own.begin - 1, own.end + 1});
      s.needed.push_back(hull(rows_of(strips), beside));
    }
    const core::PixelWindow own = window_of(strips_of_rank(s.strips, ranks.rank()));
    if (own.empty()) continue;
    s.around = core::widened(own, core::kSsimReach, s.picture.width, s.picture.height);
    s.part = {{own.left - s.around.left, own.top - s.around.top, own.width, own.height},
              s.counted_pixels};
    core::crop(photo.pixels, s.around, s.pixels);
    if (!photo.mask.empty()) core::crop(photo.mask, s.around, s.mask);
  }
  return shared;
}

RowRange held_rows(std::span<const SharedPhoto> photos, const RowRange& all, int margin, int rank,
                   int ranks) {
  const RowRange own = owned_rows(all, rank, ranks);
  RowRange held = intersection(all, {own.begin - margin, own.end + margin});
  for (const SharedPhoto& photo : photos) held = hull(held, photo.needed[rank]);
  return held;
}

FitShare::FitShare(core::MultiplaneImageF image, const RowRange& all, const RowRange& held,
                   distributed::Communicator& ranks, core::ThreadPool& pool)
    : ranks_(ranks),
      pool_(pool),
      image_(std::move(image)),
      all_(all),
      held_(held),
      exchange_(ranks, all, held, image_, pool),
      optimizer_(image_, page_rows(exchange_.own(), image_.layers.front())),
      renderer_(render::make_multiplane_renderer("cpu", pool)),
      comparer_(pool),
      of_strip_(render::zero_gradient(image_)),
      gradient_(of_strip_.pages) {}

FitLoss FitShare::draw(const SharedPhoto& photo, math::Vec3<float> background, float ssim_weight) {
  const std::span<const DrawnWindow> own = windows_of(photo.round, ranks_.rank());
  std::vector<const core::ImageF*> colors;
  if (!own.empty()) {
    render::MultiplaneOptions options;
    options.background = background;
    options.window = own.front().window;
    renderer_->forward(image_, photo.camera, options, output_);
    colors.push_back(&output_.color);
  }
  const std::vector<core::ImageF> around =
      with_halos(ranks_, photo.round, {&photo.picture, 1}, colors, core::kSsimReach);
  if (own.empty()) return {};
  const core::ImageF& color = around.front().empty() ? output_.color : around.front();
  const core::PhotoComparison comparison =
      comparer_.compare(color, photo.pixels, photo.mask, &photo.part, ssim_weight, color_gradient_);
  return {comparison.l1, comparison.ssim};
}

FitLoss FitShare::step(const SharedPhoto& photo, math::Vec3<float> background, float ssim_weight,
                       float smoothness, float rate) {
  exchange_.fetch(photo.needed, image_.pages);
  const FitLoss loss = draw(photo, background, ssim_weight);
  std::vector<PlaneRows> parts;
  for (const Strip& strip : strips_of_rank(photo.strips, ranks_.rank())) {
    output_gradient_.window = strip.window;
    core::crop(color_gradient_,
               {strip.window.left - photo.around.left, strip.window.top - photo.around.top,
                strip.window.width, strip.window.height},
               output_gradient_.color);
    renderer_->backward(image_, output_gradient_, of_strip_);
    parts.push_back(exchange_.take(strip.rows, of_strip_.pages));
  }
  exchange_.add_gradients(photo.strips, parts, gradient_);
  if (smoothness > 0) {
    const auto values = static_cast<float>(3 * int64_t{photo.picture.width} * photo.picture.height);
    add_alpha_smoothness(image_, exchange_.own(), smoothness / values, gradient_, pool_);
  }
  optimizer_.step(rate, gradient_, image_, pool_);
  return loss;
}

core::MultiplaneImageF FitShare::whole() {
  const PlaneRows rows = exchange_.gather(image_.pages);
  core::MultiplaneImageF whole;
  whole.camera = image_.camera;
  if (ranks_.rank() != 0) return whole;
  const float* from = rows.values.data();
  for (core::MultiplaneLayer layer : image_.layers) {
    layer.window.top = all_.begin;
    layer.window.height = all_.count();
    core::ImageF& page = whole.pages.emplace_back(layer.window.width + 2 * core::kLayerGutter,
                                                  all_.count() + 2 * core::kLayerGutter, 4);
    page.data.fill(0);
    for (int y = 0; y < all_.count(); ++y, from += 4 * layer.window.width) {
      std::copy_n(from, 4 * layer.window.width, &page.at(layer.x, layer.y + y));
    }
    whole.layers.push_back(layer);
  }
  return whole;
}

}  // namespace tessera::models
