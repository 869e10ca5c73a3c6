// A small scene that can be trained in a test: colored blobs, cameras around them, photos drawn
// from the blobs by the rasterizer itself.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/capture.h"
#include "core/log.h"
#include "core/photo_source.h"
#include "core/thread_pool.h"
#include "models/gaussian/train.h"
#include "render/gaussian/rasterizer.h"
#include "tests/support/facing_camera.h"

namespace tessera::models {

class QuietLog : public core::Log {
 public:
  void write(core::LogLevel /*level*/, std::string_view message) override {
    messages.emplace_back(message);
  }
  std::vector<std::string> messages;
};

class MemoryPhotos : public core::PhotoSource {
 public:
  struct View {
    std::string name;
    core::PosedCamera camera;
    core::Photo photo;
  };

  int count() const override { return static_cast<int>(views.size()); }
  const std::string& name(int view) const override { return views[view].name; }
  const core::PosedCamera& camera(int view) const override { return views[view].camera; }
  bool is_masked_out(int view) const override { return core::is_masked_out(views[view].photo); }
  std::shared_ptr<const core::Photo> photo(int view) override {
    return std::make_shared<core::Photo>(views[view].photo);
  }
  void prefetch(int view) override { prefetched.push_back(view); }

  std::vector<int> all() const {
    std::vector<int> result;
    result.reserve(count());
    for (int i = 0; i < count(); ++i) result.push_back(i);
    return result;
  }

  std::vector<View> views;
  std::vector<int> prefetched;
};

// A camera at `center` that looks at the origin; y points down in its picture.
inline core::PosedCamera looking_at_origin(math::Vec3<double> center, int width, int height,
                                           double focal_px) {
  const math::Vec3<double> forward = center * (-1 / std::sqrt(dot(center, center)));
  math::Vec3<double> right = cross(math::Vec3<double>{0, 1, 0}, forward);
  right = right * (1 / std::sqrt(dot(right, right)));
  return test::facing_camera(center, right, forward, width, height, focal_px);
}

struct SyntheticScene {
  MemoryPhotos photos;
  std::vector<core::ColoredPoint> points;  // near the blobs, of their colors
};

inline core::Image8 to_bytes(const core::ImageF& picture) {
  core::Image8 bytes(picture.width, picture.height, picture.channels);
  for (int64_t i = 0; i < picture.data.size(); ++i) {
    bytes.data[i] =
        static_cast<uint8_t>(std::lround(255 * std::min(1.0F, std::max(0.0F, picture.data[i]))));
  }
  return bytes;
}

// `views` photos of 48x36 pixels, each fifth of them 40x40, of 60 blobs.
inline SyntheticScene synthetic_scene(int views = 6) {
  core::ThreadPool pool(1);
  const std::unique_ptr<render::Rasterizer> rasterizer = render::make_rasterizer("cpu", pool);
  std::mt19937 random(4);
  std::uniform_real_distribution<float> uniform(-1, 1);
  constexpr int kBlobs = 60;
  core::GaussianCloud cloud(0, kBlobs);
  SyntheticScene scene;
  for (int i = 0; i < kBlobs; ++i) {
    core::ColoredPoint point;
    double* position[3] = {&point.position.x, &point.position.y, &point.position.z};
    for (int a = 0; a < 3; ++a) {
      cloud.plane(core::kMeanPlane + a)[i] = uniform(random);
      cloud.plane(core::kLogScalePlane + a)[i] = -2.0F + 0.5F * uniform(random);
      *position[a] = cloud.plane(core::kMeanPlane + a)[i] + 0.05F * uniform(random);
      const float color = 0.5F + 0.45F * uniform(random);
      cloud.plane(core::kShPlane + a)[i] = (color - 0.5F) / 0.28209479F;
      point.rgb[a] = static_cast<uint8_t>(255 * color);
    }
    for (int k = 0; k < 4; ++k) cloud.plane(core::kQuaternionPlane + k)[i] = uniform(random);
    cloud.plane(core::kOpacityPlane)[i] = 2;
    scene.points.push_back(point);
  }
  for (int v = 0; v < views; ++v) {
    const double angle = 2 * M_PI * v / views;
    const bool square = v % 5 == 4;
    MemoryPhotos::View view;
    view.name = "view_" + std::to_string(v) + ".png";
    view.camera =
        looking_at_origin({4 * std::cos(angle), 0.8 * std::sin(2.0 * v), 4 * std::sin(angle)},
                          square ? 40 : 48, square ? 40 : 36, 50);
    render::RenderOutput output;
    rasterizer->forward(cloud, view.camera, {}, output);
    view.photo.pixels = to_bytes(output.color);
    scene.photos.views.push_back(std::move(view));
  }
  return scene;
}

}  // namespace tessera::models
