// What all backends refuse, in the same words, and the table of them.
// SPDX-License-Identifier: MIT
#include "render/gaussian/rasterizer.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/table_entry.h"
#include "render/gaussian/backends/cpu.h"
#include "render/gaussian/backends/reference.h"

namespace tessera::render {
namespace {

constexpr RasterizerEntry kRasterizers[] = {
    {"cpu", make_cpu_rasterizer},
    {"reference", make_reference_rasterizer},
};

void check_shape(const core::ImageF& gradient, const core::Camera& camera, int channels,
                 const char* name) {
  if (gradient.width == camera.width && gradient.height == camera.height &&
      gradient.channels == channels) {
    return;
  }
  throw core::Error(fmt::format("the gradient of {} is {}x{}x{}, but the picture is {}x{}x{}", name,
                                gradient.width, gradient.height, gradient.channels, camera.width,
                                camera.height, channels));
}

}  // namespace

void Rasterizer::forward(const core::GaussianCloud& cloud, const core::PosedCamera& camera,
                         const RasterizeOptions& options, RenderOutput& output) {
  const core::Camera& c = camera.camera;
  if (c.width < 1 || c.height < 1) {
    throw core::Error(fmt::format("cannot render a picture of {}x{} pixels", c.width, c.height));
  }
  if (!(c.fx > 0) || !(c.fy > 0)) {
    throw core::Error(fmt::format("cannot render with a focal length of {} x {}", c.fx, c.fy));
  }
  if (options.sh_degree < 0 || options.sh_degree > core::kMaxShDegree) {
    throw core::Error(
        fmt::format("SH degree {} is not one of 0 to {}", options.sh_degree, core::kMaxShDegree));
  }
  forward_impl(cloud, camera, options, output);
  camera_ = camera;
  cloud_size_ = cloud.size();
}

void Rasterizer::backward(const core::GaussianCloud& cloud,
                          const RenderOutputGradient& output_gradient,
                          RasterizeGradient& gradient) {
  if (cloud_size_ != cloud.size()) {
    throw core::Error("backward was called without the forward pass of the same cloud");
  }
  check_shape(output_gradient.color, camera_.camera, 3, "color");
  if (!output_gradient.alpha.empty())
    check_shape(output_gradient.alpha, camera_.camera, 1, "alpha");
  if (!output_gradient.depth.empty())
    check_shape(output_gradient.depth, camera_.camera, 1, "depth");
  if (gradient.parameters.plane_count() != cloud.parameters.plane_count() ||
      gradient.parameters.size() != cloud.size()) {
    throw core::Error("the gradient's planes do not have the shape of the cloud's");
  }
  backward_impl(cloud, output_gradient, gradient);
}

std::span<const RasterizerEntry> rasterizers() {
  return kRasterizers;
}

std::unique_ptr<Rasterizer> make_rasterizer(std::string_view name, core::ThreadPool& pool) {
  return core::entry_named(rasterizers(), name, "rasterizer").make(pool);
}

}  // namespace tessera::render
