// SPDX-License-Identifier: MIT
#include "viewer/scene/scene_item.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "viewer/draw/splat_state.h"

namespace tessera::viewer {
namespace {

using math::Vec3;

constexpr size_t kMostSamples = 100000;
constexpr double kOuterShare = 0.02;  // on each side of each axis

void add_samples(const SplatContent& content, std::vector<Vec3<double>>& samples) {
  const core::GaussianCloud& cloud = content.scene->cloud;
  const int64_t step = std::max<int64_t>(1, cloud.size() / static_cast<int64_t>(kMostSamples));
  for (int64_t i = 0; i < cloud.size(); i += step) {
    if (((*content.states)[i] & kAbsent) != 0) continue;
    samples.push_back({cloud.plane(core::kMeanPlane)[i], cloud.plane(core::kMeanPlane + 1)[i],
                       cloud.plane(core::kMeanPlane + 2)[i]});
  }
}

void add_samples(const std::vector<core::ColoredPoint>& points,
                 std::vector<Vec3<double>>& samples) {
  const size_t step = std::max<size_t>(1, points.size() / kMostSamples);
  for (size_t i = 0; i < points.size(); i += step) samples.push_back(points[i].position);
}

void add_samples(const MultiplaneContent& content, std::vector<Vec3<double>>& samples) {
  const core::MultiplaneImage& image = *content.image;
  const core::PosedCamera& posed = image.camera;
  const core::Rigid world_from_cam = posed.cam_from_world.inverse();
  for (const core::MultiplaneLayer& layer : image.layers) {
    const double inverse = inverse_depth_at_middle(layer, posed.camera);
    if (inverse <= 1e-6) continue;
    const double x = layer.window.left + layer.window.width / 2.0;
    const double y = layer.window.top + layer.window.height / 2.0;
    const Vec3<double> p = {(x - posed.camera.cx) / posed.camera.fx / inverse,
                            (y - posed.camera.cy) / posed.camera.fy / inverse, 1 / inverse};
    samples.push_back(world_from_cam.rotation * p + world_from_cam.translation);
  }
}

std::vector<Vec3<double>> samples_of(const SceneItem& item) {
  std::vector<Vec3<double>> samples;
  if (const auto* splats = std::get_if<SplatContent>(&item.content)) {
    add_samples(*splats, samples);
  } else if (const auto* points = std::get_if<PointContent>(&item.content)) {
    add_samples(points->set->points, samples);
  } else if (const auto* capture = std::get_if<CaptureContent>(&item.content)) {
    add_samples(capture->capture->points, samples);
    for (const core::CaptureView& view : capture->capture->views) {
      samples.push_back(center_in_world(view.cam_from_world));
    }
  } else if (const auto* image = std::get_if<MultiplaneContent>(&item.content)) {
    add_samples(*image, samples);
  }
  return samples;
}

Extent extent_of(std::vector<Vec3<double>> samples) {
  if (samples.empty()) return {};
  double low[3], high[3];
  std::vector<double> values(samples.size());
  for (int a = 0; a < 3; ++a) {
    std::transform(samples.begin(), samples.end(), values.begin(),
                   [a](const Vec3<double>& v) { return a == 0 ? v.x : (a == 1 ? v.y : v.z); });
    std::sort(values.begin(), values.end());
    const auto outer = static_cast<size_t>(kOuterShare * static_cast<double>(values.size() - 1));
    low[a] = values[outer];
    high[a] = values[values.size() - 1 - outer];
  }
  Extent extent;
  extent.center = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2};
  extent.radius =
      std::max(1e-6, std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) / 2);
  return extent;
}

Vec3<double> unit(Vec3<double> v) {
  return v * (1 / std::sqrt(dot(v, v)));
}

}  // namespace

Extent extent_of(const SceneItem& item) {
  return extent_of(samples_of(item));
}

Extent extent_of(const std::vector<SceneItem>& items) {
  std::vector<Vec3<double>> all;
  for (const SceneItem& item : items) {
    if (!item.visible) continue;
    for (const Vec3<double>& sample : samples_of(item)) all.push_back(item.placement(sample));
  }
  return extent_of(std::move(all));
}

Vec3<double> vertical_of(const SceneItem& item) {
  if (const auto* splats = std::get_if<SplatContent>(&item.content)) {
    const std::string& axis = splats->scene->vertical_axis;
    if (axis.size() == 2) {
      const double sign = axis[0] == '-' ? -1 : 1;
      if (axis[1] == 'x') return {sign, 0, 0};
      if (axis[1] == 'y') return {0, sign, 0};
      if (axis[1] == 'z') return {0, 0, sign};
    }
    Vec3<double> v;
    if (std::sscanf(axis.c_str(), "%lf %lf %lf", &v.x, &v.y, &v.z) == 3 && dot(v, v) > 1e-12) {
      return unit(v);
    }
  }
  Vec3<double> sum = {0, 0, 0};
  for (const core::PosedCamera& camera : item.cameras) {
    const auto& row = camera.cam_from_world.rotation.m[1];
    sum = sum - Vec3<double>{row[0], row[1], row[2]};
  }
  return dot(sum, sum) > 1e-6 ? unit(sum) : Vec3<double>{0, -1, 0};
}

}  // namespace tessera::viewer
