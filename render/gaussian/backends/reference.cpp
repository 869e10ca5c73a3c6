// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/reference.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/timer.h"
#include "render/gaussian/backends/reference_render.h"

namespace tessera::render {
namespace {

core::ImageF picture(const core::Camera& camera, int channels, const std::vector<double>& values) {
  core::ImageF image(camera.width, camera.height, channels);
  std::transform(values.begin(), values.end(), image.data.begin(),
                 [](double v) { return static_cast<float>(v); });
  return image;
}

std::vector<double> values_of(const core::ImageF& image) {
  return {image.data.begin(), image.data.end()};
}

class ReferenceRasterizer final : public Rasterizer {
 public:
  std::span<const float> radii() const override { return radii_; }
  RasterizeCounts counts() const override { return counts_; }
  void take_stage_times(std::vector<StageTime>& times) override {
    times.insert(times.end(), stage_times_.begin(), stage_times_.end());
    stage_times_.clear();
  }

 private:
  void forward_impl(const core::GaussianCloud& cloud, const core::PosedCamera& camera,
                    const RasterizeOptions& options, RenderOutput& output) override {
    const core::Timer timer;
    scene_.emplace(cloud, camera, options);
    const ReferencePictures pictures = reference_render(*scene_);
    output.color = picture(camera.camera, 3, pictures.color);
    output.alpha = picture(camera.camera, 1, pictures.alpha);
    if (options.depth) {
      output.depth = picture(camera.camera, 1, pictures.depth);
      output.depth_variance = picture(camera.camera, 1, pictures.depth_variance);
      output.median_depth = picture(camera.camera, 1, pictures.median_depth);
    }
    if (options.normals) output.normal = picture(camera.camera, 3, pictures.normal);
    radii_.assign(pictures.radii.begin(), pictures.radii.end());
    counts_.visible = pictures.visible;
    counts_.evaluated_pairs = scene_->count * scene_->pixel_count();
    stage_times_.push_back({"forward", timer.seconds() * 1e3});
  }

  void backward_impl(const core::GaussianCloud& cloud, const RenderOutputGradient& output_gradient,
                     RasterizeGradient& gradient) override {
    const core::Timer timer;
    const ReferenceGradients from = reference_render_vjp(
        *scene_, {values_of(output_gradient.color), values_of(output_gradient.alpha),
                  values_of(output_gradient.depth)});
    const int64_t count = cloud.size();
    for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
      for (int64_t i = 0; i < count; ++i) {
        gradient.parameters.plane(p)[i] += static_cast<float>(from.parameters[p * count + i]);
      }
    }
    split(from.mean2d, gradient.mean2d_x, gradient.mean2d_y);
    if (gradient.absolute) {
      split(from.absolute_mean2d, gradient.absolute_mean2d_x, gradient.absolute_mean2d_y);
    }
    if (gradient.pose) {
      gradient.camera_rotation = gradient.camera_rotation + from.camera_rotation;
      gradient.camera_translation = gradient.camera_translation + from.camera_translation;
    }
    gradient.background = gradient.background + from.background;
    stage_times_.push_back({"backward", timer.seconds() * 1e3});
  }

  static void split(const std::vector<math::Vec2<double>>& from, core::Array<float>& x,
                    core::Array<float>& y) {
    x.resize(static_cast<int64_t>(from.size()));
    y.resize(x.size());
    for (int64_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(from[i].x);
      y[i] = static_cast<float>(from[i].y);
    }
  }

  std::optional<ReferenceScene> scene_;
  std::vector<float> radii_;
  RasterizeCounts counts_;
  std::vector<StageTime> stage_times_;
};

}  // namespace

std::unique_ptr<Rasterizer> make_reference_rasterizer(core::ThreadPool&) {
  return std::make_unique<ReferenceRasterizer>();
}

}  // namespace tessera::render
