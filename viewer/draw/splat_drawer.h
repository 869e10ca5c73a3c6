// Draws the splats of a store, far to near, into a canvas and shows the result.
//
// Kerbl et al., "3D Gaussian Splatting for Real-Time Radiance Field Rendering", 2023, by blending
// quads. Each visible Gaussian is projected and colored once a frame, into a buffer from which its
// quad's corners are fetched; a quad ends where its splat's alpha falls below 1/255, as the
// rasterizer's does.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/array.h"
#include "core/math/vec.h"
#include "viewer/camera/view_camera.h"
#include "viewer/draw/draw_mode.h"
#include "viewer/draw/splat_store.h"
#include "viewer/gl/canvas.h"
#include "viewer/gl/object.h"
#include "viewer/gl/program.h"

namespace tessera::viewer {

struct SplatStyle {
  DrawMode mode = DrawMode::kSplats;
  bool antialiased = false;
  int sh_degree = core::kMaxShDegree;  // degrees used at most
  math::Vec3<float> background = {0, 0, 0};
  math::Vec3<float> selected = {1, 0.62F, 0.1F};
  float center_radius = 1.5F;                  // in pixels
  math::Vec2<float> depth_shown = {0.5F, 10};  // at the ends of the color scale

  friend bool operator==(const SplatStyle&, const SplatStyle&) = default;
};

class SplatDrawer {
 public:
  SplatDrawer();

  // The order of later draws: numbers of the store's splats.
  void set_order(const core::Array<uint32_t>& order);
  int64_t ordered() const { return ordered_; }

  // Blends into the canvas that is bound, `projection`'s size, over what it holds. `placements`
  // has one entry for each range of the store.
  void draw(const SplatStore& store, const std::vector<core::Similarity>& placements,
            const Projection& projection, const SplatStyle& style);

  // Fills the bound framebuffer from the lower left part of what was blended: pixel by pixel if
  // `sharp`, which it must be as large for.
  void show(const Canvas& blended, int width, int height, bool sharp,
            const SplatStyle& style) const;

 private:
  void project(const SplatStore& store, const std::vector<core::Similarity>& placements,
               const Projection& projection, const SplatStyle& style);

  GlProgram project_, quad_, show_;
  GlVertexArray order_array_, quad_array_;
  GlBuffer order_, projected_, items_, indices_;
  GlTexture projected_texture_;
  int64_t ordered_ = 0;
  int64_t order_capacity_ = 0;
  int64_t projected_capacity_ = 0;
};

}  // namespace tessera::viewer
