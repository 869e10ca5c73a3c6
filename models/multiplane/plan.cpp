// SPDX-License-Identifier: MIT
#include "models/multiplane/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "models/multiplane/disparity_map.h"
#include "models/multiplane/pages.h"
#include "models/multiplane/planner.h"
#include "models/multiplane/tile_layers.h"

namespace tessera::models {
namespace {

constexpr double kUsualMotion = 0.04;    // of the width, the nearest against the farthest
constexpr double kOutlierShare = 0.002;  // of the known pixels, on either side

void check_texels(const std::vector<PageSize>& pages, const PlanSettings& settings) {
  int64_t bytes = 0;
  for (const PageSize& size : pages) bytes += int64_t{4} * size.width * size.height;
  if (bytes <= settings.most_texel_bytes) return;
  throw core::Error(fmt::format(
      "The planned layers take {} MB of texels, and there is memory for {} MB of them; a smaller "
      "photo (-r), fewer planes or a larger error has fewer.",
      bytes / 1'000'000, settings.most_texel_bytes / 1'000'000));
}

}  // namespace

void check_depth_photo(const DepthPhoto& photo) {
  const core::Image8& rgb = photo.photo;
  const core::ImageF& depth = photo.inverse_depth;
  const auto size = [](int width, int height) {
    return std::to_string(width) + "x" + std::to_string(height);
  };
  if (rgb.channels != 3 || rgb.empty()) {
    throw core::Error("A multiplane image is made of a photo with three channels.");
  }
  if (depth.width != rgb.width || depth.height != rgb.height || depth.channels != 1) {
    throw core::Error("The photo is " + size(rgb.width, rgb.height) + ", its depth map " +
                      size(depth.width, depth.height) + "; they must be of one size.");
  }
  if (!photo.weight.empty() &&
      (photo.weight.width != rgb.width || photo.weight.height != rgb.height)) {
    throw core::Error("The weights of a depth map must be of its size, " +
                      size(depth.width, depth.height) + ".");
  }
  const core::Camera& camera = photo.camera.camera;
  if (!core::is_pinhole(camera) || camera.width != rgb.width || camera.height != rgb.height ||
      !(camera.fx > 0) || !(camera.fy > 0)) {
    throw core::Error(
        "The reference camera of a multiplane image must be a pinhole of the photo's "
        "size; undistort the photo first.");
  }
}

double usual_shift_px(const core::Camera& camera) {
  return kUsualMotion * camera.width;
}

double planned_baseline(const DepthPhoto& photo, const PlanSettings& settings) {
  if (settings.baseline > 0) return settings.baseline;
  std::vector<float> known;
  for (const float inverse_depth : photo.inverse_depth.data) {
    if (std::isfinite(inverse_depth) && inverse_depth > 0) known.push_back(inverse_depth);
  }
  if (known.empty()) return 1;
  const auto outliers = static_cast<int64_t>(kOutlierShare * static_cast<double>(known.size()));
  const auto nth = [&](int64_t n) -> double {
    std::nth_element(known.begin(), known.begin() + n, known.end());
    return known[n];
  };
  const double least = nth(outliers);
  const double greatest = nth(static_cast<int64_t>(known.size()) - 1 - outliers);
  const double pixels = usual_shift_px(photo.camera.camera);
  // A flat scene: as if it reached from there to infinity.
  const double range = greatest > least ? greatest - least : greatest;
  return range > 0 ? pixels / (photo.camera.camera.fx * range) : 1;
}

core::MultiplaneImage build_multiplane(const DepthPhoto& photo, const PlanSettings& settings,
                                       core::ThreadPool& pool) {
  check_depth_photo(photo);
  const double baseline = planned_baseline(photo, settings);
  DisparityMap map = make_disparity_map(photo, baseline, pool);
  const std::vector<PlannedTile> tiles = find_planner(settings.planner).plan(map, settings, pool);
  std::vector<LabeledTile> labeled;
  labeled.reserve(tiles.size());
  for (const PlannedTile& tile : tiles) labeled.push_back({&tile, {&tile.labels, 1}});
  const std::vector<TileLayer> layers = layers_of(labeled, pool);
  map.weight = {};  // planned with; what follows takes most memory

  core::MultiplaneImage image;
  image.camera = photo.camera;
  image.metric = photo.metric;
  for (const TileLayer& layer : layers) {
    image.layers.push_back({plane_of(layer, photo.camera.camera, baseline), layer.window});
  }
  const std::vector<PageSize> pages = pack_into_pages(image.layers);
  check_texels(pages, settings);
  for (const PageSize& size : pages) {
    image.pages.emplace_back(size.width, size.height, 4).data.fill(0);
  }
  pool.parallel_for(static_cast<int64_t>(layers.size()), 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      write_texels(
          layers[i], Texel::kVisible, image.layers[i], image,
          [&](int x, int y, uint8_t* texel) { std::copy_n(&photo.photo.at(x, y), 3, texel); });
    }
  });
  write_hidden_texels(photo.photo, map, layers, image, settings.progress, pool);
  return image;
}

}  // namespace tessera::models
