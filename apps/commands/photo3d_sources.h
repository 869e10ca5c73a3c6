// The kinds of input that `tessera photo3d` takes, one function and file each. All of them say in
// `log` what was decided and what looks wrong; errors are as of read_photo3d_input().
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "apps/commands/photo3d_input.h"
#include "apps/commands/run_log.h"
#include "apps/commands/upright_photo.h"
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

// A clip of a camera that stands still: a folder of frames or a video file, with depth from one
// file, from a folder of a file a frame, or of a network that sees its median frame.
bool holds_frames(const std::filesystem::path& folder);
Photo3dInput clip_with_depth(const Photo3dOptions& options, core::ThreadPool& pool, RunLog& log);

// Inverse depth of a photo, from a file or a network, at the photo's size.
models::InverseDepth depth_of_photo(const UprightPhoto& photo, double focal_px,
                                    const Photo3dOptions& options, core::Log& log);
// Of the frames of a clip, whose shape `photo` has: alike in scale. Notes and warnings are those of
// the first.
std::vector<models::InverseDepth> depth_of_frames(const std::vector<std::filesystem::path>& files,
                                                  const UprightPhoto& photo, double focal_px,
                                                  const Photo3dOptions& options, core::Log& log);

// What those that know depth have in common: the photo gets it, and what was decided is said.
void take_depth(models::InverseDepth depth, models::DepthPhoto& photo, core::Log& log);

}  // namespace tessera::apps
