// SPDX-License-Identifier: MIT
#include "viewer/edit/saved_scene.h"

#include <fmt/format.h>

#include <utility>

#include "render/gaussian/transform.h"
#include "viewer/draw/splat_state.h"

namespace tessera::viewer {

core::GaussianScene saved_scene(const SceneItem& item, math::Vec3<double> world_origin,
                                SavedSplats which) {
  const auto& content = std::get<SplatContent>(item.content);
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < content.states->size(); ++i) {
    const uint8_t state = (*content.states)[i];
    const bool chosen = (state & kSelected) != 0 && (state & kAbsent) == 0;
    if (which == SavedSplats::kChosen ? chosen : (state & kDeleted) == 0) kept.push_back(i);
  }
  core::GaussianScene scene;
  scene.antialiased = content.scene->antialiased;
  scene.vertical_axis = content.scene->vertical_axis;
  if (!scene.vertical_axis.empty() &&
      !(item.placement.rotation == math::Mat3<double>::identity())) {
    const math::Vec3<double> up = item.placement.rotation * vertical_of(item);
    scene.vertical_axis = fmt::format("{} {} {}", up.x, up.y, up.z);
  }
  scene.origin_in_file[0] = world_origin.x;
  scene.origin_in_file[1] = world_origin.y;
  scene.origin_in_file[2] = world_origin.z;
  scene.cloud = core::part_of(content.scene->cloud, kept);
  render::transform(scene.cloud, item.placement);
  return scene;
}

}  // namespace tessera::viewer
