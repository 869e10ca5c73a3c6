// Poses that a run with --pose-opt refined: its scene fits those, not the ones of its capture.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "core/capture.h"
#include "core/log.h"
#include "core/math/vec.h"

namespace tessera::apps {

// Gives the views of `capture`, which was read from `capture_path`, the poses that stand in the
// cameras.json of the run that made `scene`, if that run refined poses and was of this capture;
// says so then. `scene_origin` is the scene's own offset. Throws core::IoError if that file is
// broken.
void take_refined_poses(core::Capture& capture, const std::filesystem::path& capture_path,
                        const std::filesystem::path& scene, math::Vec3<double> scene_origin,
                        core::Log& log);

}  // namespace tessera::apps
