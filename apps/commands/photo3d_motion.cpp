// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/table_entry.h"
#include "models/multiplane/plan.h"

namespace tessera::apps {
namespace {

using math::Vec3;

// Offsets in units of the reach; phase goes from 0 to 1.
struct Motion {
  std::string_view name;
  Vec3<double> (*offset)(double phase);
};

double turn(double phase) {
  return 2 * std::numbers::pi * phase;
}

constexpr Motion kMotions[] = {
    {"orbit",
     [](double phase) {
       return Vec3<double>{std::sin(turn(phase)), 0.5 * std::cos(turn(phase)), 0};
     }},
    {"sway",
     [](double phase) {
       return Vec3<double>{std::sin(turn(phase)), 0, 0};
     }},
    {"dolly",
     [](double phase) {
       return Vec3<double>{0, 0, 1 - std::cos(turn(phase))};
     }},
    {"spiral",
     [](double phase) {
       return Vec3<double>{std::sin(turn(phase)), 0.5 * std::sin(turn(2 * phase)),
                           0.5 * std::sin(turn(phase))};
     }},
};

// The inverse depth below which this share of the layers' area lies.
double inverse_depth_below(const core::MultiplaneImage& image, double share) {
  struct Weighed {
    double inverse_depth;
    double area;
  };
  std::vector<Weighed> layers;
  double all = 0;
  for (const core::MultiplaneLayer& layer : image.layers) {
    const double area = static_cast<double>(layer.window.width) * layer.window.height;
    layers.push_back({core::inverse_depth_at_middle(layer, image.camera.camera), area});
    all += area;
  }
  std::sort(layers.begin(), layers.end(),
            [](const Weighed& a, const Weighed& b) { return a.inverse_depth < b.inverse_depth; });
  double below = 0;
  for (const Weighed& layer : layers) {
    below += layer.area;
    if (below >= share * all) return std::max(layer.inverse_depth, 0.0);
  }
  return 0;
}

}  // namespace

core::PosedCamera moved(const Viewpoint& viewpoint, Vec3<double> offset) {
  core::PosedCamera camera = viewpoint.reference;
  camera.cam_from_world.translation = camera.cam_from_world.translation - offset;
  camera.camera.cx += camera.camera.fx * offset.x * viewpoint.focus_inverse_depth;
  camera.camera.cy += camera.camera.fy * offset.y * viewpoint.focus_inverse_depth;
  return camera;
}

std::vector<core::PosedCamera> motion_path(const Viewpoint& viewpoint, std::string_view motion,
                                           int frames) {
  const Motion& entry = core::entry_named<Motion>(kMotions, motion, "--motion");
  std::vector<core::PosedCamera> path;
  path.reserve(frames);
  for (int i = 0; i < frames; ++i) {
    path.push_back(
        moved(viewpoint, entry.offset(static_cast<double>(i) / frames) * viewpoint.reach));
  }
  return path;
}

double median_inverse_depth(const core::MultiplaneImage& image) {
  return inverse_depth_below(image, 0.5);
}

double usual_reach(const core::MultiplaneImage& image) {
  constexpr double kOutliers = 0.002;
  const double least = inverse_depth_below(image, kOutliers);
  const double greatest = inverse_depth_below(image, 1 - kOutliers);
  const double range = greatest > least ? greatest - least : greatest;
  const core::Camera& camera = image.camera.camera;
  return range > 0 ? models::usual_shift_px(camera) / (camera.fx * range) : 1;
}

core::Image8 side_by_side(const core::Image8& left, const core::Image8& right) {
  core::Image8 both(left.width + right.width, left.height, left.channels);
  core::copy_pixels(left, 0, 0, both, 0, 0, left.width, left.height);
  core::copy_pixels(right, 0, 0, both, left.width, 0, right.width, right.height);
  return both;
}

core::Image8 anaglyph(const core::Image8& left, const core::Image8& right) {
  constexpr float kLeft[3][3] = {
      {0.437F, 0.449F, 0.164F}, {-0.062F, -0.062F, -0.024F}, {-0.048F, -0.050F, -0.017F}};
  constexpr float kRight[3][3] = {
      {-0.011F, -0.032F, -0.007F}, {0.377F, 0.761F, 0.009F}, {-0.026F, -0.093F, 1.234F}};
  core::Image8 picture(left.width, left.height, 3);
  for (int64_t i = 0; i < picture.pixel_count(); ++i) {
    const uint8_t* l = left.data.data() + 3 * i;
    const uint8_t* r = right.data.data() + 3 * i;
    for (int c = 0; c < 3; ++c) {
      float sum = 0.5F;
      for (int k = 0; k < 3; ++k) {
        sum += kLeft[c][k] * static_cast<float>(l[k]) + kRight[c][k] * static_cast<float>(r[k]);
      }
      picture.data[3 * i + c] = static_cast<uint8_t>(std::clamp(sum, 0.0F, 255.0F));
    }
  }
  return picture;
}

}  // namespace tessera::apps
