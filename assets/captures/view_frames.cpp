// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "assets/captures/view_files.h"
#include "assets/photos/image_io.h"
#include "core/count_text.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

// Whether a photo of w x h pixels shows what the camera shows, to within a pixel of rounding.
bool same_ratio(const core::Camera& camera, int width, int height) {
  const double expected_height = static_cast<double>(camera.height) * width / camera.width;
  const double expected_width = static_cast<double>(camera.width) * height / camera.height;
  return std::abs(expected_height - height) <= 1 || std::abs(expected_width - width) <= 1;
}

struct Fitting {
  int turned = 0;
  std::map<std::string, int> scaled;  // from what to what: how many
};

void fit_camera(core::CaptureView& view, const ImageInfo& photo, Fitting& fitting) {
  core::Camera& camera = view.camera;
  if (camera.width == photo.width && camera.height == photo.height) return;
  const bool can_turn = photo.exif_orientation >= 5;
  int width = photo.width;
  int height = photo.height;
  if (!same_ratio(camera, width, height) && can_turn) std::swap(width, height);
  if (!same_ratio(camera, width, height)) {
    throw core::IoError(
        view.image_path,
        fmt::format("the photo is {} x {} pixels but its camera is {} x {}, another shape; use the "
                    "photos that the cameras were made from",
                    photo.width, photo.height, camera.width, camera.height));
  }
  if (width != photo.width) ++fitting.turned;
  if (width == camera.width && height == camera.height) return;
  if (view.prescaled == 1) {
    ++fitting.scaled[fmt::format("from {} x {} to {} x {}", camera.width, camera.height, width,
                                 height)];
  }
  camera = core::scaled(camera, width, height);
}

// Depth of another shape belongs to another picture, and would be stretched over this one.
void drop_depth_of_other_shapes(core::Capture& capture) {
  std::vector<std::string> dropped;
  for (core::CaptureView& view : capture.views) {
    if (view.depth_path.empty()) continue;
    try {
      const ImageInfo depth = probe_image(view.depth_path);
      if (same_ratio(view.camera, depth.width, depth.height)) continue;
    } catch (const core::IoError&) {
      continue;  // named when the depth is opened
    }
    view.depth_path.clear();
    dropped.push_back(view.name);
  }
  if (dropped.empty()) return;
  capture.warnings.push_back(fmt::format(
      "Left out, since they have another shape than the photos, are the depth files "
      "of {}: {}.",
      core::plural(static_cast<int64_t>(dropped.size()), "photo"), list_first(dropped)));
}

math::Vec3<double> median(std::vector<math::Vec3<double>> points) {
  math::Vec3<double> result{};
  const auto middle = points.begin() + static_cast<int64_t>(points.size() / 2);
  for (double math::Vec3<double>::*axis :
       {&math::Vec3<double>::x, &math::Vec3<double>::y, &math::Vec3<double>::z}) {
    std::nth_element(points.begin(), middle, points.end(),
                     [axis](const auto& a, const auto& b) { return a.*axis < b.*axis; });
    result.*axis = (*middle).*axis;
  }
  return result;
}

double length(math::Vec3<double> v) {
  return std::sqrt(dot(v, v));
}

}  // namespace

void fit_cameras_to_photos(core::Capture& capture) {
  Fitting fitting;
  for (core::CaptureView& view : capture.views) {
    if (view.image_path.empty()) continue;
    ImageInfo photo;
    try {
      photo = probe_image(view.image_path);
    } catch (const core::IoError&) {
      continue;  // named with all other bad photos, or skipped, when the photos are opened
    }
    fit_camera(view, photo, fitting);
  }
  drop_depth_of_other_shapes(capture);
  if (fitting.turned > 0) {
    capture.notes.push_back(fmt::format("Turned as EXIF data says, because the cameras are: {}.",
                                        core::plural(fitting.turned, "photo")));
  }
  for (const auto& [sizes, count] : fitting.scaled) {
    capture.notes.push_back(fmt::format("Scaled {} pixels to fit the photos: {}.", sizes,
                                        core::plural(count, "camera")));
  }
}

void shift_to_origin(core::Capture& capture) {
  std::vector<math::Vec3<double>> positions;
  for (const core::CaptureView& view : capture.views) {
    positions.push_back(core::center_in_world(view.cam_from_world));
  }
  for (const core::ColoredPoint& point : capture.points) positions.push_back(point.position);
  const math::Vec3<double> center = median(positions);
  std::vector<double> distances;
  distances.reserve(positions.size());
  for (const auto& position : positions) distances.push_back(length(position - center));
  const auto middle = distances.begin() + static_cast<int64_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  constexpr double kFar = 1e4;  // from here on float32 resolves no better than a millimetre
  if (length(center) < kFar || length(center) < *middle) return;

  const math::Vec3<double> origin{std::round(center.x), std::round(center.y), std::round(center.z)};
  for (core::CaptureView& view : capture.views) {
    core::Rigid& pose = view.cam_from_world;
    pose.translation = pose.rotation * origin + pose.translation;
  }
  for (core::ColoredPoint& point : capture.points) point.position = point.position - origin;
  capture.origin_in_file = origin;
  capture.notes.push_back(
      fmt::format("Coordinates lie far from the origin; ({:.0f}, {:.0f}, {:.0f}) is subtracted.",
                  origin.x, origin.y, origin.z));
}

}  // namespace tessera::assets
