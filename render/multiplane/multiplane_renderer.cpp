// What all backends refuse, in the same words, and the table of them.
// SPDX-License-Identifier: MIT
#include "render/multiplane/multiplane_renderer.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/table_entry.h"
#include "render/multiplane/backends/cpu.h"
#include "render/multiplane/backends/reference.h"
#include "render/multiplane/tile_size.h"

namespace tessera::render {
namespace {

constexpr MultiplaneRendererEntry kRenderers[] = {
    {"cpu", make_cpu_multiplane_renderer},
    {"reference", make_reference_multiplane_renderer},
};

// The part of `all` that a window stands for.
core::PixelWindow checked(const core::PixelWindow& window, const core::PixelWindow& all) {
  if (window == core::PixelWindow{}) return all;
  const auto between_tiles = [](int place, int end) {
    return place % kMultiplaneTile == 0 || place == end;
  };
  if (window.empty() || !(core::intersection(window, all) == window) ||
      !between_tiles(window.left, all.left) || !between_tiles(window.right(), all.right()) ||
      !between_tiles(window.top, all.top) || !between_tiles(window.bottom(), all.bottom())) {
    throw core::Error(
        fmt::format("a window of {}x{} pixels at {}, {} is not made of tiles of {} pixels of the "
                    "{}x{} at {}, {}",
                    window.width, window.height, window.left, window.top, kMultiplaneTile,
                    all.width, all.height, all.left, all.top));
  }
  return window;
}

// Options with the window that they stand for.
template <class T>
MultiplaneOptions checked_drawing(const core::BasicMultiplaneImage<T>& image,
                                  const core::PosedCamera& target,
                                  const MultiplaneOptions& options) {
  core::check_pinhole(target.camera, "target");
  core::check_multiplane_image(image);
  MultiplaneOptions checked_options = options;
  checked_options.window =
      checked(options.window, {0, 0, target.camera.width, target.camera.height});
  return checked_options;
}

void check_shape(const core::ImageF& gradient, int width, int height, int channels,
                 const std::string& name) {
  if (gradient.width == width && gradient.height == height && gradient.channels == channels) return;
  throw core::Error(fmt::format("the gradient of {} is {}x{}x{}, but {} is {}x{}x{}", name,
                                gradient.width, gradient.height, gradient.channels, name, width,
                                height, channels));
}

}  // namespace

MultiplaneGradient zero_gradient(const core::MultiplaneImageF& image) {
  MultiplaneGradient gradient;
  for (const core::ImageF& page : image.pages) {
    gradient.pages.emplace_back(page.width, page.height, page.channels).data.fill(0);
  }
  gradient.planes.assign(image.layers.size(), {0, 0, 0});
  return gradient;
}

void MultiplaneRenderer::forward(const core::MultiplaneImage& image,
                                 const core::PosedCamera& target, const MultiplaneOptions& options,
                                 MultiplaneOutput& output) {
  drawn_ = nullptr;
  forward_impl(image, target, checked_drawing(image, target, options), output);
}

void MultiplaneRenderer::forward(const core::MultiplaneImageF& image,
                                 const core::PosedCamera& target, const MultiplaneOptions& options,
                                 MultiplaneOutput& output) {
  drawn_ = nullptr;
  const MultiplaneOptions checked_options = checked_drawing(image, target, options);
  forward_impl(image, target, checked_options, output);
  drawn_ = &image;
  drawn_window_ = checked_options.window;
}

void MultiplaneRenderer::backward(const core::MultiplaneImageF& image,
                                  const MultiplaneOutputGradient& output_gradient,
                                  MultiplaneGradient& gradient) {
  if (drawn_ != &image) {
    throw core::Error("backward was called without the forward pass of the same image");
  }
  const core::PixelWindow window = checked(output_gradient.window, drawn_window_);
  const int width = window.width, height = window.height;
  check_shape(output_gradient.color, width, height, 3, "color");
  if (!output_gradient.alpha.empty()) {
    check_shape(output_gradient.alpha, width, height, 1, "alpha");
  }
  if (!output_gradient.disparity.empty()) {
    check_shape(output_gradient.disparity, width, height, 1, "disparity");
  }
  if (gradient.pages.size() != image.pages.size() ||
      gradient.planes.size() != image.layers.size()) {
    throw core::Error("the gradient does not have as many pages and planes as the image");
  }
  for (size_t i = 0; i < image.pages.size(); ++i) {
    const core::ImageF& page = image.pages[i];
    check_shape(gradient.pages[i], page.width, page.height, 4, fmt::format("page {}", i));
  }
  backward_impl(image, window, output_gradient, gradient);
}

std::span<const MultiplaneRendererEntry> multiplane_renderers() {
  return kRenderers;
}

std::unique_ptr<MultiplaneRenderer> make_multiplane_renderer(std::string_view name,
                                                             core::ThreadPool& pool) {
  return core::entry_named(multiplane_renderers(), name, "multiplane renderer").make(pool);
}

}  // namespace tessera::render
