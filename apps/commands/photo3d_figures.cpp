// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_figures.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "assets/photos/image_io.h"
#include "core/color_map.h"

namespace tessera::apps {
namespace {

// What a view is held against.
struct Truth {
  const core::Image8& pixels;
  const core::Image8& mask;
};

double inner_psnr(const core::ImageF& render, const Truth& photo, core::ThreadPool& pool) {
  const int margin_x = photo.pixels.width / 10;
  const int margin_y = photo.pixels.height / 10;
  const core::PixelWindow inner = {margin_x, margin_y, photo.pixels.width - 2 * margin_x,
                                   photo.pixels.height - 2 * margin_y};
  core::ImageF of_render;
  core::Image8 of_photo;
  core::Image8 of_mask;
  core::crop(render, inner, of_render);
  core::crop(photo.pixels, inner, of_photo);
  if (!photo.mask.empty()) core::crop(photo.mask, inner, of_mask);
  return core::measure(std::move(of_render), of_photo, of_mask, pool).psnr;
}

MeasuredView measured(const std::string& name, const Truth& photo, core::ImageF render,
                      core::ThreadPool& pool) {
  MeasuredView view;
  view.name = name;
  view.shown = {
      view.name, "", report_picture(photo.pixels), report_picture(assets::to_image8(render)),
      report_picture(core::difference_picture(assets::over_background(photo.pixels, {0, 0, 0}),
                                              render, photo.mask, core::kDifferenceWhiteAt))};
  view.inner_psnr = inner_psnr(render, photo, pool);
  view.metrics = core::measure(std::move(render), photo.pixels, photo.mask, pool);
  view.shown.figures = figures_text(view);
  return view;
}

}  // namespace

std::string figures_text(const MeasuredView& view) {
  return fmt::format("PSNR {:.2f} dB ({:.2f} in the inner 80 %), SSIM {:.4f}", view.metrics.psnr,
                     view.inner_psnr, view.metrics.ssim);
}

std::vector<MeasuredView> measured_views(const Photo3dInput& input, MultiplanePainter& painter,
                                         core::ThreadPool& pool) {
  std::vector<MeasuredView> views;
  const core::Image8 all_count;
  if (input.photos.empty()) {
    views.push_back(measured("photo", {input.photo.photo, all_count}, painter.take(), pool));
  } else if (input.measured.empty()) {
    const models::PosedPhoto& photo = input.photos[input.reference];
    views.push_back(measured("reference photo", {photo.pixels, photo.mask}, painter.take(), pool));
  }
  for (const auto& [name, photo] : input.measured) {
    painter.paint(photo.camera);
    views.push_back(measured(name, {photo.pixels, photo.mask}, painter.take(), pool));
  }
  return views;
}

std::vector<MeasuredView> measured_frames(const models::DepthClip& clip,
                                          const models::ClipLoop& loop,
                                          core::MultiplaneVideo& video, MultiplanePainter& painter,
                                          core::ThreadPool& pool) {
  const auto first = static_cast<size_t>(loop.faded);
  const size_t last = loop.frames.size() - 1;
  const core::Image8 all_count;
  std::vector<MeasuredView> views;
  for (const size_t frame : std::set<size_t>{first, (first + last) / 2, last}) {
    video.show(static_cast<int64_t>(frame));
    const int of_clip = loop.frames[frame].first;
    painter.paint(clip.camera);
    views.push_back(measured(fmt::format("frame {}", of_clip + 1),
                             {clip.frames[of_clip], all_count}, painter.take(), pool));
  }
  video.show(0);
  return views;
}

FitFigures measured_fit(const Photo3dInput& input, MultiplanePainter& painter,
                        core::ThreadPool& pool, core::Log& log) {
  FitFigures figures;
  int counted = 0;
  for (size_t i = 0; i < input.photos.size(); ++i) {
    const models::PosedPhoto& photo = input.photos[i];
    const core::ImageMetrics metrics =
        core::measure(painter.paint(photo.camera), photo.pixels, photo.mask, pool);
    if (metrics.counted_pixels == 0) continue;
    figures.mean_psnr += metrics.psnr;
    if (counted == 0 || metrics.psnr < figures.worst_psnr) {
      figures.worst_psnr = metrics.psnr;
      figures.worst = input.names[i];
    }
    ++counted;
  }
  if (counted == 0) return figures;
  figures.mean_psnr /= counted;
  log.info("The photos that were fitted: PSNR {:.2f} dB in the mean, {:.2f} the worst ({}).",
           figures.mean_psnr, figures.worst_psnr, figures.worst);
  // Photos within a hand's breadth reach 40 dB, those from all around an object less than 20.
  constexpr double kIsBlurred = 26;
  if (figures.mean_psnr < kIsBlurred) {
    log.warning(
        "Planes before one camera do not explain these photos ({:.1f} dB): views will be blurred; "
        "choose photos that stand near one another with --views.",
        figures.mean_psnr);
  }
  return figures;
}

}  // namespace tessera::apps
