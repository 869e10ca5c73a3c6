// Messages go through a hub: queues in order, one for each (context, from, to). Whoever brings the
// second half of a match copies the bytes, outside the hub's lock.
// SPDX-License-Identifier: MIT
#include "distributed/backends/threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "core/error.h"

namespace tessera::distributed {
namespace {

class HubExchange;

// One half of a message. Its state is guarded by the hub's lock.
struct Half {
  enum class State { kQueued, kMoving, kDone };

  HubExchange* exchange = nullptr;
  int context = 0;
  int from = 0;  // ranks of the world
  int to = 0;
  bool sends = false;
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  size_t size = 0;
  State state = State::kQueued;
};

class Hub {
 public:
  explicit Hub(int size) : signals_(size) {}

  void start(std::vector<Half>& halves);
  // Afterwards nobody touches them or their buffers.
  void withdraw(std::vector<Half>& halves);
  int missing_peer(const std::vector<Half>& halves);

  void post(int rank, const Signal& signal) {
    const std::lock_guard lock(signals_mutex_);
    signals_[rank] = signal;
  }
  void read(std::span<Signal> newest) {
    const std::lock_guard lock(signals_mutex_);
    for (size_t r = 0; r < newest.size(); ++r) {
      if (newest[r].number != signals_[r].number) newest[r] = signals_[r];
    }
  }

 private:
  struct Match {
    Half* send;
    Half* receive;
  };
  // Puts it into its queue, or takes the other half out of there.
  std::optional<Match> match(Half& half);
  void finish(const Match& match);

  using Key = std::tuple<int, int, int>;  // context, from, to
  std::mutex mutex_;
  std::condition_variable moved_;
  std::map<Key, std::vector<Half*>> queues_;  // all of one kind, and never empty
  std::mutex signals_mutex_;
  std::vector<Signal> signals_;
};

class HubExchange : public Exchange {
 public:
  HubExchange(Hub& hub, std::string_view tag, std::vector<Half> halves)
      : hub_(hub), tag_(tag), halves_(std::move(halves)), open_(static_cast<int>(halves_.size())) {
    for (Half& half : halves_) half.exchange = this;
    hub_.start(halves_);
  }
  ~HubExchange() override {
    if (open_ > 0) hub_.withdraw(halves_);
  }
  HubExchange(const HubExchange&) = delete;
  HubExchange& operator=(const HubExchange&) = delete;

  int poll() override {
    const int open = open_;
    if (mismatch_known_) {
      throw_size_mismatch(tag_, mismatch_.from, mismatch_.to, mismatch_.sent, mismatch_.expected);
    }
    return open;
  }

  int missing_peer() const override { return hub_.missing_peer(halves_); }

  // Of the hub, under its lock.
  void one_is_done() { --open_; }
  void set_mismatch(const Half& send, const Half& receive) {
    mismatch_ = {send.from, send.to, send.size, receive.size};
    mismatch_known_ = true;
  }

 private:
  struct Mismatch {
    int from = 0;
    int to = 0;
    size_t sent = 0;
    size_t expected = 0;
  };

