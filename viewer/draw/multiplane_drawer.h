// Draws multiplane images: each layer a quad with its texels, far to near as the reference camera
// sees them.
//
// That order is right for every camera before the layers where planes do not cross; where they do,
// the whole layer that is nearer in its middle wins (the exact renderer of render/multiplane orders
// each pixel). Texels are premultiplied, sampled as there, transparent outside of their layer.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "core/multiplane_image.h"
#include "viewer/camera/view_camera.h"
#include "viewer/draw/line_drawer.h"
#include "viewer/gl/object.h"
#include "viewer/gl/program.h"

namespace tessera::viewer {

// An image in the card's memory.
class MultiplaneOnCard {
 public:
  explicit MultiplaneOnCard(const core::MultiplaneImage& image);

  const VertexList& outlines() const { return outlines_; }

 private:
  friend class MultiplaneDrawer;

  struct Run {  // of layers that are neighbors in the order and lie on one page
    int page = 0;
    GLint first = 0;  // vertex
    GLsizei count = 0;
  };

  std::vector<GlTexture> pages_;
  GlVertexArray array_;
  GlBuffer vertices_;
  std::vector<Run> runs_;
  VertexList outlines_;
};

class MultiplaneDrawer {
 public:
  MultiplaneDrawer();
  // Blends over the canvas that is bound.
  void draw(const MultiplaneOnCard& image, const core::Similarity& placement,
            const Projection& projection) const;

 private:
  GlProgram program_;
};

}  // namespace tessera::viewer
