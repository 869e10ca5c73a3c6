// The kinds of input that `tessera photo3d` takes, one function and file each. All of them say in
// `log` what was decided and what looks wrong; errors are as of read_photo3d_input().
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/commands/photo3d_input.h"
#include "models/multiplane/depth_meaning.h"

namespace tessera::apps {

// Depth from a file or a network.
Photo3dInput photo_with_depth(const Photo3dOptions& options, core::Log& log);

// A rectified pair.
Photo3dInput stereo_pair(const Photo3dOptions& options, core::ThreadPool& pool, core::Log& log);

// A view of the Gaussian scene in options.scene_view.scene.
Photo3dInput gaussian_scene(const Photo3dOptions& options, core::ThreadPool& pool, core::Log& log);

// Several photos of a capture.
Photo3dInput posed_photos(const Photo3dOptions& options, core::ThreadPool& pool, core::Log& log);

// What those that know depth have in common: the photo gets it, and what was decided is said.
void take_depth(models::InverseDepth depth, models::DepthPhoto& photo, core::Log& log);

}  // namespace tessera::apps