  Hub& hub_;
  std::string_view tag_;
  std::vector<Half> halves_;
  Mismatch mismatch_;
  std::atomic<bool> mismatch_known_ = false;
  std::atomic<int> open_;
};

std::optional<Hub::Match> Hub::match(Half& half) {
  const auto [place, is_new] = queues_.try_emplace({half.context, half.from, half.to});
  std::vector<Half*>& queue = place->second;
  if (is_new || queue.front()->sends == half.sends) {
    queue.push_back(&half);
    return std::nullopt;
  }
  Half* other = queue.front();
  queue.erase(queue.begin());
  if (queue.empty()) queues_.erase(place);
  return half.sends ? Match{&half, other} : Match{other, &half};
}

void Hub::finish(const Match& match) {
  for (Half* half : {match.send, match.receive}) {
    half->state = Half::State::kDone;
    half->exchange->one_is_done();
  }
}

void Hub::start(std::vector<Half>& halves) {
  std::vector<Match> matches;
  {
    const std::lock_guard lock(mutex_);
    for (Half& half : halves) {
      const std::optional<Match> found = match(half);
      if (!found) continue;
      if (found->send->size == found->receive->size) {
        found->send->state = found->receive->state = Half::State::kMoving;
        matches.push_back(*found);
      } else {
        found->receive->exchange->set_mismatch(*found->send, *found->receive);
        finish(*found);
      }
    }
  }
  for (const Match& match : matches) {
    std::memcpy(match.receive->target, match.send->source, match.send->size);
    const std::lock_guard lock(mutex_);
    finish(match);
    moved_.notify_all();
  }
}

void Hub::withdraw(std::vector<Half>& halves) {
  std::unique_lock lock(mutex_);
  for (Half& half : halves) {
    if (half.state != Half::State::kQueued) continue;
    const auto place = queues_.find({half.context, half.from, half.to});
    std::erase(place->second, &half);
    if (place->second.empty()) queues_.erase(place);
    half.state = Half::State::kDone;
  }
  moved_.wait(lock, [&] {
    return std::all_of(halves.begin(), halves.end(),
                       [](const Half& half) { return half.state == Half::State::kDone; });
  });
}

int Hub::missing_peer(const std::vector<Half>& halves) {
  const std::lock_guard lock(mutex_);
  const auto open = std::find_if(halves.begin(), halves.end(),
                                 [](const Half& half) { return half.state != Half::State::kDone; });
  // All may have become done since the poll; then any peer will do.
  const Half& half = open == halves.end() ? halves.front() : *open;
  return half.sends ? half.to : half.from;
}

class HubTransport : public Transport {
 public:
  HubTransport(Hub& hub, Group group) : Transport(std::move(group)), hub_(hub) {}

  std::unique_ptr<Exchange> start(std::string_view tag, std::span<const Send> sends,
                                  std::span<const Receive> receives) override {
    const std::vector<int>& world = group().world_ranks;
    const int own = world[group().rank];
    std::vector<Half> halves;
    for (const Receive& receive : receives) {
      Half& half = halves.emplace_back();
      half.from = world[receive.from];
      half.to = own;
      half.target = receive.bytes.data();
      half.size = receive.bytes.size();
    }
    for (const Send& send : sends) {
      Half& half = halves.emplace_back();
      half.from = own;
      half.to = world[send.to];
      half.sends = true;
      half.source = send.bytes.data();
      half.size = send.bytes.size();
    }
    for (Half& half : halves) half.context = group().context;
    return std::make_unique<HubExchange>(hub_, tag, std::move(halves));
  }

  std::unique_ptr<Transport> subgroup(Group group) override {
    if (group.rank < 0) return nullptr;
    return std::make_unique<HubTransport>(hub_, std::move(group));
  }

 private:
  Hub& hub_;
};

class HubBoard : public SignalBoard {
 public:
  HubBoard(Hub& hub, int rank) : hub_(hub), rank_(rank) {}
  void post(const Signal& signal) override { hub_.post(rank_, signal); }
  void read(std::span<Signal> newest) override { hub_.read(newest); }

 private:
  Hub& hub_;
  int rank_;
};

// The first exception that was not caused by another rank's, else the first.
class FirstFailure {
 public:
  void add(const std::exception_ptr& failure, bool of_another_rank) {
    const std::lock_guard lock(mutex_);
    if (failure_ && (of_another_rank || !of_another_rank_)) return;
    failure_ = failure;
    of_another_rank_ = of_another_rank;
  }
  void rethrow_if_any() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
  bool of_another_rank_ = false;
};

}  // namespace

void run_in_threads(int size, const std::function<void(Communicator&)>& body) {
  if (size < 1) throw core::Error(fmt::format("cannot run in {} threads; 1 is the least", size));
  Hub hub(size);
  Group world;
  for (int r = 0; r < size; ++r) world.world_ranks.push_back(r);
  FirstFailure failure;
  const auto run_rank = [&](int rank) {
    Group group = world;
    group.rank = rank;
    Communicator communicator(std::make_unique<HubTransport>(hub, std::move(group)),
                              std::make_unique<HubBoard>(hub, rank));
    try {
      communicator.run(body);
    } catch (const RankFailed&) {
      failure.add(std::current_exception(), true);
    } catch (...) {
      failure.add(std::current_exception(), false);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int r = 1; r < size; ++r) threads.emplace_back(run_rank, r);
    run_rank(0);
  }
  failure.rethrow_if_any();
}

}  // namespace tessera::distributed
