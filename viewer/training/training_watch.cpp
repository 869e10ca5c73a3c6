// SPDX-License-Identifier: MIT
#include "viewer/training/training_watch.h"

#include <cmath>
#include <utility>

#include "core/math/sh.h"
#include "core/thread_pool.h"

namespace tessera::viewer {
namespace {

constexpr double kWaitSeconds = 0.1;   // until the end of this is noticed
constexpr double kGoldenTurn = 0.618;  // of hues from one rank to the next

std::shared_ptr<const core::GaussianScene> in_owners_colors(const TrainedScene& trained) {
  auto scene = std::make_shared<core::GaussianScene>(*trained.scene);
  core::GaussianCloud& cloud = scene->cloud;
  for (int p = core::kShPlane; p < cloud.parameters.plane_count(); ++p) {
    for (int64_t i = 0; i < cloud.size(); ++i) cloud.plane(p)[i] = 0;
  }
  for (int64_t i = 0; i < cloud.size(); ++i) {
    const math::Vec3<float> color = owner_color(trained.owners[i]);
    const float channels[3] = {color.x, color.y, color.z};
    for (int c = 0; c < 3; ++c) {
      cloud.plane(core::kShPlane + c)[i] =
          (channels[c] - 0.5F) / static_cast<float>(math::ShConstants::k0);
    }
  }
  return scene;
}

}  // namespace

math::Vec3<float> owner_color(int rank) {
  const double hue = 6 * std::fmod(0.08 + rank * kGoldenTurn, 1.0);
  const auto channel = [hue](double shift) {
    const double k = std::fmod(shift + hue, 6.0);
    return static_cast<float>(0.95 - 0.7 * std::max(0.0, std::min({k, 4 - k, 1.0})));
  };
  return {channel(5), channel(3), channel(1)};
}

TrainingWatch::TrainingWatch(std::unique_ptr<Training> training)
    : training_(std::move(training)), thread_([this] { work(); }) {}

TrainingWatch::~TrainingWatch() {
  ending_ = true;
  thread_.join();
}

std::optional<SplatContent> TrainingWatch::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(newest_, std::nullopt);
}

void TrainingWatch::work() {
  int64_t step = -1;
  bool owners = false;
  while (!ending_) {
    // Another choice of colors shows the same step anew.
    if (owners != owners_) step = -1;
    owners = owners_;
    const TrainedScene trained = training_->newer_scene(step, kWaitSeconds);
    if (trained.scene == nullptr) continue;
    step = trained.step;
    SplatContent content;
    content.scene = owners && !trained.owners.empty() ? in_owners_colors(trained) : trained.scene;
    // One thread: the training needs the cores.
    core::ThreadPool pool(1);
    content.packed = std::make_shared<PackedSplats>(pack_splats(content.scene->cloud, pool));
    content.states =
        std::make_shared<core::Array<uint8_t>>(content.scene->cloud.size(), uint8_t{0});
    const std::lock_guard lock(mutex_);
    newest_ = std::move(content);
  }
}

}  // namespace tessera::viewer
