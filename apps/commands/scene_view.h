// Scenes and captures brought into one frame: both may have been shifted on reading, by different
// offsets.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/camera.h"
#include "core/capture.h"
#include "core/gaussian_cloud.h"
#include "core/math/vec.h"

namespace tessera::apps {

math::Vec3<double> origin_of(const core::GaussianScene& scene);

// The same camera in coordinates that are smaller by `shift`.
core::PosedCamera shifted(const core::PosedCamera& camera, math::Vec3<double> shift);

// Moves the scene's means from its own shifted coordinates into those of `origin`.
void move_to_origin(core::GaussianScene& scene, math::Vec3<double> origin);

// The camera with another size. Of the same shape (within a pixel) it is scaled; otherwise the
// picture keeps its height's field of view and its width is cut or extended on both sides.
// `height` 0 follows from `width`.
core::Camera resized(const core::Camera& camera, int width, int height);

// Names of output pictures for these views: the capture's own, folders included, ending in .png;
// those that would collide keep their extension before it.
std::vector<std::string> picture_names(const std::vector<std::string>& view_names);

}  // namespace tessera::apps
