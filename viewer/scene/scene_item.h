// One thing that is open: its content, how it stands in the world, whether it is shown.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/array.h"
#include "core/capture.h"
#include "core/gaussian_cloud.h"
#include "core/multiplane_image.h"
#include "viewer/camera/view_camera.h"
#include "viewer/draw/packed_splats.h"
#include "viewer/host.h"

namespace tessera::viewer {

// Contents are never changed in place, so that threads may hold them: an edit puts a new one there.
struct SplatContent {
  std::shared_ptr<const core::GaussianScene> scene;
  std::shared_ptr<const PackedSplats> packed;
  std::shared_ptr<const core::Array<uint8_t>> states;  // splat_state.h, one of each splat
};

struct PointContent {
  std::shared_ptr<const PointSet> set;
};

struct CaptureContent {
  std::shared_ptr<const core::Capture> capture;
  double frustum_length = 1;  // how deep the pyramids of its cameras are drawn
};

struct MultiplaneContent {
  std::shared_ptr<const core::MultiplaneImage> image;
};

using Content = std::variant<SplatContent, PointContent, CaptureContent, MultiplaneContent>;

struct SceneItem {
  int id = 0;
  std::string name;
  std::filesystem::path path;
  bool visible = true;
  core::Similarity placement;  // world_from_item
  Content content;
  std::vector<core::PosedCamera> cameras;  // in the item's coordinates
  std::vector<std::string> notes;
  // The world's coordinates + this = the file's, before `placement`.
  math::Vec3<double> origin_in_file = {0, 0, 0};
};

// The middle and the radius of what is seen of it in its own coordinates, without the outer
// percents that floaters are.
struct Extent {
  math::Vec3<double> center = {0, 0, 0};
  double radius = 1;
};
Extent extent_of(const SceneItem& item);
// Of all visible items in the world; a unit sphere if there is none.
Extent extent_of(const std::vector<SceneItem>& items);

// The vertical that the item says or its cameras agree on; {0, -1, 0} otherwise.
math::Vec3<double> vertical_of(const SceneItem& item);

}  // namespace tessera::viewer
