// SPDX-License-Identifier: MIT
#include "models/gaussian/view_regions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "distributed/backends/lone_rank.h"
#include "distributed/point_partition.h"
#include "models/gaussian/common_view.h"

namespace tessera::models {
namespace {

using Vec3d = math::Vec3<double>;

constexpr int kCells = 64;  // along each axis: cuts lie between them

// How far off the cameras look, in extents: two cameras' distance if they filled a disc, but not
// beyond its middle. From the air and in streets photos overlap by half and more, so what one
// shows lies about as far away as the next but one.
double looking_distance(size_t cameras) {
  constexpr double kDiscCameras = 4;
  return std::min(1.0, kDiscCameras / std::sqrt(static_cast<double>(cameras)));
}

std::vector<Vec3d> looked_at(std::span<const core::PosedCamera> cameras, double extent) {
  const double distance = extent * looking_distance(cameras.size());
  std::vector<Vec3d> points;
  points.reserve(cameras.size());
  for (const core::PosedCamera& camera : cameras) {
    points.push_back(center_in_world(camera.cam_from_world) +
                     distance * forward_axis(camera.cam_from_world));
  }
  return points;
}

// Cells of the smallest cube around the points.
std::vector<distributed::LatticePoint> cells_of(std::span<const Vec3d> points) {
  Vec3d low = points[0], high = points[0];
  for (const Vec3d& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const double side = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  const auto cell = [&](double offset) {
    return static_cast<uint16_t>(
        side > 0 ? std::min(static_cast<int>(offset / side * kCells), kCells - 1) : 0);
  };
  std::vector<distributed::LatticePoint> cells;
  cells.reserve(points.size());
  for (const Vec3d& p : points) {
    cells.push_back({cell(p.x - low.x), cell(p.y - low.y), cell(p.z - low.z)});
  }
  return cells;
}

}  // namespace

int view_region_count(int batch) {
  constexpr int kLeast = 16;
  return std::max(kLeast, static_cast<int>(std::bit_ceil(static_cast<unsigned>(batch))));
}

std::vector<int> view_regions(std::span<const core::PosedCamera> cameras, double extent,
                              int count) {
  if (cameras.empty()) return {};
  const std::vector<distributed::LatticePoint> cells = cells_of(looked_at(cameras, extent));
  const std::vector<int64_t> one_each(cells.size(), 1);
  const distributed::PointPartition partition(*distributed::lone_rank(), "view regions", cells,
                                              one_each, count);
  std::vector<int> regions;
  regions.reserve(cells.size());
  for (const distributed::LatticePoint& cell : cells) regions.push_back(partition.part(cell));
  return regions;
}

ViewOrder order_of_views(std::span<const core::PosedCamera> cameras, double extent, int batch,
                         uint64_t seed) {
  if (batch == 1) return {static_cast<int>(cameras.size()), seed};
  return {view_regions(cameras, extent, view_region_count(batch)), batch, seed};
}

}  // namespace tessera::models
