// SPDX-License-Identifier: MIT
#include "apps/live/live_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "core/error.h"

namespace tessera::apps {
namespace {

constexpr uint64_t kMostListBytes = 1 << 22;  // of ranks, of points of a curve
constexpr int64_t kMostGaussians = int64_t{1} << 30;
constexpr int64_t kMostRanks = 65535;

void require(bool holds) {
  if (!holds) throw core::Error("What came from the other end is no message of a live training.");
}

// The value at the payload's beginning, which is taken off it.
template <class T>
T take(std::span<const std::byte>& payload) {
  static_assert(std::is_trivially_copyable_v<T>);
  require(payload.size() >= sizeof(T));
  T value;
  std::memcpy(&value, payload.data(), sizeof(T));
  payload = payload.subspan(sizeof(T));
  return value;
}

template <class T>
T take_whole(std::span<const std::byte> payload) {
  require(payload.size() == sizeof(T));
  return take<T>(payload);
}

template <class T>
std::vector<T> take_list(std::span<const std::byte> payload) {
  static_assert(std::is_trivially_copyable_v<T>);
  require(payload.size() % sizeof(T) == 0);
  std::vector<T> values(payload.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), payload.data(), payload.size());
  return values;
}

}  // namespace

const char* name_of(LivePhase phase) {
  constexpr const char* kNames[] = {"training", "paused",  "saving", "measuring",
                                    "done",     "stopped", "failed"};
  return kNames[static_cast<size_t>(phase)];
}

bool is_end(LivePhase phase) {
  return phase >= LivePhase::kDone;
}

std::vector<std::byte> state_message(const LiveState& state, std::span<const LiveRank> ranks) {
  std::vector<std::byte> payload(sizeof(state) + ranks.size_bytes());
  LiveState with_count = state;
  with_count.ranks = static_cast<int64_t>(ranks.size());
  std::memcpy(payload.data(), &with_count, sizeof(state));
  if (!ranks.empty()) {
    std::memcpy(payload.data() + sizeof(state), ranks.data(), ranks.size_bytes());
  }
  return live_message(LiveMessage::kState, std::span<const std::byte>(payload));
}

uint64_t most_bytes_from_training(LiveMessage message) {
  switch (message) {
    case LiveMessage::kHello:
      return sizeof(LiveHello);
    case LiveMessage::kState:
    case LiveMessage::kSamples:
    case LiveMessage::kTests:
      return kMostListBytes;
    case LiveMessage::kSnapshot: {
      const uint64_t floats = core::plane_count(core::kMaxShDegree);
      return sizeof(LiveSnapshotHeader) + kMostGaussians * (4 * floats + 2);
    }
    default:
      break;
  }
  require(false);
  return 0;
}

uint64_t most_bytes_from_watcher(LiveMessage message) {
  switch (message) {
    case LiveMessage::kHello:
      return sizeof(LiveHello);
    case LiveMessage::kCommand:
      return sizeof(LiveCommand);
    case LiveMessage::kSnapshots:
      return sizeof(LiveSnapshotWish);
    default:
      break;
  }
  require(false);
  return 0;
}

void check_hello(std::span<const std::byte> payload) {
  const auto hello = take_whole<LiveHello>(payload);
  require(hello.magic == kLiveMagic);
  if (hello.version == kLiveVersion) return;
  throw core::Error(
      fmt::format("The training speaks version {} of the live view and this program version {}; "
                  "use programs of "
                  "one build.",
                  hello.version, kLiveVersion));
}

std::vector<LiveRank> read_state(std::span<const std::byte> payload, LiveState& state) {
  const auto read = take<LiveState>(payload);
  require(read.phase <= LivePhase::kFailed);
  require(read.step >= 0 && read.steps >= 0 && read.gaussians >= 0);
  require(read.ranks >= 0 && read.ranks <= kMostRanks);
  std::vector<LiveRank> ranks = take_list<LiveRank>(payload);
  require(static_cast<int64_t>(ranks.size()) == read.ranks);
  state = read;
  return ranks;
}

std::vector<History::Sample> read_samples(std::span<const std::byte> payload) {
  return take_list<History::Sample>(payload);
}

std::vector<History::Test> read_tests(std::span<const std::byte> payload) {
  return take_list<History::Test>(payload);
}

LiveScene read_snapshot(std::span<const std::byte> payload, LiveScene reused) {
  const auto header = take<LiveSnapshotHeader>(payload);
  require(header.step >= 0 && header.gaussians >= 0 && header.gaussians <= kMostGaussians);
  require(header.sh_degree >= 0 && header.sh_degree <= core::kMaxShDegree);
  require(header.ranks >= 1 && header.ranks <= kMostRanks);
  const auto size = static_cast<size_t>(header.gaussians);
  const int planes = core::plane_count(static_cast<int>(header.sh_degree));
  const size_t owner_bytes = header.ranks > 1 ? size * sizeof(uint16_t) : 0;
  require(payload.size() == size * planes * sizeof(float) + owner_bytes);
  LiveScene result = std::move(reused);
  result.step = header.step;
  core::GaussianScene& scene = result.scene;
  scene.cloud.sh_degree = static_cast<int>(header.sh_degree);
  scene.cloud.parameters.reset(planes, header.gaussians);
  scene.cloud.ids.resize(header.gaussians);
  std::iota(scene.cloud.ids.begin(), scene.cloud.ids.end(), uint64_t{0});
  for (int p = 0; p < planes && size > 0; ++p) {
    std::memcpy(scene.cloud.plane(p), payload.data() + p * size * sizeof(float),
                size * sizeof(float));
  }
  result.owners = take_list<uint16_t>(payload.last(owner_bytes));
  require(std::all_of(result.owners.begin(), result.owners.end(),
                      [&](uint16_t owner) { return owner < header.ranks; }));
  scene.antialiased = header.antialiased != 0;
  std::copy(std::begin(header.origin_in_file), std::end(header.origin_in_file),
            std::begin(scene.origin_in_file));
  const char* axis = std::begin(header.vertical_axis);
  scene.vertical_axis.assign(axis, std::find(axis, std::end(header.vertical_axis), '\0'));
  return result;
}

LiveCommand read_command(std::span<const std::byte> payload) {
  const auto command = take_whole<LiveCommand>(payload);
  require(command >= LiveCommand::kPause && command <= LiveCommand::kStop);
  return command;
}

LiveSnapshotWish read_snapshot_wish(std::span<const std::byte> payload) {
  const auto wish = take_whole<LiveSnapshotWish>(payload);
  require(wish.count >= 0 && wish.every_ms >= 0);
  require(wish.share > 0 && wish.share <= 1);
  require(wish.sh_degree >= 0 && wish.sh_degree <= core::kMaxShDegree);
  return wish;
}

}  // namespace tessera::apps
