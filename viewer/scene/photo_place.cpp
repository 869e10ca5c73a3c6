// SPDX-License-Identifier: MIT
#include "viewer/scene/photo_place.h"

#include <algorithm>

namespace tessera::viewer {
namespace {

using math::Vec2;
using math::Vec3;

const core::Capture* capture_of(const SceneItem& item) {
  const auto* content = std::get_if<CaptureContent>(&item.content);
  return content == nullptr ? nullptr : content->capture.get();
}

double cross(Vec2<double> a, Vec2<double> b) {
  return a.x * b.y - a.y * b.x;
}

// Whether a quadrangle whose corners go around it once holds the pixel.
bool holds(const std::array<Vec2<double>, 4>& corners, Vec2<double> pixel) {
  int left = 0, right = 0;
  for (int k = 0; k < 4; ++k) {
    const double side = cross(corners[(k + 1) % 4] - corners[k], pixel - corners[k]);
    left += side >= 0 ? 1 : 0;
    right += side <= 0 ? 1 : 0;
  }
  return left == 4 || right == 4;
}

}  // namespace

const core::CaptureView* find_photo(const std::vector<SceneItem>& items, const PhotoPlace& place) {
  for (const SceneItem& item : items) {
    const core::Capture* capture = capture_of(item);
    if (item.id != place.item_id || capture == nullptr) continue;
    if (place.view < static_cast<int>(capture->views.size())) return &capture->views[place.view];
  }
  return nullptr;
}

std::vector<PhotoPlace> photos_of(const std::vector<SceneItem>& items) {
  std::vector<PhotoPlace> places;
  for (const SceneItem& item : items) {
    const core::Capture* capture = capture_of(item);
    if (capture == nullptr) continue;
    for (int i = 0; i < static_cast<int>(capture->views.size()); ++i) {
      places.push_back({item.id, i});
    }
  }
  return places;
}

std::optional<PhotoPlace> photo_named(const std::vector<SceneItem>& items, std::string_view name) {
  for (const PhotoPlace& place : photos_of(items)) {
    if (find_photo(items, place)->name == name) return place;
  }
  return std::nullopt;
}

core::PosedCamera in_world(const core::PosedCamera& in_item, const core::Similarity& placement) {
  core::PosedCamera posed = in_item;
  posed.cam_from_world.rotation = in_item.cam_from_world.rotation * transpose(placement.rotation);
  posed.cam_from_world.translation =
      -(posed.cam_from_world.rotation * placement(center_in_world(in_item.cam_from_world)));
  return posed;
}

std::array<Vec3<double>, 4> frustum_corners(const core::PosedCamera& posed, double length) {
  const core::Camera& camera = posed.camera;
  const core::Rigid item_from_cam = posed.cam_from_world.inverse();
  std::array<Vec3<double>, 4> corners;
  for (int k = 0; k < 4; ++k) {
    const double x = k == 0 || k == 3 ? 0 : camera.width, y = k < 2 ? 0 : camera.height;
    corners[k] =
        item_from_cam.rotation * Vec3<double>{length * (x - camera.cx) / camera.fx,
                                              length * (y - camera.cy) / camera.fy, length} +
        item_from_cam.translation;
  }
  return corners;
}

std::optional<PhotoAt> photo_at(const std::vector<SceneItem>& items, const Projection& projection,
                                Vec2<double> pixel) {
  std::optional<PhotoAt> nearest;
  double nearest_depth = 0;
  for (const SceneItem& item : items) {
    const auto* content = std::get_if<CaptureContent>(&item.content);
    if (content == nullptr || !item.visible) continue;
    const std::vector<core::CaptureView>& views = content->capture->views;
    for (int i = 0; i < static_cast<int>(views.size()); ++i) {
      const core::CaptureView& view = views[i];
      PhotoAt at = {{item.id, i}, {}};
      double depth = 0;
      bool before = true;
      const auto corners =
          frustum_corners({view.camera, view.cam_from_world}, content->frustum_length);
      for (int k = 0; k < 4; ++k) {
        const Vec3<double> p = projection.pixel_of(item.placement(corners[k]));
        before = before && p.z > projection.nearest;
        at.corners[k] = {p.x, p.y};
        depth += p.z / 4;
      }
      if (!before || !holds(at.corners, pixel) || (nearest && depth >= nearest_depth)) continue;
      nearest = at;
      nearest_depth = depth;
    }
  }
  return nearest;
}

}  // namespace tessera::viewer
