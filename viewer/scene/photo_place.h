// The photos of the captures that are open: which there are, where they were taken, which one lies
// at a pixel.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/camera.h"
#include "core/capture.h"
#include "viewer/camera/view_camera.h"
#include "viewer/scene/scene_item.h"

namespace tessera::viewer {

// Names one across edits of the list.
struct PhotoPlace {
  int item_id = 0;
  int view = 0;  // of the item's capture

  friend bool operator==(const PhotoPlace&, const PhotoPlace&) = default;
};

// Null if it is not open any more.
const core::CaptureView* find_photo(const std::vector<SceneItem>& items, const PhotoPlace& place);
// Of all open captures, in their order.
std::vector<PhotoPlace> photos_of(const std::vector<SceneItem>& items);
std::optional<PhotoPlace> photo_named(const std::vector<SceneItem>& items, std::string_view name);

// A camera of an item as it stands in the world, whose lengths the item's scale changes.
core::PosedCamera in_world(const core::PosedCamera& in_item, const core::Similarity& placement);

// The corners of the photo at the end of its pyramid, in the camera's item: left top, right top,
// right bottom, left bottom.
std::array<math::Vec3<double>, 4> frustum_corners(const core::PosedCamera& camera, double length);

// The nearest photo whose pyramid's end lies at the pixel.
struct PhotoAt {
  PhotoPlace place;
  std::array<math::Vec2<double>, 4> corners;  // pixels, as frustum_corners() orders them
};
std::optional<PhotoAt> photo_at(const std::vector<SceneItem>& items, const Projection& projection,
                                math::Vec2<double> pixel);

}  // namespace tessera::viewer
