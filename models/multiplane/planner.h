// What planners do, and the table of them.
//
//   uniform   planes over the whole picture, at equal steps of disparity
//   kmeans    planes over the whole picture, at the k-means of disparity
//   tiled     the k-means of each tile: Khan, Xiao and Lanman, "Tiled Multiplane Images for
//             Practical 3D Photography", 2023, without its networks
//   adaptive  small tiles, each with the fewest slanted planes that are near enough; near surfaces
//             are widened by a pixel
//   bins      planes over the whole picture, by edges of bins that adapt to the scene, coarse to
//             fine, as in Zhou et al., "SAMPLING: Scene-adaptive Hierarchical Multiplane Images
//             Representation for Novel View Synthesis from a Single Image", 2023
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/image.h"
#include "core/pixel_window.h"
#include "core/thread_pool.h"
#include "models/multiplane/disparity_map.h"

namespace tessera::models {

// Disparity as a linear function of pixels' centers, x and y from the picture's corner.
struct DisparityPlane {
  float slope_x = 0;
  float slope_y = 0;
  float constant = 0;

  float at(float x, float y) const { return slope_x * x + slope_y * y + constant; }
};

struct PlannedTile {
  core::PixelWindow window;            // within the picture
  std::vector<DisparityPlane> planes;  // at most 255
  core::Image8 labels;                 // of the window, 1 channel: the plane that a pixel is on
};

// Pixels beside a nearer surface have some of its color, so they go to its plane: else views would
// show an outline of it where it was. Labels that are those of `resting`, if given, do not spread.
void widen_near_planes(const PlannedTile& tile, core::Image8& labels,
                       const core::Image8* resting = nullptr);

// In pixels of disparity, what counts as another surface.
inline constexpr float kNearerBy = 2;

inline constexpr int kUsualPicturePlanes = 32;

struct PlannerEntry {
  std::string_view name;
  bool spans_picture;  // its planes do, kUsualPicturePlanes of them; else they are of tiles
  // Tiles cover the picture and overlap, so that views show no seams.
  std::vector<PlannedTile> (*plan)(const DisparityMap&, const PlanSettings&, core::ThreadPool&);
};

std::span<const PlannerEntry> planners();
const PlannerEntry& find_planner(std::string_view name);  // throws UsageError naming all

std::vector<PlannedTile> plan_uniform(const DisparityMap& map, const PlanSettings& settings,
                                      core::ThreadPool& pool);
std::vector<PlannedTile> plan_kmeans(const DisparityMap& map, const PlanSettings& settings,
                                     core::ThreadPool& pool);
std::vector<PlannedTile> plan_tiled(const DisparityMap& map, const PlanSettings& settings,
                                    core::ThreadPool& pool);
std::vector<PlannedTile> plan_adaptive(const DisparityMap& map, const PlanSettings& settings,
                                       core::ThreadPool& pool);
std::vector<PlannedTile> plan_bins(const DisparityMap& map, const PlanSettings& settings,
                                   core::ThreadPool& pool);

}  // namespace tessera::models
