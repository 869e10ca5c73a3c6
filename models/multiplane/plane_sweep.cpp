// SPDX-License-Identifier: MIT
#include "models/multiplane/plane_sweep.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/shrink.h"

namespace tessera::models {
namespace {

using math::Mat3;
using math::Vec3;

constexpr uint8_t kCounts = 128;  // of masks

// A photo as seen from the reference: homogeneous pixel = rotation * (u, v, 1) + inverse depth *
// translation, u and v of the reference.
struct PhotoMap {
  Mat3<double> rotation;
  Vec3<double> translation;
};

Mat3<double> intrinsics(const core::Camera& camera) {
  Mat3<double> k = Mat3<double>::identity();
  k.m[0][0] = camera.fx;
  k.m[1][1] = camera.fy;
  k.m[0][2] = camera.cx;
  k.m[1][2] = camera.cy;
  return k;
}

PhotoMap map_to(const PosedPhoto& photo, const core::PosedCamera& reference) {
  const core::Camera& from = reference.camera;
  Mat3<double> ray = Mat3<double>::identity();  // of a reference pixel
  ray.m[0][0] = 1 / from.fx;
  ray.m[1][1] = 1 / from.fy;
  ray.m[0][2] = -from.cx / from.fx;
  ray.m[1][2] = -from.cy / from.fy;
  const core::Rigid world_from_reference = reference.cam_from_world.inverse();
  const core::Rigid& to = photo.camera.cam_from_world;
  const Mat3<double> k = intrinsics(photo.camera.camera);
  return {k * (to.rotation * world_from_reference.rotation) * ray,
          k * (to.rotation * world_from_reference.translation + to.translation)};
}

// The bilinear sample of a photo at a point, or nothing outside of it or under its mask.
bool sample(const PosedPhoto& photo, double x, double y, float* rgb) {
  const double u = x - 0.5;
  const double v = y - 0.5;
  if (!(u >= 0 && v >= 0 && u <= photo.pixels.width - 1 && v <= photo.pixels.height - 1)) {
    return false;
  }
  const int x0 = std::min(static_cast<int>(u), std::max(photo.pixels.width - 2, 0));
  const int y0 = std::min(static_cast<int>(v), std::max(photo.pixels.height - 2, 0));
  const int x1 = std::min(x0 + 1, photo.pixels.width - 1);
  const int y1 = std::min(y0 + 1, photo.pixels.height - 1);
  if (!photo.mask.empty() && photo.mask.at(x0, y0) < kCounts) return false;
  const auto fx = static_cast<float>(u - x0);
  const auto fy = static_cast<float>(v - y0);
  for (int c = 0; c < 3; ++c) {
    const float upper =
        photo.pixels.at(x0, y0, c) +
        fx * static_cast<float>(photo.pixels.at(x1, y0, c) - photo.pixels.at(x0, y0, c));
    const float lower =
        photo.pixels.at(x0, y1, c) +
        fx * static_cast<float>(photo.pixels.at(x1, y1, c) - photo.pixels.at(x0, y1, c));
    rgb[c] = (upper + fy * (lower - upper)) / 255.0F;
  }
  return true;
}

void sweep_row(std::span<const PosedPhoto> photos, std::span<const PhotoMap> maps, double v, int y,
               const core::PixelWindow& window, double inverse_depth, SweptPlane& plane) {
  for (int x = 0; x < window.width; ++x) {
    const Vec3<double> pixel = {window.left + x + 0.5, v, 1};
    float sum[3] = {0, 0, 0};
    float squares = 0;
    int seen = 0;
    for (size_t i = 0; i < photos.size(); ++i) {
      const Vec3<double> at = maps[i].rotation * pixel + maps[i].translation * inverse_depth;
      float rgb[3];
      if (!(at.z > 0) || !sample(photos[i], at.x / at.z, at.y / at.z, rgb)) continue;
      for (int c = 0; c < 3; ++c) {
        sum[c] += rgb[c];
        squares += rgb[c] * rgb[c];
      }
      ++seen;
    }
    const float count = static_cast<float>(std::max(seen, 1));
    float means = 0;
    for (int c = 0; c < 3; ++c) {
      const float mean = sum[c] / count;
      plane.color.at(x, y, c) = mean;
      means += mean * mean;
    }
    plane.deviation.at(x, y) =
        seen < 2 ? INFINITY : std::sqrt(std::max(0.0F, (squares / count - means) / 3));
  }
}

double center_distance(const core::Rigid& a, const core::Rigid& b) {
  const Vec3<double> between = core::center_in_world(a) - core::center_in_world(b);
  return std::sqrt(dot(between, between));
}

double inverse_depth_of_plane(const InverseDepthRange& range, int plane, int count) {
  const double part = count > 1 ? static_cast<double>(plane) / (count - 1) : 0;
  return range.farthest + (range.nearest - range.farthest) * part;
}

// The mean over 5x5 pixels of what is finite.
core::ImageF smoothed(const core::ImageF& values) {
  constexpr int kReach = kSweptMargin;
  core::ImageF result(values.width, values.height, 1);
  for (int y = 0; y < values.height; ++y) {
    for (int x = 0; x < values.width; ++x) {
      float sum = 0;
      int count = 0;
      for (int v = std::max(0, y - kReach); v <= std::min(values.height - 1, y + kReach); ++v) {
        for (int u = std::max(0, x - kReach); u <= std::min(values.width - 1, x + kReach); ++u) {
          if (!std::isfinite(values.at(u, v))) continue;
          sum += values.at(u, v);
          ++count;
        }
      }
      result.at(x, y) = std::isfinite(values.at(x, y)) ? sum / static_cast<float>(count) : INFINITY;
    }
  }
  return result;
}

// Made smaller so that a sweep over many planes takes a moment.
std::vector<PosedPhoto> shrunk(std::span<const PosedPhoto> photos, int times) {
  std::vector<PosedPhoto> small;
  for (const PosedPhoto& photo : photos) {
    core::Photo part;
    part.pixels = photo.pixels;
    part.mask = photo.mask;
    part = core::shrink(part, std::max(1, photo.pixels.width / times),
                        std::max(1, photo.pixels.height / times));
    const core::Camera camera =
        core::scaled(photo.camera.camera, part.pixels.width, part.pixels.height);
    small.push_back(
        {std::move(part.pixels), std::move(part.mask), {camera, photo.camera.cam_from_world}});
  }
  return small;
}

}  // namespace

SweptPlane sweep_plane(std::span<const PosedPhoto> photos, const core::PosedCamera& reference,
                       const core::PixelWindow& window, double inverse_depth,
                       core::ThreadPool& pool) {
  std::vector<PhotoMap> maps;
  for (const PosedPhoto& photo : photos) maps.push_back(map_to(photo, reference));
  SweptPlane plane = {core::ImageF(window.width, window.height, 3),
                      core::ImageF(window.width, window.height, 1)};
  pool.parallel_for(window.height, 4, [&](int64_t begin, int64_t end, int) {
    for (int64_t y = begin; y < end; ++y) {
      sweep_row(photos, maps, window.top + static_cast<double>(y) + 0.5, static_cast<int>(y),
                window, inverse_depth, plane);
    }
  });
  return plane;
}

InverseDepthRange swept_range(std::span<const PosedPhoto> photos,
                              const core::PosedCamera& reference, core::ThreadPool& pool) {
  constexpr int kWidth = 160;
  constexpr int kPlanes = 96;
  // Between the reference and the photo farthest from it a point at the nearest plane moves by
  // that much of the picture's width.
  constexpr double kMostMotion = 0.6;
  double baseline = 0;
  for (const PosedPhoto& photo : photos) {
    baseline =
        std::max(baseline, center_distance(photo.camera.cam_from_world, reference.cam_from_world));
  }
  if (!(baseline > 0)) {
    throw core::Error("The photos were taken from one place, so they say nothing of depth.");
  }
  const int times = std::max(1, reference.camera.width / kWidth);
  const std::vector<PosedPhoto> small = shrunk(photos, times);
  core::PosedCamera camera = reference;
  camera.camera = core::scaled(reference.camera, std::max(1, reference.camera.width / times),
                               std::max(1, reference.camera.height / times));
  const core::PixelWindow window = {0, 0, camera.camera.width, camera.camera.height};
  const double nearest = kMostMotion * camera.camera.width / (camera.camera.fx * baseline);
  const InverseDepthRange searched = {nearest, 0};

  core::ImageF best(window.width, window.height, 1);
  core::ImageF sum(window.width, window.height, 1);
  core::Image8 plane_of(window.width, window.height, 1);
  best.data.fill(INFINITY);
  sum.data.fill(0);
  core::ImageF counted = sum;
  for (int plane = 0; plane < kPlanes; ++plane) {
    const SweptPlane swept =
        sweep_plane(small, camera, window, inverse_depth_of_plane(searched, plane, kPlanes), pool);
    const core::ImageF deviation = smoothed(swept.deviation);
    for (int64_t i = 0; i < deviation.pixel_count(); ++i) {
      const float here = deviation.data[i];
      if (!std::isfinite(here)) continue;
      sum.data[i] += here;
      counted.data[i] += 1;
      if (here >= best.data[i]) continue;
      best.data[i] = here;
      plane_of.data[i] = static_cast<uint8_t>(plane);
    }
  }
  // Clear where photos agree much better there than elsewhere.
  constexpr float kClearly = 0.35F;
  std::vector<int> planes;
  for (int64_t i = 0; i < best.pixel_count(); ++i) {
    if (2 * counted.data[i] < kPlanes) continue;
    if (best.data[i] < kClearly * sum.data[i] / counted.data[i]) planes.push_back(plane_of.data[i]);
  }
  constexpr size_t kFew = 50;
  if (planes.size() < kFew) {
    throw core::Error(
        "The photos agree at no depth: they show too little of the same, or their poses are "
        "wrong.");
  }
  std::sort(planes.begin(), planes.end());
  const auto at = [&](double part) {
    return planes[static_cast<size_t>(part * static_cast<double>(planes.size() - 1))];
  };
  constexpr double kRoomBefore = 1.1;
  constexpr double kRoomBehind = 0.6;
  const double far = inverse_depth_of_plane(searched, at(0.001), kPlanes);
  const double near = inverse_depth_of_plane(searched, at(0.99) + 1, kPlanes);
  return {near * kRoomBefore, std::max(far * kRoomBehind, 1e-3 * near)};
}

std::vector<core::MultiplaneLayer> planes_between(const InverseDepthRange& range, int count,
                                                  const core::PixelWindow& window) {
  std::vector<core::MultiplaneLayer> planes;
  for (int plane = 0; plane < count; ++plane) {
    const double inverse_depth = inverse_depth_of_plane(range, plane, count);
    planes.push_back({{0, 0, static_cast<float>(inverse_depth)},
                      window,
                      plane,
                      core::kLayerGutter,
                      core::kLayerGutter});
  }
  return planes;
}

core::MultiplaneImageF swept_multiplane(std::span<const PosedPhoto> photos,
                                        const core::PosedCamera& reference,
                                        const core::PixelWindow& window,
                                        const InverseDepthRange& range, int count,
                                        core::ThreadPool& pool) {
  constexpr float kOpaque = 0.7F;
  constexpr float kClear = 0.02F;
  constexpr float kSharpness = 0.01F;  // of the deviation
  core::MultiplaneImageF image;
  image.camera = reference;
  image.layers = planes_between(range, count, window);
  core::ImageF least(window.width, window.height, 1);
  least.data.fill(INFINITY);
  std::vector<core::ImageF> deviations;
  for (int plane = 0; plane < count; ++plane) {
    const double inverse_depth = inverse_depth_of_plane(range, plane, count);
    const SweptPlane swept = sweep_plane(photos, reference, window, inverse_depth, pool);
    core::ImageF& page = image.pages.emplace_back(window.width + 2 * core::kLayerGutter,
                                                  window.height + 2 * core::kLayerGutter, 4);
    page.data.fill(0);
    core::ImageF& deviation = deviations.emplace_back(smoothed(swept.deviation));
    for (int y = 0; y < window.height; ++y) {
      for (int x = 0; x < window.width; ++x) {
        least.at(x, y) = std::min(least.at(x, y), deviation.at(x, y));
        std::copy_n(&swept.color.at(x, y), 3,
                    &page.at(x + core::kLayerGutter, y + core::kLayerGutter));
      }
    }
  }
  for (int plane = 0; plane < count; ++plane) {
    for (int y = 0; y < window.height; ++y) {
      for (int x = 0; x < window.width; ++x) {
        const float here = deviations[plane].at(x, y);
        float alpha = kClear;
        if (std::isfinite(here)) alpha += kOpaque * std::exp((least.at(x, y) - here) / kSharpness);
        // What one photo alone sees is far away as a rule.
        if (plane == 0 && !std::isfinite(least.at(x, y))) alpha += kOpaque;
        float* texel = &image.pages[plane].at(x + core::kLayerGutter, y + core::kLayerGutter);
        for (int c = 0; c < 3; ++c) texel[c] *= alpha;
        texel[3] = alpha;
      }
    }
  }
  return image;
}

}  // namespace tessera::models
