// SPDX-License-Identifier: MIT
#include "apps/live/watcher.h"

#include <ctime>
#include <utility>

#include "core/error.h"

namespace tessera::apps {
namespace {

using std::chrono::duration;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr milliseconds kBetweenStates{100};
// Of a snapshot, beside what is measured: threads of a step wait for the one whose core is taken by
// those who send and receive. 6 ms were measured where both cores are in use.
constexpr double kDisturbance_s = 6e-3;
// Whoever neither greets nor takes what is sent for so long is gone.
constexpr std::chrono::seconds kMostSilence{20};

double seconds_of_this_thread() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

Watcher::Watcher(Descriptor socket)
    : socket_(std::move(socket)), reader_(most_bytes_from_watcher), last_moved_(Clock::now()) {
  outbox_.add(live_message(LiveMessage::kHello, LiveHello{}));
}

bool Watcher::receive(const std::function<void(LiveCommand)>& command) {
  try {
    return reader_.receive(socket_, [&](LiveMessage message, std::span<const std::byte> payload) {
      last_moved_ = Clock::now();
      take(message, payload, command);
    });
  } catch (const core::Error&) {
    return false;
  }
}

void Watcher::take(LiveMessage message, std::span<const std::byte> payload,
                   const std::function<void(LiveCommand)>& command) {
  if (message == LiveMessage::kHello) {
    check_hello(payload);
    greeted_ = true;
    return;
  }
  if (!greeted_) throw core::Error("Who does not greet is not heard.");
  if (message == LiveMessage::kCommand) {
    command(read_command(payload));
  } else {
    wish_ = read_snapshot_wish(payload);
  }
}

bool Watcher::send() {
  const double before = seconds_of_this_thread();
  const uint64_t sent = outbox_.sent_bytes();
  if (!outbox_.send(socket_)) return false;
  if (outbox_.sent_bytes() > sent) last_moved_ = Clock::now();
  // Sending takes a core from the training; receiving and taking apart take it twice as long.
  if (sends_snapshot_) charge(3 * (seconds_of_this_thread() - before));
  if (outbox_.empty()) {
    sends_snapshot_ = false;
    if (greeted_) return true;
  }
  return Clock::now() - last_moved_ < kMostSilence;
}

void Watcher::charge(double seconds) {
  paid_off_ += duration_cast<Clock::duration>(duration<double>(seconds / wish_.share));
}

void Watcher::tell(const LiveState& state, std::span<const LiveRank> ranks, const History& curves,
                   bool at_once) {
  const Clock::time_point now = Clock::now();
  if (!greeted_ || (!at_once && (waits_to_send() || now - told_ < kBetweenStates))) return;
  const auto tell_new = [&](LiveMessage message, const auto& points, size_t& told) {
    if (told < points.size()) {
      outbox_.add(live_message(message, std::span(points).subspan(told)));
    }
    told = points.size();
  };
  tell_new(LiveMessage::kSamples, curves.samples, samples_told_);
  tell_new(LiveMessage::kTests, curves.tests, tests_told_);
  outbox_.add(state_message(state, ranks));
  told_ = now;
}

bool Watcher::wants_snapshot(int64_t step) const {
  return wish_.count > 0 && !sends_snapshot_ && step > wish_.newer_than &&
         Clock::now() >= not_before_;
}

int64_t Watcher::wished_degree(int64_t step) const {
  return wants_snapshot(step) && Clock::now() >= paid_off_ ? wish_.sh_degree : -1;
}

void Watcher::offer(const std::shared_ptr<const LiveSnapshot>& snapshot, double seconds) {
  if (!wants_snapshot(snapshot->header.step)) return;
  outbox_.add(snapshot, wish_.sh_degree);
  sends_snapshot_ = true;
  --wish_.count;
  wish_.newer_than = snapshot->header.step;
  const Clock::time_point now = Clock::now();
  not_before_ = now + milliseconds(wish_.every_ms);
  paid_off_ = now;
  charge(seconds + kDisturbance_s);
}

}  // namespace tessera::apps
