// The exact rasterizer on what is open: stills, and what lies at a pixel.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "core/camera.h"
#include "core/image.h"
#include "core/math/vec.h"
#include "viewer/camera/view_camera.h"
#include "viewer/draw/splat_drawer.h"
#include "viewer/scene/scene_item.h"

namespace tessera::viewer {

// All visible splats together, drawn by the CPU rasterizer. Throws core::Error if none is visible.
core::Image8 draw_exactly(const std::vector<SceneItem>& items, const core::PosedCamera& camera,
                          const SplatStyle& style);

// Where the nearest of what is shown lies on the ray of a pixel: of splats where half of the light
// is stopped, of points the nearest one within a few pixels. Nothing if the ray meets nothing.
std::optional<math::Vec3<double>> surface_at(const std::vector<SceneItem>& items,
                                             const Projection& projection,
                                             math::Vec2<double> pixel);

}  // namespace tessera::viewer
