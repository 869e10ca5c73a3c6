// An item as it is written: without what was deleted, standing where it was put.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/gaussian_cloud.h"
#include "viewer/scene/scene_item.h"

namespace tessera::viewer {

enum class SavedSplats { kAll, kChosen };  // also hidden ones; deleted ones never

// In the world's frame, whose coordinates + `world_origin` are the file's. An item that was neither
// edited nor moved comes back with the same bytes.
core::GaussianScene saved_scene(const SceneItem& item, math::Vec3<double> world_origin,
                                SavedSplats which);

}  // namespace tessera::viewer
