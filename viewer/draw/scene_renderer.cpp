// SPDX-License-Identifier: MIT
#include "viewer/draw/scene_renderer.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "viewer/scene/photo_place.h"

namespace tessera::viewer {
namespace {

constexpr uint8_t kFrustumColor[4] = {255, 170, 60, 255};
constexpr double kDilationPixels = 2;     // that a splat without extent reaches
constexpr double kJacobianMargin = 0.15;  // as the rasterizer's

ColoredVertex vertex(math::Vec3<double> p, const uint8_t (&rgba)[4]) {
  return {static_cast<float>(p.x),
          static_cast<float>(p.y),
          static_cast<float>(p.z),
          {rgba[0], rgba[1], rgba[2], rgba[3]}};
}

const std::vector<core::ColoredPoint>* points_of(const SceneItem& item) {
  if (const auto* points = std::get_if<PointContent>(&item.content)) return &points->set->points;
  if (const auto* capture = std::get_if<CaptureContent>(&item.content)) {
    return &capture->capture->points;
  }
  return nullptr;
}

const void* identity_of(const SceneItem& item) {
  if (const auto* points = std::get_if<PointContent>(&item.content)) return points->set.get();
  if (const auto* capture = std::get_if<CaptureContent>(&item.content)) {
    return capture->capture.get();
  }
  if (const auto* image = std::get_if<MultiplaneContent>(&item.content)) return image->image.get();
  return nullptr;
}

// `focal` and `middle` in pixels of a picture with `pixels` along that axis.
OrderRequest::Sides sides_of(const Projection& projection, double focal, double middle,
                             int pixels) {
  const double low = (-kDilationPixels - middle) / focal;
  const double high = (pixels + kDilationPixels - middle) / focal;
  OrderRequest::Sides sides;
  if (projection.orthographic) {
    sides.low = static_cast<float>(low);
    sides.high = static_cast<float>(high);
    return sides;
  }
  sides.low_slope = static_cast<float>(low);
  sides.high_slope = static_cast<float>(high);
  // What a splat beside the picture may reach into it, by the bounds of the Jacobian.
  const double farthest = std::max(std::abs(low), std::abs(high)) + kJacobianMargin * (high - low);
  sides.margin = static_cast<float>(std::sqrt(1 + farthest * farthest));
  return sides;
}

OrderItem order_item(const SceneItem& item, const SplatStore::Range& range,
                     const Projection& projection) {
  const auto& content = std::get<SplatContent>(item.content);
  OrderItem order;
  order.cloud = {content.scene, &content.scene->cloud};
  order.radii = {content.packed, &content.packed->radii};
  order.states = content.states;
  order.first = static_cast<uint32_t>(range.first);
  const core::Similarity p = projection.camera_from_world * item.placement;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      order.camera_from_item[row][column] = static_cast<float>(p.scale * p.rotation.m[row][column]);
    }
  }
  order.camera_from_item[0][3] = static_cast<float>(p.translation.x);
  order.camera_from_item[1][3] = static_cast<float>(p.translation.y);
  order.camera_from_item[2][3] = static_cast<float>(p.translation.z);
  order.scale = static_cast<float>(p.scale);
  return order;
}

}  // namespace

std::vector<ColoredVertex> frusta(const std::vector<core::PosedCamera>& cameras, double length) {
  std::vector<ColoredVertex> lines;
  for (const core::PosedCamera& posed : cameras) {
    const math::Vec3<double> center = center_in_world(posed.cam_from_world);
    const std::array<math::Vec3<double>, 4> corners = frustum_corners(posed, length);
    for (int k = 0; k < 4; ++k) {
      lines.push_back(vertex(center, kFrustumColor));
      lines.push_back(vertex(corners[k], kFrustumColor));
      lines.push_back(vertex(corners[k], kFrustumColor));
      lines.push_back(vertex(corners[(k + 1) % 4], kFrustumColor));
    }
  }
  return lines;
}

SceneRenderer::SceneRenderer() = default;

bool SceneRenderer::update(const std::vector<SceneItem>& items) {
  const bool splats = update_splats(items);
  return update_shapes(items) || splats;
}

bool SceneRenderer::update_splats(const std::vector<SceneItem>& items) {
  bool changed = false, renumbered = false;
  const auto holds = [&items](int id) {
    return std::any_of(items.begin(), items.end(), [id](const SceneItem& item) {
      return item.id == id && std::holds_alternative<SplatContent>(item.content);
    });
  };
  std::erase_if(splats_, [&](const auto& held) {
    if (holds(held.first)) return false;
    store_.remove(held.first);
    changed = renumbered = true;
    return true;
  });
  for (const SceneItem& item : items) {
    const auto* content = std::get_if<SplatContent>(&item.content);
    if (content == nullptr) continue;
    SplatsHeld& held = splats_[item.id];
    if (held.packed != content->packed) {
      if (held.packed != nullptr) {
        store_.remove(item.id);
        renumbered = true;
      }
      store_.add(item.id, content->packed, content->states);
      changed = true;
    } else if (held.states != content->states) {
      store_.set_states(item.id, *content->states);
      changed = true;
    }
    held = {content->packed, content->states};
  }
  if (renumbered) {
    ++numbering_;
    splat_drawer_.set_order({});
  }
  return changed;
}

