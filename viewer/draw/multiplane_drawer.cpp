// SPDX-License-Identifier: MIT
#include "viewer/draw/multiplane_drawer.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace tessera::viewer {
namespace {

using math::Vec3;

constexpr uint8_t kOutlineColor[4] = {80, 200, 255, 160};

constexpr const char* kVertex = R"(
layout(location = 0) in vec4 place;   // homogeneous, so that texels lie right on slanted planes
layout(location = 1) in vec2 texel;   // from the layer's corner
layout(location = 2) in ivec4 window; // where its texels are on the page: x, y, width, height
uniform mat4 clip_from_item;
out vec2 at;
flat out ivec4 layer;
void main() {
  gl_Position = clip_from_item * place;
  at = texel;
  layer = window;
}
)";

constexpr const char* kFragment = R"(
uniform sampler2D page;
in vec2 at;
flat in ivec4 layer;
out vec4 pixel;

vec4 texel(ivec2 t) {
  bool inside = all(greaterThanEqual(t, ivec2(0))) && all(lessThan(t, layer.zw));
  return inside ? texelFetch(page, layer.xy + t, 0) : vec4(0.0);
}

void main() {
  vec2 p = at - 0.5;
  ivec2 t = ivec2(floor(p));
  vec2 f = p - vec2(t);
  vec4 color = mix(mix(texel(t), texel(t + ivec2(1, 0)), f.x),
                   mix(texel(t + ivec2(0, 1)), texel(t + ivec2(1, 1)), f.x), f.y);
  if (color.a <= 0.0) discard;
  pixel = color;
}
)";

struct Vertex {
  float place[4];
  float texel[2];
  int32_t window[4];
};

// A pixel of the reference picture on the layer's plane, as world times inverse depth.
struct Homogeneous {
  Vec3<double> xyz;
  double w;
};

Homogeneous on_plane(const core::PosedCamera& reference, Vec3<float> plane, double x, double y) {
  const core::Camera& c = reference.camera;
  const Vec3<double> ray = {(x - c.cx) / c.fx, (y - c.cy) / c.fy, 1};
  const double w = plane.x * ray.x + plane.y * ray.y + plane.z * ray.z;
  const core::Rigid world_from_cam = reference.cam_from_world.inverse();
  return {world_from_cam.rotation * ray + w * world_from_cam.translation, w};
}

Vertex vertex(const core::MultiplaneImage& image, const core::MultiplaneLayer& layer, double x,
              double y) {
  const Homogeneous p =
      on_plane(image.camera, layer.plane, layer.window.left + x, layer.window.top + y);
  return {{static_cast<float>(p.xyz.x), static_cast<float>(p.xyz.y), static_cast<float>(p.xyz.z),
           static_cast<float>(p.w)},
          {static_cast<float>(x), static_cast<float>(y)},
          {layer.x, layer.y, layer.window.width, layer.window.height}};
}

// Half a texel beyond the layer, to where samples fade to nothing.
void add_quad(const core::MultiplaneImage& image, const core::MultiplaneLayer& layer,
              std::vector<Vertex>& vertices) {
  const double right = layer.window.width + 0.5, bottom = layer.window.height + 0.5;
  const double corners[6][2] = {{-0.5, -0.5},   {right, -0.5}, {-0.5, bottom},
                                {-0.5, bottom}, {right, -0.5}, {right, bottom}};
  for (const auto& [x, y] : corners) vertices.push_back(vertex(image, layer, x, y));
}

void add_outline(const core::MultiplaneImage& image, const core::MultiplaneLayer& layer,
                 std::vector<ColoredVertex>& lines) {
  const double w = layer.window.width, h = layer.window.height;
  const double corners[4][2] = {{0, 0}, {w, 0}, {w, h}, {0, h}};
  ColoredVertex ends[4];
  for (int k = 0; k < 4; ++k) {
    const Homogeneous p = on_plane(image.camera, layer.plane, layer.window.left + corners[k][0],
                                   layer.window.top + corners[k][1]);
    if (p.w <= 0) return;  // beyond the horizon
    const Vec3<double> at = (1 / p.w) * p.xyz;
    ends[k] = {static_cast<float>(at.x),
               static_cast<float>(at.y),
               static_cast<float>(at.z),
               {kOutlineColor[0], kOutlineColor[1], kOutlineColor[2], kOutlineColor[3]}};
  }
  for (int k = 0; k < 4; ++k) {
    lines.push_back(ends[k]);
    lines.push_back(ends[(k + 1) % 4]);
  }
}

}  // namespace

MultiplaneOnCard::MultiplaneOnCard(const core::MultiplaneImage& image) {
  for (const core::Image8& page : image.pages) {
    GlTexture& texture = pages_.emplace_back();
    glBindTexture(GL_TEXTURE_2D, texture.name());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, page.width, page.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 page.data.data());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  }
  std::vector<size_t> order(image.layers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto depth = [&image](size_t i) {
    return core::inverse_depth_at_middle(image.layers[i], image.camera.camera);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&depth](size_t a, size_t b) { return depth(a) < depth(b); });
  std::vector<Vertex> vertices;
  std::vector<ColoredVertex> lines;
  for (const size_t i : order) {
    const core::MultiplaneLayer& layer = image.layers[i];
    if (layer.window.width <= 0 || layer.window.height <= 0) continue;
    const auto first = static_cast<GLint>(vertices.size());
    add_quad(image, layer, vertices);
    add_outline(image, layer, lines);
    if (runs_.empty() || runs_.back().page != layer.page) runs_.push_back({layer.page, first, 0});
    runs_.back().count += static_cast<GLsizei>(vertices.size()) - first;
  }
  outlines_.set(lines);
  glBindVertexArray(array_.name());
  glBindBuffer(GL_ARRAY_BUFFER, vertices_.name());
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size() * sizeof(Vertex)),
               vertices.data(), GL_STATIC_DRAW);
  const auto offset = [](size_t bytes) { return reinterpret_cast<const void*>(bytes); };
  glEnableVertexAttribArray(0);
  glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(Vertex), offset(offsetof(Vertex, place)));
  glEnableVertexAttribArray(1);
  glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, sizeof(Vertex), offset(offsetof(Vertex, texel)));
  glEnableVertexAttribArray(2);
  glVertexAttribIPointer(2, 4, GL_INT, sizeof(Vertex), offset(offsetof(Vertex, window)));
  glBindVertexArray(0);
}

MultiplaneDrawer::MultiplaneDrawer() : program_(kVertex, kFragment) {}

void MultiplaneDrawer::draw(const MultiplaneOnCard& image, const core::Similarity& placement,
                            const Projection& projection) const {
  program_.use();
  float rows[16];
  clip_from_item(projection, placement, rows);
  program_.set_matrix("clip_from_item", rows);
  program_.set("page", 0);
  glActiveTexture(GL_TEXTURE0);
  glEnable(GL_DEPTH_TEST);
  glDepthMask(GL_FALSE);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glBindVertexArray(image.array_.name());
  for (const MultiplaneOnCard::Run& run : image.runs_) {
    glBindTexture(GL_TEXTURE_2D, image.pages_[run.page].name());
    glDrawArrays(GL_TRIANGLES, run.first, run.count);
  }
  glBindVertexArray(0);
  glDepthMask(GL_TRUE);
  glDisable(GL_BLEND);
  glDisable(GL_DEPTH_TEST);
}

}  // namespace tessera::viewer
