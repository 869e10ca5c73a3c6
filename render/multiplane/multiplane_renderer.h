// The differentiable renderer of multiplane images: what every backend gives.
//
// Tucker and Snavely, "Single-View View Synthesis with Multiplane Images", 2020. Each pixel blends
// its layers near to far in the order of their depth at that pixel, however planes cross; of equal
// depths the layer of lower index first. Samples are bilinear, of premultiplied texels; what lies
// outside a layer's window counts as transparent, whatever its page holds there. A layer is seen
// where its plane lies before both cameras and the target camera stands before the plane.
// Results are the same bit for bit for any number of threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/camera.h"
#include "core/image.h"
#include "core/math/vec.h"
#include "core/multiplane_image.h"
#include "core/pixel_window.h"
#include "core/thread_pool.h"

namespace tessera::render {

struct MultiplaneOptions {
  math::Vec3<float> background = {0, 0, 0};  // blended where layers leave it
  bool disparity = false;                    // also disparity
  core::PixelWindow window;  // of the target's picture: its pixels alone are drawn, with the bits
                             // that they have in the whole; made of tiles (tile_size.h) as far as
                             // the picture goes; empty: all
};

// T_i: transmittance before layer i, p_i, a_i: its premultiplied color and alpha, r_i: its inverse
// depth in the target camera. Pictures are [H][W][channels], of the window that was asked for.
struct MultiplaneOutput {
  core::ImageF color;      // 3: sum T_i p_i + T_end background; sRGB
  core::ImageF alpha;      // 1: 1 - T_end
  core::ImageF disparity;  // 1: sum T_i a_i r_i
};

// dL/d of the pictures above; an empty one counts as zero. `color` must not be empty. They may be
// of a part of what was drawn alone: of `window`, in the target's picture, made of tiles.
struct MultiplaneOutputGradient {
  core::PixelWindow window;  // empty: all that was drawn
  core::ImageF color;
  core::ImageF alpha;
  core::ImageF disparity;
};

// What backward adds to, which callers shape and zero.
struct MultiplaneGradient {
  std::vector<core::ImageF> pages;        // of each texel: like the image's pages
  std::vector<math::Vec3<float>> planes;  // of each layer's plane
};

// The gradient of an image's shape, all zero.
MultiplaneGradient zero_gradient(const core::MultiplaneImageF& image);

class MultiplaneRenderer {
 public:
  virtual ~MultiplaneRenderer() = default;

  // Draws `image` from `target`. Throws core::Error for a picture without pixels, a target or
  // reference camera with distortion (its straight lines would bend, and planes map by homographies
  // only without), a focal length that is not positive, a plane that is not finite, pages that are
  // not RGBA, layers that do not lie on their page and a window that is not of the picture.
  // Of bytes, a backend may leave out what lies behind transmittance 1/512 or less.
  void forward(const core::MultiplaneImage& image, const core::PosedCamera& target,
               const MultiplaneOptions& options, MultiplaneOutput& output);
  void forward(const core::MultiplaneImageF& image, const core::PosedCamera& target,
               const MultiplaneOptions& options, MultiplaneOutput& output);

  // Gradients of the last forward, which drew this image of floats, unchanged since.
  void backward(const core::MultiplaneImageF& image,
                const MultiplaneOutputGradient& output_gradient, MultiplaneGradient& gradient);

 private:
  // Windows are never empty.
  virtual void forward_impl(const core::MultiplaneImage& image, const core::PosedCamera& target,
                            const MultiplaneOptions& options, MultiplaneOutput& output) = 0;
  virtual void forward_impl(const core::MultiplaneImageF& image, const core::PosedCamera& target,
                            const MultiplaneOptions& options, MultiplaneOutput& output) = 0;
  virtual void backward_impl(const core::MultiplaneImageF& image, const core::PixelWindow& window,
                             const MultiplaneOutputGradient& output_gradient,
                             MultiplaneGradient& gradient) = 0;

  core::PixelWindow drawn_window_;
  const core::MultiplaneImageF* drawn_ = nullptr;
};

// The table of backends: "cpu" and "reference" (double, brute force: for tests).
struct MultiplaneRendererEntry {
  std::string_view name;
  std::unique_ptr<MultiplaneRenderer> (*make)(core::ThreadPool& pool);
};
std::span<const MultiplaneRendererEntry> multiplane_renderers();

// Throws core::UsageError naming the known ones if there is none of that name. `pool` must outlive
// it.
std::unique_ptr<MultiplaneRenderer> make_multiplane_renderer(std::string_view name,
                                                             core::ThreadPool& pool);

}  // namespace tessera::render
