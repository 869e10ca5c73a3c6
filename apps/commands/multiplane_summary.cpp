// SPDX-License-Identifier: MIT
#include "apps/commands/multiplane_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/commands/camera_path.h"
#include "apps/commands/progress.h"

namespace tessera::apps {

MultiplaneSummary summarize(const core::MultiplaneVideo& video) {
  const core::MultiplaneImage& image = video.image;
  MultiplaneSummary summary;
  summary.frames = video.frame_count();
  if (!video.moving.empty()) summary.frames_per_second = video.frames_per_second;
  for (const core::MovingPage& page : video.moving) {
    summary.moving_layers += std::count_if(
        image.layers.begin(), image.layers.end(),
        [&](const auto& layer) { return layer.page == page.page && !layer.window.empty(); });
  }
  summary.camera = image.camera.camera;
  summary.metric = image.metric;
  summary.layers = static_cast<int64_t>(image.layers.size());
  summary.texels = core::texel_count(image.layers);
  for (const core::MultiplaneLayer& layer : image.layers) {
    summary.slanted_layers += layer.plane.x != 0 || layer.plane.y != 0 ? 1 : 0;
    const double inverse_depth = core::inverse_depth_at_middle(layer, image.camera.camera);
    if (!(inverse_depth > 0)) continue;
    const double depth = 1 / inverse_depth;
    summary.nearest = summary.nearest > 0 ? std::min(summary.nearest, depth) : depth;
    summary.farthest = std::max(summary.farthest, depth);
  }
  for (const core::Image8& page : image.pages) {
    summary.page_sizes.push_back(fmt::format("{}x{}", page.width, page.height));
  }
  return summary;
}

std::string to_text(const MultiplaneSummary& summary) {
  const core::Camera& camera = summary.camera;
  const char* unit = summary.metric ? "m" : "units, whose size is not known";
  const std::string movement =
      summary.moving_layers == 0
          ? ""
          : fmt::format("  movement  {} frames at {:.4g} a second, of {} layers\n", summary.frames,
                        summary.frames_per_second, count_text(summary.moving_layers));
  return fmt::format(
      "multiplane image\n"
      "  photo     {}x{}, f {:.6g}, {:.1f} degrees high\n"
      "  layers    {}, {} of them slanted\n"
      "  depth     {:.4g} to {:.4g} {}\n"
      "  texels    {} ({})\n"
      "  pages     {}\n"
      "{}",
      camera.width, camera.height, camera.fx, fov_y_deg(camera), count_text(summary.layers),
      count_text(summary.slanted_layers), summary.nearest, summary.farthest, unit,
      count_text(summary.texels), bytes_text(4.0 * static_cast<double>(summary.texels)),
      fmt::join(summary.page_sizes, ", "), movement);
}

std::string to_json(const MultiplaneSummary& summary) {
  const nlohmann::ordered_json json = {{"kind", "multiplane image"},
                                       {"width", summary.camera.width},
                                       {"height", summary.camera.height},
                                       {"focal_px", summary.camera.fx},
                                       {"metric", summary.metric},
                                       {"layers", summary.layers},
                                       {"slanted_layers", summary.slanted_layers},
                                       {"texels", summary.texels},
                                       {"pages", summary.page_sizes},
                                       {"frames", summary.frames},
                                       {"frames_per_second", summary.frames_per_second},
                                       {"moving_layers", summary.moving_layers},
                                       {"nearest", summary.nearest},
                                       {"farthest", summary.farthest}};
  return json.dump(2);
}

}  // namespace tessera::apps
