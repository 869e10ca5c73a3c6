// What a training and those who watch it say to each other through a socket in the run's folder.
//
// Both ends are programs of this machine and user, of the same build or not: each begins with a
// hello that names the version. A message is a LiveHeader and `bytes` of payload, numbers as they
// stand in memory. Of the training (T) and of the watcher (W):
//
//   kHello      T, W  LiveHello
//   kState      T     LiveState, then LiveRank [ranks]: ten times a second at most
//   kSamples    T     History::Sample [n], those not sent yet, from the first of the run
//   kTests      T     History::Test [n], likewise
//   kSnapshot   T     LiveSnapshotHeader, planes [planes][gaussians] of float in the order of
//                     core::GaussianCloud, uint16_t owners [gaussians] if there are several ranks
//   kCommand    W     LiveCommand
//   kSnapshots  W     LiveSnapshotWish, in place of the one before
//
// Whatever is read is checked: the functions here throw core::Error for what is no message, and the
// one who reads hangs up.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "apps/commands/run_record.h"
#include "core/array.h"
#include "core/gaussian_cloud.h"

namespace tessera::apps {

inline constexpr uint64_t kLiveMagic = 0x4556494c41525354;  // "TSRALIVE"
inline constexpr uint64_t kLiveVersion = 1;

enum class LiveMessage : uint64_t {
  kHello = 1,
  kState,
  kSamples,
  kTests,
  kSnapshot,
  kCommand,
  kSnapshots
};

struct LiveHeader {
  LiveMessage message = LiveMessage::kHello;
  uint64_t bytes = 0;
};

struct LiveHello {
  uint64_t magic = kLiveMagic;
  uint64_t version = kLiveVersion;
};

enum class LivePhase : uint64_t {
  kTraining,
  kPaused,
  kSaving,
  kMeasuring,  // all steps are done, held-out photos are drawn and the report is written
  kDone,
  kStopped,  // by the user, after saving
  kFailed    // what was wrong is on the run's standard error
};
// "training", "paused", ...
const char* name_of(LivePhase phase);
// Whether nothing comes after it.
bool is_end(LivePhase phase);

struct LiveState {
  LivePhase phase = LivePhase::kTraining;
  int64_t step = 0;   // photos seen
  int64_t steps = 0;  // in all
  int64_t gaussians = 0;
  double loss = 0;     // of the last step
  double seconds = 0;  // of training, all starts of the run together
  double steps_per_second = 0;
  uint64_t memory_bytes = 0;  // resident now, of the process that speaks
  int64_t saved_at = -1;      // the step of the scene that stands in the folder; -1: none yet
  int64_t saves = 0;          // wishes to save that were met
  int64_t ranks = 0;          // whose figures follow; 0: one rank, or not known yet
};

// Since the first step of this start.
struct LiveRank {
  double worked_s = 0;  // in steps, less what it waited
  double waited_s = 0;  // for messages of others
  int64_t bytes_sent = 0;
  int64_t gaussians = 0;  // that it owns now
};

struct LiveSnapshotHeader {
  int64_t step = 0;
  int64_t gaussians = 0;
  int64_t sh_degree = 0;
  int64_t antialiased = 0;  // 0 or 1
  int64_t ranks = 1;        // owners follow if there are several
  double origin_in_file[3] = {};
  char vertical_axis[32] = {};
};

enum class LiveCommand : uint64_t { kPause = 1, kResume, kSave, kStop };

// Pictures of the scene as it is trained. They cost the training time: what one took is waited for
// (1 / share - 1) times before the next.
struct LiveSnapshotWish {
  int64_t count = 0;        // so many more; 0: none
  int64_t newer_than = -1;  // only of later steps
  int64_t every_ms = 0;     // no more often
  double share = 0.03;      // of the training's time, above 0 to 1
  int64_t sh_degree = 0;    // of the color, at most; 0 is 14 floats a Gaussian
};

// The Gaussians of all ranks at one step, as they are sent.
struct LiveSnapshot {
  LiveSnapshotHeader header;
  core::Array<float> planes;     // [plane_count(sh_degree)][gaussians]
  core::Array<uint16_t> owners;  // [gaussians], or empty
};

// The same as a scene to draw; a lower degree of color than was trained if that was wished.
struct LiveScene {
  int64_t step = 0;
  core::GaussianScene scene;
  std::vector<uint16_t> owners;  // rank of each Gaussian; empty if there is one rank
};

// A message around the bytes of a plain value.
template <class T>
std::vector<std::byte> live_message(LiveMessage message, const T& value);
template <class T>
std::vector<std::byte> live_message(LiveMessage message, std::span<const T> values);
std::vector<std::byte> state_message(const LiveState& state, std::span<const LiveRank> ranks);

// The most bytes that a payload may have. Throws for messages that the reader does not take.
uint64_t most_bytes_from_training(LiveMessage message);
uint64_t most_bytes_from_watcher(LiveMessage message);

// Payloads read back.
void check_hello(std::span<const std::byte> payload);
std::vector<LiveRank> read_state(std::span<const std::byte> payload, LiveState& state);
std::vector<History::Sample> read_samples(std::span<const std::byte> payload);
std::vector<History::Test> read_tests(std::span<const std::byte> payload);
// `reused` is one whose memory may be taken: new memory costs as much as the copy.
LiveScene read_snapshot(std::span<const std::byte> payload, LiveScene reused = {});
LiveCommand read_command(std::span<const std::byte> payload);
LiveSnapshotWish read_snapshot_wish(std::span<const std::byte> payload);

template <class T>
std::vector<std::byte> live_message(LiveMessage message, std::span<const T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const LiveHeader header = {message, values.size_bytes()};
  std::vector<std::byte> bytes(sizeof(header) + values.size_bytes());
  std::memcpy(bytes.data(), &header, sizeof(header));
  if (!values.empty()) {
    std::memcpy(bytes.data() + sizeof(header), values.data(), values.size_bytes());
  }
  return bytes;
}

template <class T>
std::vector<std::byte> live_message(LiveMessage message, const T& value) {
  return live_message(message, std::span<const T>(&value, 1));
}

}  // namespace tessera::apps
