// What `tessera inspect` says of a capture: photos and what is missing, cameras, points.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/commands/summary_text.h"
#include "core/camera.h"
#include "core/capture.h"

namespace tessera::apps {

struct CameraUse {
  core::Camera camera;
  int64_t photos = 0;
};

struct CaptureSummary {
  std::string kind;
  int64_t views = 0;
  int64_t masks = 0;
  int64_t depth_maps = 0;
  int64_t test_views = 0;
  std::vector<std::string> missing_photos;  // names
  std::vector<CameraUse> cameras;           // distinct ones, the most used first
  Bounds camera_bounds;                     // of the cameras' centers, in the capture's frame
  int64_t points = 0;
  Bounds point_bounds;  // without the outer 1 % on each side of each axis
  math::Vec3<double> origin_in_file = {0, 0, 0};
  std::vector<std::string> notes;
  std::vector<std::string> problems;
};

// `capture` as read without requiring photos.
CaptureSummary summarize(const core::Capture& capture);

std::string to_text(const CaptureSummary& summary);
std::string to_json(const CaptureSummary& summary);

}  // namespace tessera::apps
