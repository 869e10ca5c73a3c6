// Planners that choose planes tile by tile: tiled and adaptive.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "models/multiplane/disparity_histogram.h"
#include "models/multiplane/plane_fit.h"
#include "models/multiplane/planner.h"
#include "models/multiplane/tile_grid.h"

namespace tessera::models {
namespace {

constexpr int kUsualTiledPlanes = 4;
constexpr int kUsualAdaptivePlanes = 8;
constexpr int kMostTilePlanes = 32;
constexpr int kAdaptiveTile = 64;
constexpr int kFitRounds = 5;
constexpr int64_t kTilesAtOnce = 64;  // of a thread, from one word of progress to the next

int plane_count(const PlanSettings& settings, int usual) {
  return std::clamp(settings.planes == 0 ? usual : settings.planes, 1, kMostTilePlanes);
}

// The paper's: an eighth of the picture, rounded up to a power of two.
int paper_tile(int width) {
  const double eighth = std::max(1.0, 0.125 * width - 1);
  return static_cast<int>(std::clamp(std::exp2(std::ceil(std::log2(eighth))), 64.0, 256.0));
}

void start_from_clusters(const DisparityMap& map, const DisparityHistogram& histogram,
                         const Clustering& clustering, PlannedTile& tile) {
  tile.planes.clear();
  for (const double center : clustering.centers) {
    tile.planes.push_back({0, 0, static_cast<float>(center)});
  }
  const std::vector<uint8_t> clusters = cluster_of_bin(clustering);
  const core::PixelWindow& window = tile.window;
  tile.labels.resize(window.width, window.height, 1);
  for (int y = 0; y < window.height; ++y) {
    for (int x = 0; x < window.width; ++x) {
      tile.labels.at(x, y) =
          clusters[histogram.bin_of(map.disparity.at(window.left + x, window.top + y))];
    }
  }
}

std::vector<PlannedTile> plan_tiles(const DisparityMap& map, int size, const PlanSettings& settings,
                                    core::ThreadPool& pool, const auto& plan_tile) {
  std::vector<PlannedTile> tiles;
  for (const core::PixelWindow& window :
       tile_grid(map.disparity.width, map.disparity.height, size, size * 7 / 8)) {
    tiles.emplace_back().window = window;
  }
  const auto count = static_cast<int64_t>(tiles.size());
  const int64_t at_once = kTilesAtOnce * pool.thread_count();
  const auto say = [&](int64_t done) {
    if (settings.progress) settings.progress({"planes", "tile", done, count});
  };
  say(0);
  for (int64_t first = 0; first < count; first += at_once) {
    const int64_t last = std::min(first + at_once, count);
    pool.parallel_for(last - first, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) plan_tile(tiles[first + i]);
    });
    say(last);
  }
  return tiles;
}

}  // namespace

void widen_near_planes(const PlannedTile& tile, core::Image8& labels, const core::Image8* resting) {
  const core::PixelWindow& window = tile.window;
  const core::Image8 before = labels;
  for (int y = 0; y < window.height; ++y) {
    for (int x = 0; x < window.width; ++x) {
      const float u = window.left + x + 0.5F;
      const float v = window.top + y + 0.5F;
      float nearest = tile.planes[before.at(x, y)].at(u, v) + kNearerBy;
      const auto look_at = [&](int side_x, int side_y) {
        if (side_x < 0 || side_y < 0 || side_x >= window.width || side_y >= window.height) return;
        const uint8_t label = before.at(side_x, side_y);
        if (resting != nullptr && resting->at(side_x, side_y) == label) return;
        const float disparity = tile.planes[label].at(u, v);
        if (disparity <= nearest) return;
        nearest = disparity;
        labels.at(x, y) = label;
      };
      look_at(x - 1, y);
      look_at(x + 1, y);
      look_at(x, y - 1);
      look_at(x, y + 1);
    }
  }
}

std::vector<PlannedTile> plan_tiled(const DisparityMap& map, const PlanSettings& settings,
                                    core::ThreadPool& pool) {
  const int planes = plane_count(settings, kUsualTiledPlanes);
  return plan_tiles(map, paper_tile(map.disparity.width), settings, pool, [&](PlannedTile& tile) {
    const DisparityHistogram histogram = disparity_histogram(map, tile.window);
    start_from_clusters(map, histogram, cluster_histogram(histogram.bins, planes).back(), tile);
  });
}

std::vector<PlannedTile> plan_adaptive(const DisparityMap& map, const PlanSettings& settings,
                                       core::ThreadPool& pool) {
  const int most = plane_count(settings, kUsualAdaptivePlanes);
  const double enough = settings.largest_error_px * settings.largest_error_px;
  return plan_tiles(map, kAdaptiveTile, settings, pool, [&](PlannedTile& tile) {
    const DisparityHistogram histogram = disparity_histogram(map, tile.window);
    for (const Clustering& clustering : cluster_histogram(histogram.bins, most)) {
      start_from_clusters(map, histogram, clustering, tile);
      if (fit_planes(map, tile.window, kFitRounds, tile.planes, tile.labels) <= enough) break;
    }
    widen_near_planes(tile, tile.labels);
  });
}

}  // namespace tessera::models
