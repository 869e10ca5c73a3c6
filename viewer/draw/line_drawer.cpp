// SPDX-License-Identifier: MIT
#include "viewer/draw/line_drawer.h"

#include <cstddef>

namespace tessera::viewer {
namespace {

constexpr const char* kVertex = R"(
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 color;
uniform mat4 clip_from_item;
uniform float point_size;
out vec4 vertex_color;
void main() {
  gl_Position = clip_from_item * vec4(position, 1.0);
  gl_PointSize = point_size;
  vertex_color = color;
}
)";

constexpr const char* kLineFragment = R"(
in vec4 vertex_color;
out vec4 pixel;
void main() { pixel = vec4(vertex_color.rgb * vertex_color.a, vertex_color.a); }
)";

constexpr const char* kPointFragment = R"(
in vec4 vertex_color;
out vec4 pixel;
void main() {
  vec2 d = 2.0 * gl_PointCoord - 1.0;
  if (dot(d, d) > 1.0) discard;
  pixel = vec4(vertex_color.rgb, 1.0);
}
)";

}  // namespace

VertexList::VertexList() {
  glBindVertexArray(array_.name());
  glBindBuffer(GL_ARRAY_BUFFER, buffer_.name());
  glEnableVertexAttribArray(0);
  glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(ColoredVertex), nullptr);
  glEnableVertexAttribArray(1);
  glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(ColoredVertex),
                        reinterpret_cast<const void*>(offsetof(ColoredVertex, rgba)));
  glBindVertexArray(0);
}

void VertexList::set(const std::vector<ColoredVertex>& vertices) {
  count_ = static_cast<GLsizei>(vertices.size());
  glBindBuffer(GL_ARRAY_BUFFER, buffer_.name());
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size() * sizeof(ColoredVertex)),
               vertices.data(), GL_STATIC_DRAW);
}

LineDrawer::LineDrawer() : lines_(kVertex, kLineFragment), points_(kVertex, kPointFragment) {}

void LineDrawer::draw_lines(const VertexList& list, const core::Similarity& placement,
                            const Projection& projection) const {
  if (list.count_ == 0) return;
  lines_.use();
  float rows[16];
  clip_from_item(projection, placement, rows);
  lines_.set_matrix("clip_from_item", rows);
  glEnable(GL_DEPTH_TEST);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glBindVertexArray(list.array_.name());
  glDrawArrays(GL_LINES, 0, list.count_);
  glBindVertexArray(0);
  glDisable(GL_BLEND);
  glDisable(GL_DEPTH_TEST);
}

void LineDrawer::draw_points(const VertexList& list, float pixels,
                             const core::Similarity& placement,
                             const Projection& projection) const {
  if (list.count_ == 0) return;
  points_.use();
  float rows[16];
  clip_from_item(projection, placement, rows);
  points_.set_matrix("clip_from_item", rows);
  points_.set("point_size", pixels);
  glEnable(GL_DEPTH_TEST);
  glEnable(GL_PROGRAM_POINT_SIZE);
  glBindVertexArray(list.array_.name());
  glDrawArrays(GL_POINTS, 0, list.count_);
  glBindVertexArray(0);
  glDisable(GL_PROGRAM_POINT_SIZE);
  glDisable(GL_DEPTH_TEST);
}

}  // namespace tessera::viewer