bool SceneRenderer::update_shapes(const std::vector<SceneItem>& items) {
  bool changed = std::erase_if(shapes_, [&items](const auto& held) {
                   return std::none_of(items.begin(), items.end(), [&held](const SceneItem& item) {
                     return item.id == held.first;
                   });
                 }) > 0;
  for (const SceneItem& item : items) {
    if (identity_of(item) == nullptr) continue;
    std::unique_ptr<ShapesHeld>& held = shapes_[item.id];
    if (held != nullptr && held->content == identity_of(item)) continue;
    held = std::make_unique<ShapesHeld>();
    held->content = identity_of(item);
    if (const std::vector<core::ColoredPoint>* points = points_of(item)) {
      std::vector<ColoredVertex> vertices;
      vertices.reserve(points->size());
      for (const core::ColoredPoint& point : *points) {
        vertices.push_back(vertex(point.position, {point.rgb[0], point.rgb[1], point.rgb[2], 255}));
      }
      held->points.set(vertices);
    }
    if (const auto* image = std::get_if<MultiplaneContent>(&item.content)) {
      held->layers = std::make_unique<MultiplaneOnCard>(*image->image);
    }
    if (const auto* capture = std::get_if<CaptureContent>(&item.content)) {
      held->lines.set(frusta(item.cameras, capture->frustum_length));
    }
    changed = true;
  }
  return changed;
}

bool SceneRenderer::send(int64_t bytes) {
  return store_.send(bytes);
}

void SceneRenderer::request_order(const std::vector<SceneItem>& items,
                                  const Projection& projection) {
  OrderRequest request;
  for (const SplatStore::Range& range : store_.ranges()) {
    if (!range.whole) continue;
    for (const SceneItem& item : items) {
      if (item.id == range.id && item.visible) {
        request.items.push_back(order_item(item, range, projection));
      }
    }
  }
  request.x = sides_of(projection, projection.fx, projection.cx, projection.width);
  request.y = sides_of(projection, projection.fy, projection.cy, projection.height);
  request.nearest = static_cast<float>(projection.nearest);
  request.numbering = numbering_;
  depth_order_.request(std::move(request));
}

bool SceneRenderer::take_order() {
  const std::optional<FoundOrder> found = depth_order_.take();
  if (!found || found->numbering != numbering_) return false;
  splat_drawer_.set_order(found->numbers);
  ordered_numbering_ = found->numbering;
  return true;
}

void SceneRenderer::wait_for_order() {
  depth_order_.wait();
  take_order();
}

void SceneRenderer::draw_shapes(const std::vector<SceneItem>& items, const Projection& projection,
                                const SceneStyle& style) {
  for (const SceneItem& item : items) {
    const auto found = shapes_.find(item.id);
    if (found == shapes_.end() || !item.visible) continue;
    line_drawer_.draw_points(found->second->points, style.point_size, item.placement, projection);
    if (style.cameras) line_drawer_.draw_lines(found->second->lines, item.placement, projection);
    if (found->second->layers == nullptr) continue;
    multiplane_drawer_.draw(*found->second->layers, item.placement, projection);
    if (style.outlines) {
      line_drawer_.draw_lines(found->second->layers->outlines(), item.placement, projection);
    }
  }
}

void SceneRenderer::draw(const std::vector<SceneItem>& items, const Projection& projection,
                         const SceneStyle& style, double sharpness, GLuint framebuffer, int x,
                         int y) {
  // Fewer pixels of the same view, in a corner of the canvas.
  Projection coarse = projection;
  if (sharpness < 1) {
    coarse.width = std::max(1, static_cast<int>(projection.width * sharpness));
    coarse.height = std::max(1, static_cast<int>(projection.height * sharpness));
    const double across = static_cast<double>(coarse.width) / projection.width;
    const double down = static_cast<double>(coarse.height) / projection.height;
    coarse.fx *= across;
    coarse.cx *= across;
    coarse.fy *= down;
    coarse.cy *= down;
  }
  blended_.resize(std::max(blended_.width(), projection.width),
                  std::max(blended_.height(), projection.height));
  blended_.bind(coarse.width, coarse.height);
  glDisable(GL_SCISSOR_TEST);
  glClearColor(0, 0, 0, 0);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  const DrawMode mode = style.splats.mode;
  if (mode != DrawMode::kDepth && mode != DrawMode::kAlpha && mode != DrawMode::kOverlaps) {
    draw_shapes(items, coarse, style);
  }
  std::vector<core::Similarity> placements;
  for (const SplatStore::Range& range : store_.ranges()) {
    const auto item =
        std::find_if(items.begin(), items.end(),
                     [&range](const SceneItem& candidate) { return candidate.id == range.id; });
    placements.push_back(item == items.end() ? core::Similarity{} : item->placement);
  }
  splat_drawer_.draw(store_, placements, coarse, style.splats);

  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(x, y, projection.width, projection.height);
  splat_drawer_.show(blended_, coarse.width, coarse.height, sharpness >= 1, style.splats);
}

}  // namespace tessera::viewer
