// A training in another process, as whoever watches and steers it has it: tessera-viewer, tessera
// steer.
//
// A thread of its own keeps the connection, and takes it up again for as long as this lives: a run
// may begin later, end, and be resumed. What is asked here is the newest that came, without
// waiting.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "apps/live/live_socket.h"

namespace tessera::apps {

// What is known of a training at a moment.
struct LiveNews {
  bool attached = false;
  std::string trouble;             // why not, a sentence; empty if nothing but silence is known
  std::optional<LiveState> state;  // the last that came, also after the end
  std::vector<LiveRank> ranks;     // as last told; empty of one rank
  std::shared_ptr<const History> curves;   // never null
  std::shared_ptr<const LiveScene> scene;  // null before the first
  uint64_t number = 0;                     // grows with everything new
};

// Whether a run answers there now. Throws core::IoError if it is another user's.
bool is_training(const std::filesystem::path& output);

// Scenes whose memory is used again once nobody holds them.
class LiveScenePool {
 public:
  std::shared_ptr<const LiveScene> read(std::span<const std::byte> payload);

 private:
  struct Spare {
    std::mutex mutex;
    std::unique_ptr<LiveScene> scene;
  };
  std::shared_ptr<Spare> spare_ = std::make_shared<Spare>();  // outlived by scenes
};

class LiveTraining {
 public:
  // `output`: what the run was given as -o.
  explicit LiveTraining(const std::filesystem::path& output);
  ~LiveTraining();
  LiveTraining(const LiveTraining&) = delete;
  LiveTraining& operator=(const LiveTraining&) = delete;

  LiveNews news() const;
  // The same, but waits for what is newer than the news of that number, no longer than so.
  LiveNews wait(uint64_t number, double seconds) const;

  // False if no training is attached to hear it.
  bool send(LiveCommand command);
  // Holds for this training and, while any are left to come, for those attached later.
  void wish(const LiveSnapshotWish& wish);

 private:
  void run();
  void attach();
  void converse();
  void take(LiveMessage message, std::span<const std::byte> payload);
  void hang_up(const std::string& trouble);
  void wake();

  const std::filesystem::path folder_;
  Descriptor wake_;

  mutable std::mutex mutex_;  // of what follows
  mutable std::condition_variable changed_;
  LiveNews news_;
  std::vector<std::byte> to_say_;
  LiveSnapshotWish wish_;
  bool closing_ = false;

  // The thread's own.
  Descriptor socket_;
  std::optional<MessageReader> reader_;
  LiveScenePool scenes_;
  Outbox outbox_;

  std::thread thread_;
};

}  // namespace tessera::apps
