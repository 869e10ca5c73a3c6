// Planners whose planes face the camera and span the picture: uniform, kmeans and bins.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <vector>

#include "models/multiplane/disparity_histogram.h"
#include "models/multiplane/planner.h"
#include "models/multiplane/tile_grid.h"

namespace tessera::models {
namespace {

constexpr int kMostPlanes = 255;

int plane_count(const PlanSettings& settings) {
  return std::clamp(settings.planes == 0 ? kUsualPicturePlanes : settings.planes, 1, kMostPlanes);
}

// Each pixel is on the nearest one of `disparities` (ascending).
std::vector<PlannedTile> whole_picture(const DisparityMap& map,
                                       const std::vector<float>& disparities,
                                       core::ThreadPool& pool) {
  std::vector<float> between;
  for (size_t i = 1; i < disparities.size(); ++i) {
    between.push_back(0.5F * (disparities[i - 1] + disparities[i]));
  }
  std::vector<PlannedTile> tiles;
  for (const core::PixelWindow& window : largest_tiles(map.disparity.width, map.disparity.height)) {
    PlannedTile& tile = tiles.emplace_back();
    tile.window = window;
    for (const float disparity : disparities) tile.planes.push_back({0, 0, disparity});
    tile.labels.resize(window.width, window.height, 1);
    pool.parallel_for(window.height, 16, [&](int64_t begin, int64_t end, int) {
      for (int y = static_cast<int>(begin); y < end; ++y) {
        for (int x = 0; x < window.width; ++x) {
          const float disparity = map.disparity.at(window.left + x, window.top + y);
          tile.labels.at(x, y) = static_cast<uint8_t>(
              std::upper_bound(between.begin(), between.end(), disparity) - between.begin());
        }
      }
    });
  }
  return tiles;
}

}  // namespace

std::vector<PlannedTile> plan_uniform(const DisparityMap& map, const PlanSettings& settings,
                                      core::ThreadPool& pool) {
  const int count = map.greatest > map.least ? plane_count(settings) : 1;
  std::vector<float> disparities(count, map.least);
  for (int i = 1; i < count; ++i) {
    disparities[i] = map.least + (map.greatest - map.least) * static_cast<float>(i) /
                                     static_cast<float>(count - 1);
  }
  return whole_picture(map, disparities, pool);
}

std::vector<PlannedTile> plan_kmeans(const DisparityMap& map, const PlanSettings& settings,
                                     core::ThreadPool& pool) {
  const DisparityHistogram histogram = disparity_histogram(map, map.disparity.window());
  const Clustering clustering = cluster_histogram(histogram.bins, plane_count(settings)).back();
  return whole_picture(map, {clustering.centers.begin(), clustering.centers.end()}, pool);
}

// Bins have equal shares of a density: half that of the picture's disparities, half uniform, so
// that no depth is left without planes. Each round halves all bins where the density is that of
// the bin's own histogram, so edges of a coarse round stay.
std::vector<PlannedTile> plan_bins(const DisparityMap& map, const PlanSettings& settings,
                                   core::ThreadPool& pool) {
  const DisparityHistogram histogram = disparity_histogram(map, map.disparity.window());
  std::vector<double> mass(kDisparityBins + 1, 0);  // before each bin
  double total = 0;
  for (const HistogramBin& bin : histogram.bins) total += bin.weight;
  for (int i = 0; i < kDisparityBins; ++i) {
    mass[i + 1] = mass[i] + 0.5 * histogram.bins[i].weight / total + 0.5 / kDisparityBins;
  }
  const auto mass_at = [&](double place) {
    const int bin = std::clamp(static_cast<int>(place), 0, kDisparityBins - 1);
    return mass[bin] + (mass[bin + 1] - mass[bin]) * (place - bin);
  };
  // Where in [from, to] the mass between them is halved.
  const auto middle = [&](double from, double to) {
    const double wanted = 0.5 * (mass_at(from) + mass_at(to));
    for (int round = 0; round < 40; ++round) {
      const double half = 0.5 * (from + to);
      (mass_at(half) < wanted ? from : to) = half;
    }
    return from;
  };
  std::vector<double> edges = {0, kDisparityBins};
  const auto wanted = static_cast<size_t>(map.greatest > map.least ? plane_count(settings) : 1);
  while (edges.size() - 1 < wanted) {
    std::vector<std::pair<double, size_t>> by_mass;  // the heaviest bins are halved first
    for (size_t i = 1; i < edges.size(); ++i) {
      by_mass.emplace_back(mass_at(edges[i]) - mass_at(edges[i - 1]), i);
    }
    std::sort(by_mass.rbegin(), by_mass.rend());
    by_mass.resize(std::min(by_mass.size(), wanted + 1 - edges.size()));
    for (const auto& [weight, i] : by_mass) edges.push_back(middle(edges[i - 1], edges[i]));
    std::sort(edges.begin(), edges.end());
  }
  std::vector<float> disparities;
  const double width = (histogram.greatest - histogram.least) / kDisparityBins;
  for (size_t i = 1; i < edges.size(); ++i) {
    disparities.push_back(
        static_cast<float>(histogram.least + width * 0.5 * (edges[i - 1] + edges[i])));
  }
  return whole_picture(map, disparities, pool);
}

}  // namespace tessera::models
