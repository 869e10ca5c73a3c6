// SPDX-License-Identifier: MIT
#include "viewer/draw/splat_drawer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/error.h"
#include "viewer/draw/splat_shaders.h"
#include "viewer/draw/splat_state.h"

namespace tessera::viewer {
namespace {

constexpr int64_t kSplatBytes = 48;  // as `project` gives it: three vectors of four floats
constexpr int64_t kQuadsADraw = int64_t{1} << 18;
constexpr double kFrustumMargin = 0.15;  // as the rasterizer's, of the picture's extent
constexpr const char* kCaptured[] = {"place", "axes", "paint"};

std::string constants() {
  std::string text =
      fmt::format("#define ITEM_LIMIT {}\n#define STATE_SELECTED {}u\n", kMostClouds, kSelected);
  constexpr std::pair<const char*, DrawMode> kModes[] = {
      {"CENTERS", DrawMode::kCenters}, {"ELLIPSOIDS", DrawMode::kEllipsoids},
      {"DEPTH", DrawMode::kDepth},     {"NORMALS", DrawMode::kNormals},
      {"ALPHA", DrawMode::kAlpha},     {"OVERLAPS", DrawMode::kOverlaps}};
  for (const auto& [name, mode] : kModes) {
    text += fmt::format("#define MODE_{} {}\n", name, static_cast<int>(mode));
  }
  return text;
}

std::string with_constants(std::initializer_list<const char*> parts) {
  std::string text = constants();
  for (const char* part : parts) text += part;
  return text;
}

// As the shader's Item, in std140.
struct GlItem {
  float camera_from_item[16];  // by columns
  float eye[4];
  int32_t place[4];
};

GlItem gl_item(const SplatStore::Range& range, const core::Similarity& world_from_item,
               const Projection& projection) {
  const core::Similarity p = projection.camera_from_world * world_from_item;
  GlItem item = {};
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      item.camera_from_item[4 * column + row] =
          static_cast<float>(p.scale * p.rotation.m[row][column]);
    }
  }
  item.camera_from_item[12] = static_cast<float>(p.translation.x);
  item.camera_from_item[13] = static_cast<float>(p.translation.y);
  item.camera_from_item[14] = static_cast<float>(p.translation.z);
  item.camera_from_item[15] = 1;
  // Of an orthographic view the direction in which all look.
  const core::Similarity back = p.inverse();
  const math::Vec3<double> eye =
      projection.orthographic ? back.rotation * math::Vec3<double>{0, 0, 1} : back({0, 0, 0});
  item.eye[0] = static_cast<float>(eye.x);
  item.eye[1] = static_cast<float>(eye.y);
  item.eye[2] = static_cast<float>(eye.z);
  item.eye[3] = static_cast<float>(p.scale);
  item.place[0] = static_cast<int32_t>(range.first);
  item.place[1] = static_cast<int32_t>(range.first_color);
  item.place[2] = color_texels(range.sh_degree);
  item.place[3] = range.sh_degree;
  return item;
}

std::array<float, 4> jacobian_bounds(const Projection& p) {
  if (p.orthographic) return {-1e15F, 1e15F, -1e15F, 1e15F};
  const double left = -p.cx / p.fx, right = (p.width - p.cx) / p.fx;
  const double top = -p.cy / p.fy, bottom = (p.height - p.cy) / p.fy;
  const double x = kFrustumMargin * (right - left), y = kFrustumMargin * (bottom - top);
  return {static_cast<float>(left - x), static_cast<float>(right + x), static_cast<float>(top - y),
          static_cast<float>(bottom + y)};
}

}  // namespace

SplatDrawer::SplatDrawer()
    : project_(with_constants({kShGlsl, kProjectGlsl}).c_str(), nullptr, kCaptured),
      quad_(with_constants({kQuadGlsl}).c_str(), with_constants({kSplatGlsl}).c_str()),
      show_(kWholePictureGlsl, with_constants({kShowGlsl}).c_str()) {
  project_.set_block("Items", 0);
  glBindVertexArray(order_array_.name());
  glBindBuffer(GL_ARRAY_BUFFER, order_.name());
  glEnableVertexAttribArray(0);
  glVertexAttribIPointer(0, 1, GL_UNSIGNED_INT, 0, nullptr);
  glBindVertexArray(quad_array_.name());
  core::Array<uint32_t> indices(6 * kQuadsADraw);
  constexpr std::array<uint32_t, 6> kCorners = {0, 1, 2, 2, 1, 3};
  for (int64_t i = 0; i < indices.size(); ++i) {
    indices[i] = static_cast<uint32_t>(4 * (i / 6)) + kCorners[i % 6];
  }
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, indices_.name());
  glBufferData(GL_ELEMENT_ARRAY_BUFFER, indices.size() * 4, indices.data(), GL_STATIC_DRAW);
  glBindVertexArray(0);
}

