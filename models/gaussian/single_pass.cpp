// The pass of a single rank: every view in turn, by any backend of the rasterizer.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "models/gaussian/photo_loss.h"
#include "models/gaussian/view_pass.h"

namespace tessera::models {
namespace {

class SinglePass final : public ViewPass {
 public:
  explicit SinglePass(const PassContext& context)
      : context_(context),
        rasterizer_(render::make_rasterizer(context.settings.rasterizer, context.pool)),
        photo_loss_(context.settings, context.pool) {}

  // Nothing is exchanged, so nothing is counted.
  SplatCounts splat_counts() const override { return {}; }

  void prefetch(std::span<const StepView> step) override {
    for (const StepView& view : step) context_.photos.prefetch(view.view);
  }

  std::vector<double> run(const core::GaussianCloud& cloud, std::span<const StepView> step,
                          render::RasterizeOptions options, render::RasterizeGradient& gradient,
                          const std::function<void(const ViewStatistics&)>& seen) override {
    std::vector<double> losses;
    for (const StepView& view : step) {
      losses.push_back(run_view(cloud, view, options, gradient, seen));
      if (!std::isfinite(losses.back())) break;
    }
    return losses;
  }

 private:
  double run_view(const core::GaussianCloud& cloud, const StepView& view,
                  render::RasterizeOptions& options, render::RasterizeGradient& gradient,
                  const std::function<void(const ViewStatistics&)>& seen) {
    CameraCorrections& corrections = context_.corrections;
    StageClock& clock = context_.clock;
    const std::shared_ptr<const core::Photo> photo = context_.photos.photo(view.view);
    clock.mark("wait for photo");
    const core::PosedCamera camera =
        corrections.corrected(view.index, context_.photos.camera(view.view));
    check_photo_size(*photo, camera.camera, context_.photos.name(view.view));
    options.background = view.background;
    options.depth = photo_loss_.uses_depth(*photo);
    rasterizer_->forward(cloud, camera, options, output_);
    clock.mark("forward", *rasterizer_);
    if (corrections.exposes()) corrections.expose(view.index, output_.color, exposed_);
    const core::ImageF& color = corrections.exposes() ? exposed_ : output_.color;
    const double loss =
        photo_loss_.evaluate(color, output_.depth, *photo, view.background, output_gradient_)
            .total(context_.settings.ssim_weight);
    clock.mark("loss");
    if (!std::isfinite(loss)) return loss;
    if (corrections.exposes()) {
      corrections.expose_backward(view.index, output_.color, output_gradient_.color);
      clock.mark("loss");
    }
    gradient.camera_rotation = gradient.camera_translation = {0, 0, 0};
    rasterizer_->backward(cloud, output_gradient_, gradient);
    if (corrections.moves()) corrections.move_backward(view.index, camera, gradient);
    clock.mark("backward", *rasterizer_);
    seen({gradient, rasterizer_->radii(), camera.camera.width, camera.camera.height});
    return loss;
  }

  const PassContext context_;
  std::unique_ptr<render::Rasterizer> rasterizer_;
  PhotoLoss photo_loss_;

  // Reused from view to view.
  render::RenderOutput output_;
  core::ImageF exposed_;
  render::RenderOutputGradient output_gradient_;
};

}  // namespace

std::unique_ptr<ViewPass> make_single_pass(const PassContext& context) {
  return std::make_unique<SinglePass>(context);
}

void check_photo_size(const core::Photo& photo, const core::Camera& camera,
                      const std::string& name) {
  if (photo.pixels.width == camera.width && photo.pixels.height == camera.height) return;
  throw core::Error(fmt::format("{} has {}x{} pixels where its camera has {}x{}.", name,
                                photo.pixels.width, photo.pixels.height, camera.width,
                                camera.height));
}

}  // namespace tessera::models
