// SPDX-License-Identifier: MIT
#include "models/gaussian/random_start.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/evenly_spread.h"
#include "core/math/rng.h"
#include "models/gaussian/common_view.h"
#include "models/gaussian/model.h"

namespace tessera::models {
namespace {

using Vec3d = math::Vec3<double>;

constexpr int64_t kMostViews = 32;        // photos looked at for colors and transparency
constexpr int kMostRounds = 200;          // of candidates, each as many as points wanted
constexpr int kRoundsInVain = 10;         // after which the hull counts as empty
constexpr uint8_t kTransparentBelow = 8;  // of 255

double length(Vec3d v) {
  return std::sqrt(dot(v, v));
}

struct Pixel {
  int x, y;
};

// Where a camera sees the point; nothing if it does not.
std::optional<Pixel> pixel_of(const core::PosedCamera& posed, Vec3d point) {
  const core::Camera& camera = posed.camera;
  const Vec3d p = posed.cam_from_world.rotation * point + posed.cam_from_world.translation;
  if (!(p.z > 0)) return std::nullopt;
  const math::Vec2<double> at = project(core::lens_of(camera), p);
  if (!(at.x >= 0 && at.y >= 0 && at.x < camera.width && at.y < camera.height)) return std::nullopt;
  return Pixel{static_cast<int>(at.x), static_cast<int>(at.y)};
}

bool sees(const core::PosedCamera& camera, Vec3d point) {
  return pixel_of(camera, point).has_value();
}

// What the photos say of a candidate.
struct Candidate {
  Vec3d position;
  double color[3] = {0, 0, 0};  // sum over the photos that see it
  int seen = 0;
  bool transparent = false;
};

void look(const core::Photo& photo, const core::PosedCamera& camera,
          std::vector<Candidate>& candidates) {
  const int channels = photo.pixels.channels;
  for (Candidate& candidate : candidates) {
    const std::optional<Pixel> at = pixel_of(camera, candidate.position);
    if (!at || at->x >= photo.pixels.width || at->y >= photo.pixels.height) continue;
    const uint8_t* pixel = &photo.pixels.at(at->x, at->y);
    if (channels == 4 && pixel[3] < kTransparentBelow) candidate.transparent = true;
    for (int c = 0; c < 3; ++c) candidate.color[c] += pixel[c];
    ++candidate.seen;
  }
}

core::ColoredPoint point_of(const Candidate& candidate) {
  core::ColoredPoint point;
  point.position = candidate.position;
  for (int c = 0; c < 3 && candidate.seen > 0; ++c) {
    point.rgb[c] = static_cast<uint8_t>(std::lround(candidate.color[c] / candidate.seen));
  }
  return point;
}

}  // namespace

int64_t default_random_points(int64_t max_gaussians) {
  return std::clamp<int64_t>(max_gaussians / 2, 1000, 20000);
}

std::vector<Vec3d> common_positions(std::span<const core::PosedCamera> cameras, int64_t count,
                                    uint64_t seed, int64_t first) {
  if (cameras.empty()) throw core::Error("There are no cameras to place random points before.");
  const double extent = scene_extent(cameras);
  const Vec3d focus = common_focus(cameras, extent);
  double half_width = 0;
  for (const core::PosedCamera& camera : cameras) {
    const double distance = length(focus - center_in_world(camera.cam_from_world));
    half_width += distance * std::min(0.5 * camera.camera.width / camera.camera.fx,
                                      0.5 * camera.camera.height / camera.camera.fy);
  }
  half_width /= static_cast<double>(cameras.size());
  const size_t in_front = std::count_if(cameras.begin(), cameras.end(),
                                        [&](const auto& camera) { return sees(camera, focus); });
  // Cameras that look outwards have no common volume: there points are spread along what each sees.
  const bool common = 2 * in_front >= cameras.size() && half_width > 0;

  std::vector<Vec3d> positions;
  positions.reserve(count);
  constexpr int kTries = 32;
  for (int64_t i = 0; i < count; ++i) {
    const auto id = static_cast<uint64_t>(first + i);
    Vec3d position = focus;
    for (int attempt = 0; attempt < kTries; ++attempt) {
      const math::Random4 bits = random_bits(seed, math::RandomStream::kInit, attempt + 1, id);
      const double u = math::uniform_from_bits(bits.v[0]);
      const double v = math::uniform_from_bits(bits.v[1]);
      const double w = math::uniform_from_bits(bits.v[2]);
      if (common) {
        position = focus + half_width * Vec3d{2 * u - 1, 2 * v - 1, 2 * w - 1};
        const size_t seen = std::count_if(cameras.begin(), cameras.end(),
                                          [&](const auto& c) { return sees(c, position); });
        if (2 * seen >= cameras.size()) break;
      } else {
        const core::PosedCamera& camera = cameras[bits.v[3] % cameras.size()];
        const double depth = extent * (0.5 + 2.5 * w);
        const Vec3d in_camera = {
            depth * (u * camera.camera.width - camera.camera.cx) / camera.camera.fx,
            depth * (v * camera.camera.height - camera.camera.cy) / camera.camera.fy, depth};
        position = transposed_times(camera.cam_from_world.rotation,
                                    in_camera - camera.cam_from_world.translation);
        break;
      }
    }
    positions.push_back(position);
  }
  return positions;
}

std::vector<core::ColoredPoint> random_points(core::PhotoSource& photos,
                                              const std::vector<int>& views, int64_t count,
                                              uint64_t seed) {
  const std::vector<core::PosedCamera> cameras = cameras_of(photos, views);
  std::vector<core::ColoredPoint> points;
  std::vector<core::ColoredPoint> any;
  for (int round = 0; round < kMostRounds && static_cast<int64_t>(points.size()) < count; ++round) {
    std::vector<Candidate> candidates;
    for (const Vec3d& position : common_positions(cameras, count, seed, round * count)) {
      candidates.push_back({position});
    }
    for (const int view : core::evenly_spread(views, kMostViews)) {
      look(*photos.photo(view), photos.camera(view), candidates);
    }
    for (const Candidate& candidate : candidates) {
      if (round == 0) any.push_back(point_of(candidate));
      if (candidate.transparent || static_cast<int64_t>(points.size()) == count) continue;
      points.push_back(point_of(candidate));
    }
    if (points.empty() && round + 1 == kRoundsInVain) break;
  }
  return points.empty() ? any : points;
}

}  // namespace tessera::models