void SplatDrawer::set_order(const core::Array<uint32_t>& order) {
  ordered_ = order.size();
  glBindBuffer(GL_ARRAY_BUFFER, order_.name());
  order_capacity_ = std::max(order_capacity_, ordered_);
  glBufferData(GL_ARRAY_BUFFER, std::max<int64_t>(order_capacity_, 1) * 4, nullptr, GL_STREAM_DRAW);
  if (ordered_ > 0) glBufferSubData(GL_ARRAY_BUFFER, 0, ordered_ * 4, order.data());
}

void SplatDrawer::project(const SplatStore& store, const std::vector<core::Similarity>& placements,
                          const Projection& p, const SplatStyle& style) {
  if (ordered_ > projected_capacity_) {
    projected_capacity_ = ordered_ + ordered_ / 4;
    glBindBuffer(GL_TEXTURE_BUFFER, projected_.name());
    glBufferData(GL_TEXTURE_BUFFER, projected_capacity_ * kSplatBytes, nullptr, GL_DYNAMIC_COPY);
    glBindTexture(GL_TEXTURE_BUFFER, projected_texture_.name());
    glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA32F, projected_.name());
  }
  std::vector<GlItem> items;
  for (size_t i = 0; i < placements.size(); ++i) {
    items.push_back(gl_item(store.ranges()[i], placements[i], p));
  }
  const int count = static_cast<int>(items.size());
  items.resize(kMostClouds);
  glBindBuffer(GL_UNIFORM_BUFFER, items_.name());
  glBufferData(GL_UNIFORM_BUFFER, static_cast<GLsizeiptr>(items.size() * sizeof(GlItem)),
               items.data(), GL_STREAM_DRAW);
  glBindBufferBase(GL_UNIFORM_BUFFER, 0, items_.name());

  project_.use();
  store.bind(0, 1, 2, 3);
  project_.set("positions", 0);
  project_.set("shapes", 1);
  project_.set("colors", 2);
  project_.set("states", 3);
  project_.set("item_count", count);
  project_.set("focal", std::array<float, 4>{static_cast<float>(p.fx), static_cast<float>(p.fy),
                                             static_cast<float>(p.cx), static_cast<float>(p.cy)});
  project_.set("bounds", jacobian_bounds(p));
  project_.set("depth_range",
               math::Vec2<float>{static_cast<float>(p.nearest), static_cast<float>(p.half_depth)});
  project_.set("orthographic", static_cast<int>(p.orthographic));
  project_.set("antialiased", static_cast<int>(style.antialiased));
  project_.set("degree_limit", style.sh_degree);
  project_.set("mode", static_cast<int>(style.mode));
  project_.set("selected_color", style.selected);
  glEnable(GL_RASTERIZER_DISCARD);
  glBindVertexArray(order_array_.name());
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, projected_.name());
  glBeginTransformFeedback(GL_POINTS);
  glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(ordered_));
  glEndTransformFeedback();
  glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, 0);
  glDisable(GL_RASTERIZER_DISCARD);
}

void SplatDrawer::draw(const SplatStore& store, const std::vector<core::Similarity>& placements,
                       const Projection& projection, const SplatStyle& style) {
  if (ordered_ == 0) return;
  project(store, placements, projection, style);
  quad_.use();
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_BUFFER, projected_texture_.name());
  quad_.set("splats", 0);
  quad_.set("picture", math::Vec2<float>{static_cast<float>(projection.width),
                                         static_cast<float>(projection.height)});
  quad_.set("mode", static_cast<int>(style.mode));
  quad_.set("center_radius", style.center_radius);
  const bool solid = style.mode == DrawMode::kCenters || style.mode == DrawMode::kEllipsoids;
  glEnable(GL_DEPTH_TEST);
  glDepthMask(solid ? GL_TRUE : GL_FALSE);
  glEnable(GL_BLEND);
  glBlendFunc(GL_ONE, style.mode == DrawMode::kOverlaps ? GL_ONE : GL_ONE_MINUS_SRC_ALPHA);
  glBindVertexArray(quad_array_.name());
  for (int64_t first = 0; first < ordered_; first += kQuadsADraw) {
    const int64_t quads = std::min(kQuadsADraw, ordered_ - first);
    glDrawElementsBaseVertex(GL_TRIANGLES, static_cast<GLsizei>(6 * quads), GL_UNSIGNED_INT,
                             nullptr, static_cast<GLint>(4 * first));
  }
  glBindVertexArray(0);
  glDepthMask(GL_TRUE);
  glDisable(GL_BLEND);
  glDisable(GL_DEPTH_TEST);
}

void SplatDrawer::show(const Canvas& blended, int width, int height, bool sharp,
                       const SplatStyle& style) const {
  show_.use();
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, blended.texture());
  show_.set("blended", 0);
  show_.set("part",
            math::Vec2<float>{static_cast<float>(width) / static_cast<float>(blended.width()),
                              static_cast<float>(height) / static_cast<float>(blended.height())});
  show_.set("pixels", sharp ? std::array<int, 2>{width, height} : std::array<int, 2>{0, 0});
  show_.set("mode", static_cast<int>(style.mode));
  show_.set("background", style.background);
  show_.set("depth_shown", style.depth_shown);
  glBindVertexArray(quad_array_.name());
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBindVertexArray(0);
}

}  // namespace tessera::viewer
