// Keeps the newest scene of a training ready to be drawn, on a thread of its own.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "viewer/scene/scene_item.h"
#include "viewer/training/training.h"

namespace tessera::viewer {

class TrainingWatch {
 public:
  explicit TrainingWatch(std::unique_ptr<Training> training);
  ~TrainingWatch();
  TrainingWatch(const TrainingWatch&) = delete;
  TrainingWatch& operator=(const TrainingWatch&) = delete;

  Training& training() { return *training_; }
  const Training& training() const { return *training_; }
  // A scene that is newer than the one taken before.
  std::optional<SplatContent> take();
  // Splats in the color of the rank that owns them.
  void show_owners(bool on) { owners_ = on; }
  bool shows_owners() const { return owners_; }

  int item_id = 0;  // of the list, once the first scene is there

 private:
  void work();

  std::unique_ptr<Training> training_;
  std::mutex mutex_;
  std::optional<SplatContent> newest_;
  std::atomic<bool> owners_ = false;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

// A color for each rank, apart from its neighbors'; 0 to 1.
math::Vec3<float> owner_color(int rank);

}  // namespace tessera::viewer
