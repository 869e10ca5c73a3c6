// A training that only counts, for those who watch it: steps without photos or Gaussians.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <filesystem>
#include <thread>

#include "apps/live/live_request.h"
#include "apps/live/live_server.h"

namespace tessera::test {

// Takes steps of a millisecond on a thread of its own until it is stopped or destroyed.
class LiveSteps {
 public:
  // Snapshots have that many Gaussians.
  LiveSteps(const std::filesystem::path& folder, int64_t gaussians)
      : server_(folder), gaussians_(gaussians), thread_([this] { run(); }) {}
  ~LiveSteps() {
    ended_ = true;
    thread_.join();
  }
  LiveSteps(const LiveSteps&) = delete;
  LiveSteps& operator=(const LiveSteps&) = delete;

  apps::LiveServer& server() { return server_; }
  int64_t step() const { return step_; }
  bool stopped() const { return stopped_; }

 private:
  void run() {
    while (!ended_ && !stopped_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++step_;
      server_.step_done({step_, 1'000'000, gaussians_, 0.5, 1e-3 * static_cast<double>(step_)}, 0);
      follow_wishes();
    }
  }
  void follow_wishes() {
    while (!ended_) {
      const models::TrainWishes wishes = server_.wishes();
      const int degree = apps::unpacked(wishes.request).snapshot_degree;
      if (degree >= 0) give(degree);
      if (wishes.stop) stopped_ = true;
      if (wishes.stop || !wishes.pause) return;
    }
  }
  void give(int degree) {
    std::shared_ptr<apps::LiveSnapshot> snapshot = server_.spare_snapshot();
    snapshot->header.step = step_;
    snapshot->header.gaussians = gaussians_;
    snapshot->header.sh_degree = degree;
    snapshot->planes.resize(core::plane_count(degree) * gaussians_);
    snapshot->planes.fill(static_cast<float>(step_));
    server_.give(std::move(snapshot), 1e-4);
  }

  apps::LiveServer server_;
  const int64_t gaussians_;
  std::atomic<int64_t> step_ = 0;
  std::atomic<bool> ended_ = false;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace tessera::test
