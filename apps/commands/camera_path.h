// Where the camera goes in `tessera render`: around the scene, or as a file says.
//
// A path file is JSON of one of three kinds, told apart by what it holds:
//   {"keyframes": [{"position": [x,y,z], "look_at": [x,y,z], "up": [x,y,z], "fov_deg": 50}, ...]}
//     with a smooth curve through them; "up" and "fov_deg" may be left out,
//   {"camera_path": [{"camera_to_world": [16 numbers], "fov": 50}, ...]} as nerfstudio's viewer
//     writes it (OpenGL camera axes), each entry a frame,
//   [{"position": ..., "rotation": ..., "fx": ..., "fy": ..., "width": ..., "height": ...}, ...] as
//     the cameras.json beside a scene, each entry a frame.
// All positions are in the numbers that the scene's file holds, as other viewers show it: an offset
// that its comments state is not in them.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands/scene_frame.h"
#include "core/camera.h"

namespace tessera::apps {

// Of a picture that is drawn.
inline constexpr int kMostPixelsASide = 1 << 14;

// A pinhole camera with square pixels and a centered principal point.
core::Camera pinhole(int width, int height, double fov_y_deg);
double fov_y_deg(const core::Camera& camera);

// `frames` cameras on a circle around frame.center, evenly, the first where the first photo was
// taken from; they go to the right.
std::vector<core::PosedCamera> turntable(const SceneFrame& frame, const core::Camera& camera,
                                         int frames);

struct PathFile {
  std::vector<core::PosedCamera> cameras;
  std::vector<std::string> names;  // of the photos, as many, if it is a cameras.json
  std::optional<double> frames_per_second;
};

// `camera` gives size and field of view where the file has none, `frames` the number of frames on
// a curve through keyframes, `up` its vertical, and `shift` what is subtracted from positions
// (the scene was moved since it was read). Throws core::IoError naming the entry that is wrong.
PathFile read_camera_path(const std::filesystem::path& path, const core::Camera& camera, int frames,
                          math::Vec3<double> up, math::Vec3<double> shift);

// A file of the third kind alone, in its own numbers.
PathFile read_cameras_json(const std::filesystem::path& path);

// The cameras.json of the run that made `scene`, if it stands beside it or above, as in
// point_cloud/iteration_N/point_cloud.ply; nothing otherwise.
std::vector<core::PosedCamera> cameras_beside(const std::filesystem::path& scene);

}  // namespace tessera::apps
