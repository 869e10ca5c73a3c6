// SPDX-License-Identifier: MIT
#include "apps/commands/capture_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/commands/progress.h"

namespace tessera::apps {
namespace {

constexpr size_t kCamerasShown = 8;

void push(AxisValues& values, const math::Vec3<double>& p) {
  values[0].push_back(p.x);
  values[1].push_back(p.y);
  values[2].push_back(p.z);
}

void count_camera(std::vector<CameraUse>& cameras, const core::Camera& camera) {
  const auto same = [&](const CameraUse& use) { return use.camera == camera; };
  // Captures name their views in the order of their cameras as a rule: look at the last one first.
  const auto found = std::find_if(cameras.rbegin(), cameras.rend(), same);
  if (found == cameras.rend()) {
    cameras.push_back({camera, 1});
  } else {
    ++found->photos;
  }
}

std::string camera_text(const core::Camera& camera) {
  const std::string focal = has_single_focal_length(camera.model)
                                ? fmt::format("f {:.6g}", camera.fx)
                                : fmt::format("f {:.6g} {:.6g}", camera.fx, camera.fy);
  return fmt::format("{} {}x{}, {}, center {:.6g} {:.6g}", name_of(camera.model), camera.width,
                     camera.height, focal, camera.cx, camera.cy);
}

}  // namespace

CaptureSummary summarize(const core::Capture& capture) {
  CaptureSummary summary;
  summary.kind = capture.kind;
  summary.views = static_cast<int64_t>(capture.views.size());
  summary.points = static_cast<int64_t>(capture.points.size());
  summary.origin_in_file = capture.origin_in_file;
  summary.notes = capture.notes;
  AxisValues centers;
  for (const core::CaptureView& view : capture.views) {
    summary.masks += view.mask_path.empty() ? 0 : 1;
    summary.depth_maps += view.depth_path.empty() ? 0 : 1;
    summary.test_views += view.is_test ? 1 : 0;
    if (view.image_path.empty()) summary.missing_photos.push_back(view.name);
    count_camera(summary.cameras, view.camera);
    push(centers, center_in_world(view.cam_from_world));
  }
  std::stable_sort(summary.cameras.begin(), summary.cameras.end(),
                   [](const CameraUse& a, const CameraUse& b) { return a.photos > b.photos; });
  summary.camera_bounds = bounds_of(centers);
  AxisValues points;
  for (const core::ColoredPoint& point : capture.points) push(points, point.position);
  summary.point_bounds = middle_bounds_of(points);

  summary.problems = capture.warnings;
  return summary;
}

std::string to_text(const CaptureSummary& s) {
  std::string text =
      fmt::format("  kind          {}\n  photos        {}", s.kind, count_text(s.views));
  if (s.test_views > 0) text += fmt::format(", {} of them for testing", s.test_views);
  if (!s.missing_photos.empty()) {
    text += fmt::format(", {} of them not on disk", s.missing_photos.size());
  }
  text += fmt::format("\n  masks         {}\n  depth maps    {}\n  cameras       {}\n", s.masks,
                      s.depth_maps, s.cameras.size());
  for (size_t i = 0; i < std::min(kCamerasShown, s.cameras.size()); ++i) {
    text += fmt::format("    {} photo{}: {}\n", s.cameras[i].photos,
                        s.cameras[i].photos == 1 ? "" : "s", camera_text(s.cameras[i].camera));
  }
  if (s.cameras.size() > kCamerasShown) {
    text += fmt::format("    and {} more\n", s.cameras.size() - kCamerasShown);
  }
  text += fmt::format("    standing at {}\n  points        {}\n", bounds_text(s.camera_bounds),
                      count_text(s.points));
  if (s.points > 0) text += fmt::format("    98 % within {}\n", bounds_text(s.point_bounds));
  const math::Vec3<double>& o = s.origin_in_file;
  if (o.x != 0 || o.y != 0 || o.z != 0) {
    text += fmt::format("  offset        {:.6f} {:.6f} {:.6f}\n", o.x, o.y, o.z);
  }
  for (const std::string& note : s.notes) text += fmt::format("  note: {}\n", note);
  return text + problems_text(s.problems);
}

std::string to_json(const CaptureSummary& s) {
  nlohmann::ordered_json cameras = nlohmann::ordered_json::array();
  for (const CameraUse& use : s.cameras) {
    const core::Camera& c = use.camera;
    cameras.push_back({{"photos", use.photos},
                       {"model", name_of(c.model)},
                       {"width", c.width},
                       {"height", c.height},
                       {"fx", c.fx},
                       {"fy", c.fy},
                       {"cx", c.cx},
                       {"cy", c.cy},
                       {"distortion", c.distortion}});
  }
  const math::Vec3<double>& o = s.origin_in_file;
  const nlohmann::ordered_json json = {
      {"kind", s.kind},
      {"photos", s.views},
      {"missing_photos", s.missing_photos},
      {"masks", s.masks},
      {"depth_maps", s.depth_maps},
      {"test_photos", s.test_views},
      {"cameras", cameras},
      {"camera_bounds", nlohmann::ordered_json::parse(bounds_json(s.camera_bounds))},
      {"points", s.points},
      {"point_bounds", nlohmann::ordered_json::parse(bounds_json(s.point_bounds))},
      {"origin_in_file", {o.x, o.y, o.z}},
      {"notes", s.notes},
      {"problems", s.problems}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tessera::apps
