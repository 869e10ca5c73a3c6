// SPDX-License-Identifier: MIT
#include "models/multiplane/moving_depth.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/multiplane/disparity_map.h"

namespace tessera::models {
namespace {

constexpr int kLeastMovedPixels = 8;  // in a tile, for its depth to move
constexpr float kSamePlane = 1;       // pixels of disparity
constexpr size_t kMostPlanes = 255;   // that labels can name
constexpr int kMixedReach = 2;        // pixels

DisparityMap map_of(const DepthClip& clip, core::ImageF inverse_depth, double baseline,
                    core::ThreadPool& pool) {
  DepthPhoto photo;
  photo.inverse_depth = std::move(inverse_depth);
  photo.camera = clip.camera;
  return make_disparity_map(photo, baseline, pool);
}

bool depth_moves(const DisparityMap& least, const DisparityMap& greatest,
                 const core::PixelWindow& window) {
  int moved = 0;
  for (int y = window.top; y < window.bottom(); ++y) {
    for (int x = window.left; x < window.right(); ++x) {
      moved += greatest.disparity.at(x, y) - least.disparity.at(x, y) > kNearerBy ? 1 : 0;
    }
  }
  return moved >= kLeastMovedPixels;
}

// Whether they are the same over the whole tile.
bool are_same(const DisparityPlane& a, const DisparityPlane& b, const core::PixelWindow& window) {
  const auto differs = [&](int x, int y) {
    const auto u = static_cast<float>(x);
    const auto v = static_cast<float>(y);
    return std::abs(a.at(u, v) - b.at(u, v)) > kSamePlane;
  };
  return !differs(window.left, window.top) && !differs(window.right(), window.top) &&
         !differs(window.left, window.bottom()) && !differs(window.right(), window.bottom());
}

void add_planes(const PlannedTile& from, PlannedTile& to) {
  for (const DisparityPlane& plane : from.planes) {
    const bool known = std::any_of(to.planes.begin(), to.planes.end(), [&](const auto& own) {
      return are_same(plane, own, to.window);
    });
    if (!known && to.planes.size() < kMostPlanes) to.planes.push_back(plane);
  }
}

uint8_t nearest_plane(const PlannedTile& tile, int resting, float x, float y, float disparity) {
  if (std::abs(tile.planes[resting].at(x, y) - disparity) <= kNearerBy) {
    return static_cast<uint8_t>(resting);
  }
  size_t best = 0;
  for (size_t plane = 1; plane < tile.planes.size(); ++plane) {
    if (std::abs(tile.planes[plane].at(x, y) - disparity) <
        std::abs(tile.planes[best].at(x, y) - disparity)) {
      best = plane;
    }
  }
  return static_cast<uint8_t>(best);
}

core::Image8 labels_of(const PlannedTile& tile, const DisparityMap& map) {
  core::Image8 labels(tile.window.width, tile.window.height, 1);
  for (int y = 0; y < labels.height; ++y) {
    for (int x = 0; x < labels.width; ++x) {
      const int u = tile.window.left + x;
      const int v = tile.window.top + y;
      labels.at(x, y) = nearest_plane(tile, tile.labels.at(x, y), static_cast<float>(u) + 0.5F,
                                      static_cast<float>(v) + 0.5F, map.disparity.at(u, v));
    }
  }
  widen_near_planes(tile, labels, &tile.labels);
  return labels;
}

core::Image8 mixed_of(const core::Image8& labels, const core::Image8& resting) {
  core::Image8 mixed(labels.width, labels.height, 1);
  mixed.data.fill(0);
  for (int y = 0; y < labels.height; ++y) {
    for (int x = 0; x < labels.width; ++x) {
      if (labels.at(x, y) == resting.at(x, y)) continue;
      for (int v = std::max(y - kMixedReach, 0); v <= std::min(y + kMixedReach, labels.height - 1);
           ++v) {
        for (int u = std::max(x - kMixedReach, 0); u <= std::min(x + kMixedReach, labels.width - 1);
             ++u) {
          mixed.at(u, v) = 1;
        }
      }
    }
  }
  for (int64_t i = 0; i < labels.data.size(); ++i) {
    if (labels.data[i] != resting.data[i]) mixed.data[i] = 0;
  }
  return mixed;
}

}  // namespace

std::vector<TileFrames> follow_depth(const DepthClip& clip, const std::vector<int>& frames,
                                     const PlanSettings& settings, std::vector<PlannedTile>& tiles,
                                     core::ThreadPool& pool) {
  std::vector<TileFrames> followed(tiles.size());
  std::vector<size_t> moving;
  if (clip.inverse_depth.size() > 1) {
    DepthExtremes extremes = depth_extremes(clip, pool);
    const DisparityMap least = map_of(clip, std::move(extremes.least), settings.baseline, pool);
    const DisparityMap greatest =
        map_of(clip, std::move(extremes.greatest), settings.baseline, pool);
    const PlannerEntry& planner = find_planner(settings.planner);
    const std::vector<PlannedTile> far = planner.plan(least, settings, pool);
    const std::vector<PlannedTile> near = planner.plan(greatest, settings, pool);
    for (size_t i = 0; i < tiles.size(); ++i) {
      if (!depth_moves(least, greatest, tiles[i].window)) continue;
      moving.push_back(i);
      add_planes(near.at(i), tiles[i]);
      add_planes(far.at(i), tiles[i]);
    }
  }
  for (size_t i = 0; i < tiles.size(); ++i) followed[i].labels = {tiles[i].labels};
  for (const size_t i : moving) {
    followed[i].labels.resize(frames.size());
    followed[i].mixed.resize(frames.size());
  }
  for (size_t k = 0; k < frames.size() && !moving.empty(); ++k) {
    const DisparityMap map =
        map_of(clip, clip.inverse_depth.at(frames[k]), settings.baseline, pool);
    pool.parallel_for(static_cast<int64_t>(moving.size()), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t m = begin; m < end; ++m) {
        const PlannedTile& tile = tiles[moving[m]];
        TileFrames& of_tile = followed[moving[m]];
        of_tile.labels[k] = labels_of(tile, map);
        of_tile.mixed[k] = mixed_of(of_tile.labels[k], tile.labels);
      }
    });
  }
  return followed;
}

}  // namespace tessera::models
