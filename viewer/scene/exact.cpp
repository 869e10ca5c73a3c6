// SPDX-License-Identifier: MIT
#include "viewer/scene/exact.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/thread_pool.h"
#include "render/gaussian/rasterizer.h"
#include "render/gaussian/transform.h"
#include "viewer/draw/splat_state.h"
#include "viewer/edit/saved_scene.h"

namespace tessera::viewer {
namespace {

using math::Vec3;

constexpr double kPointReach = 6;  // pixels

// The same camera seen from the item, whose lengths stay its own: depths there are in its units.
core::Rigid camera_from_item(const core::Similarity& camera_from_world,
                             const core::Similarity& world_from_item) {
  const core::Similarity p = camera_from_world * world_from_item;
  return {p.rotation, (1 / p.scale) * p.translation};
}

core::GaussianCloud present(const SplatContent& content) {
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < content.states->size(); ++i) {
    if (((*content.states)[i] & kAbsent) == 0) kept.push_back(i);
  }
  return core::part_of(content.scene->cloud, kept);
}

// Planes of both, colors of the higher degree.
void append(core::GaussianCloud& all, core::GaussianCloud more) {
  const int degree = std::max(all.sh_degree, more.sh_degree);
  for (core::GaussianCloud* cloud : {&all, &more}) {
    cloud->parameters.set_plane_count(core::plane_count(degree));
    cloud->sh_degree = degree;
  }
  const int64_t before = all.size();
  all.parameters.resize(before + more.size());
  all.ids.resize(all.size());
  for (int64_t i = 0; i < more.size(); ++i) {
    for (int p = 0; p < all.parameters.plane_count(); ++p) {
      all.plane(p)[before + i] = more.plane(p)[i];
    }
    all.ids[before + i] = static_cast<uint64_t>(before + i);
  }
}

core::Image8 to_bytes(const core::ImageF& picture) {
  core::Image8 bytes(picture.width, picture.height, 3);
  for (int64_t i = 0; i < bytes.data.size(); ++i) {
    bytes.data[i] =
        static_cast<uint8_t>(std::lround(255 * std::clamp(picture.data[i], 0.0F, 1.0F)));
  }
  return bytes;
}

// Along the pixel's ray, in the world's units; 0 if it is not met.
double splat_depth(const SceneItem& item, const SplatContent& content, const Projection& projection,
                   math::Vec2<double> pixel) {
  core::PosedCamera camera;
  camera.camera.width = camera.camera.height = 1;
  camera.camera.fx = projection.fx;
  camera.camera.fy = projection.fy;
  camera.camera.cx = projection.cx - std::floor(pixel.x);
  camera.camera.cy = projection.cy - std::floor(pixel.y);
  camera.cam_from_world = camera_from_item(projection.camera_from_world, item.placement);
  render::RasterizeOptions options;
  options.sh_degree = 0;
  options.depth = true;
  const bool all = std::all_of(content.states->begin(), content.states->end(),
                               [](uint8_t state) { return (state & kAbsent) == 0; });
  core::ThreadPool pool;
  render::RenderOutput output;
  render::make_rasterizer("cpu", pool)
      ->forward(all ? content.scene->cloud : present(content), camera, options, output);
  return output.median_depth.data[0] * item.placement.scale;
}

double point_depth(const SceneItem& item, const std::vector<core::ColoredPoint>& points,
                   const Projection& projection, math::Vec2<double> pixel) {
  double nearest = 0;
  for (const core::ColoredPoint& point : points) {
    const Vec3<double> at = projection.pixel_of(item.placement(point.position));
    if (at.z > projection.nearest && std::hypot(at.x - pixel.x, at.y - pixel.y) < kPointReach &&
        (nearest == 0 || at.z < nearest)) {
      nearest = at.z;
    }
  }
  return nearest;
}

}  // namespace

core::Image8 draw_exactly(const std::vector<SceneItem>& items, const core::PosedCamera& camera,
                          const SplatStyle& style) {
  core::GaussianCloud all(0, 0);
  bool any = false;
  for (const SceneItem& item : items) {
    const auto* content = std::get_if<SplatContent>(&item.content);
    if (!item.visible || content == nullptr) continue;
    core::GaussianCloud cloud = present(*content);
    render::transform(cloud, item.placement);
    append(all, std::move(cloud));
    any = true;
  }
  if (!any) throw core::Error("no scene of splats is shown that could be drawn exactly");
  render::RasterizeOptions options;
  options.sh_degree = style.sh_degree;
  options.antialiased = style.antialiased;
  options.background = {style.background.x, style.background.y, style.background.z};
  core::ThreadPool pool;
  render::RenderOutput output;
  render::make_rasterizer("cpu", pool)->forward(all, camera, options, output);
  return to_bytes(output.color);
}

std::optional<Vec3<double>> surface_at(const std::vector<SceneItem>& items,
                                       const Projection& projection, math::Vec2<double> pixel) {
  double nearest = 0;
  for (const SceneItem& item : items) {
    if (!item.visible) continue;
    double depth = 0;
    if (const auto* splats = std::get_if<SplatContent>(&item.content)) {
      if (!projection.orthographic) depth = splat_depth(item, *splats, projection, pixel);
    } else if (const auto* points = std::get_if<PointContent>(&item.content)) {
      depth = point_depth(item, points->set->points, projection, pixel);
    } else if (const auto* capture = std::get_if<CaptureContent>(&item.content)) {
      depth = point_depth(item, capture->capture->points, projection, pixel);
    }
    if (depth > 0 && (nearest == 0 || depth < nearest)) nearest = depth;
  }
  if (nearest == 0) return std::nullopt;
  const Ray ray = ray_of(projection, pixel);
  return ray.origin + nearest * ray.direction;
}

}  // namespace tessera::viewer
