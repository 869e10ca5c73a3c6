// Lines and points with a color each, seen through each other by depth.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/math/vec.h"
#include "viewer/camera/view_camera.h"
#include "viewer/gl/object.h"
#include "viewer/gl/program.h"

namespace tessera::viewer {

struct ColoredVertex {
  float x, y, z;
  uint8_t rgba[4];
};

// Vertices in the card's memory.
class VertexList {
 public:
  VertexList();
  void set(const std::vector<ColoredVertex>& vertices);

 private:
  friend class LineDrawer;
  GlVertexArray array_;
  GlBuffer buffer_;
  GLsizei count_ = 0;
};

class LineDrawer {
 public:
  LineDrawer();
  // Each two vertices are a line, into the canvas that is bound.
  void draw_lines(const VertexList& list, const core::Similarity& placement,
                  const Projection& projection) const;
  // Each is a disc of that many pixels.
  void draw_points(const VertexList& list, float pixels, const core::Similarity& placement,
                   const Projection& projection) const;

 private:
  GlProgram lines_, points_;
};

}  // namespace tessera::viewer
