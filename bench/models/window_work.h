// The work of a rank with a window of a view: its counts, and its time on one thread.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <limits>
#include <vector>

#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "core/pixel_window.h"
#include "core/thread_pool.h"
#include "models/gaussian/photo_loss.h"
#include "render/gaussian/backends/cpu.h"
#include "render/gaussian/backends/cpu_blending.h"
#include "render/gaussian/backends/cpu_projection.h"

namespace tessera::models {

struct WindowWork {
  // Tiles, pairs of tile and splat, evaluations of a splat at a pixel.
  std::array<double, 3> counts = {0, 0, 0};
  double seconds = 0;  // of the processor, which other programs do not take part in
};

class WorkingView {
 public:
  WorkingView(const core::GaussianCloud& cloud, const core::PosedCamera& camera)
      : cloud_(cloud), picture_({0, 0, camera.camera.width, camera.camera.height}) {
    projection_.forward(cloud, camera, {});
  }

  const render::CpuProjection& projection() const { return projection_; }
  const core::PixelWindow& picture() const { return picture_; }

  // Per tile of the whole view; valid until the next call.
  core::View<const int64_t> evaluated() {
    draw(picture_, projection_.visible());
    return blending_.evaluated_per_tile();
  }

  // Forward, loss and backward pass of what reaches the window; the least time of so many.
  WindowWork work(const core::PixelWindow& window, int repeats) {
    const int x0 = window.left / render::kTileSize, x1 = render::tiles_along(window.right());
    const int y0 = window.top / render::kTileSize, y1 = render::tiles_along(window.bottom());
    WindowWork work;
    work.counts[0] = (x1 - x0) * (y1 - y0);
    std::vector<uint32_t> reaching;
    for (const uint32_t i : projection_.visible()) {
      const render::TileBounds box = render::tile_bounds(projection_.splats()[i], picture_);
      const int across = std::min(box.x1 + 1, x1) - std::max(box.x0, x0);
      const int down = std::min(box.y1 + 1, y1) - std::max(box.y0, y0);
      if (across <= 0 || down <= 0) continue;
      work.counts[1] += static_cast<double>(across) * down;
      reaching.push_back(i);
    }
    const core::View<const uint32_t> which = {reaching.data(),
                                              static_cast<int64_t>(reaching.size())};
    core::Photo photo;
    photo.pixels = core::Image8(window.width, window.height, 3);
    std::fill(photo.pixels.data.begin(), photo.pixels.data.end(), uint8_t{100});
    gradients_.resize(static_cast<size_t>(cloud_.size()));
    work.seconds = std::numeric_limits<double>::infinity();
    for (int k = 0; k < repeats; ++k) {
      const double start = processor_seconds();
      draw(window, which);
      loss_.evaluate(output_.color, output_.depth, photo, {0, 0, 0}, gradient_);
      blending_.backward(gradient_, false, gradients_.data());
      work.seconds = std::min(work.seconds, processor_seconds() - start);
    }
    work.counts[2] = static_cast<double>(blending_.counts().evaluated_pairs);
    return work;
  }

 private:
  static double processor_seconds() {
    std::timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  void draw(const core::PixelWindow& window, core::View<const uint32_t> which) {
    blending_.forward({projection_.splats(), cloud_.ids.data(), which}, window, {}, output_);
  }

  const core::GaussianCloud& cloud_;
  core::PixelWindow picture_;
  core::ThreadPool pool_{1};
  render::CpuProjection projection_{pool_, render::chosen_cpu_kernels()};
  render::CpuBlending blending_{pool_, render::chosen_cpu_kernels()};
  PhotoLoss loss_{{}, pool_};
  render::RenderOutput output_;
  render::RenderOutputGradient gradient_;
  std::vector<render::CpuSplatGradient> gradients_;
};

}  // namespace tessera::models
