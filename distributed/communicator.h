// Ranks that work on one job and exchange bytes. It knows nothing of what it carries.
//
// Everything is written once here, on top of a backend's grouped sends and receives
// (transport.h; backends.h is the table of them). Between two ranks of a communicator messages
// match in the order in which they were started; tags only name them for the counters. So all ranks
// must make the same collective calls in the same order. Buffers of messages are in the backend's
// memory (a device's for nccl); what are called values here are in the host's.
//
// Of a communicator and those split from it one thread of a rank at a time may make calls. Any call
// may throw RankFailed (liveness.h) because of another rank; then the run is over for all.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/trace.h"
#include "distributed/traffic.h"
#include "distributed/transport.h"
#include "distributed/watch.h"

namespace tessera::distributed {

class Communicator;

// Values as parts of a call.
template <class T>
Send send_to(int rank, std::span<T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {rank, std::as_bytes(values)};
}
template <class T>
Receive receive_from(int rank, std::span<T> values) {
  static_assert(std::is_trivially_copyable_v<T>);
  return {rank, std::as_writable_bytes(values)};
}

// Messages under way; their buffers must stay until it is done. Must not outlive its communicator.
// One that is destroyed before withdraws them: only for the unwinding of a run that has failed.
class [[nodiscard]] Handle {
 public:
  Handle() = default;  // nothing is under way

  // Returns when all messages are through. Throws core::Error naming tag, ranks and sizes if one
  // has another size than the receiver expects.
  void wait();

  // Whether all are through, without waiting and so without a time-out; moves what can be moved.
  bool done();

 private:
  friend class Communicator;
  Handle(Communicator& communicator, Traffic& traffic, const core::TracedBytes& bytes,
         std::unique_ptr<Exchange> exchange);
  void end();

  Communicator* communicator_ = nullptr;
  Traffic* traffic_ = nullptr;
  std::unique_ptr<Exchange> exchange_;
  core::TracedBytes bytes_;
  core::Trace::Clock::time_point begin_;  // if it is traced
};

enum class Reduction { kSum, kMin, kMax };

inline constexpr double kDefaultTimeout_s = 120;

class Communicator {
 public:
  // The world of a backend; callers use run_in_threads() and run_in_mpi().
  Communicator(std::unique_ptr<Transport> transport, std::unique_ptr<SignalBoard> board);
  // The ranks of `host` over another backend, as nccl is: values, counters and the watch over ranks
  // stay with `host`, which must outlive it.
  Communicator(std::unique_ptr<Transport> transport, Communicator& host);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  const Group& group() const { return transport_->group(); }
  int rank() const { return group().rank; }
  int size() const { return group().size(); }
  int world_rank() const { return group().world_ranks[rank()]; }
  bool in_device_memory() const { return transport_->in_device_memory(); }

  // Starts sends and receives together, in any number and direction. Empty ones are left out, so
  // both sides must know that they are empty; those to oneself are matched among themselves and
  // copied at once. Throws core::Error for a rank that is none.
  Handle start(std::string_view tag, std::span<const Send> sends,
               std::span<const Receive> receives);

  // sends[r] goes to rank r, receives[r] comes from rank r: both [size()], of any sizes, but
  // sends[b] of rank a is as long as receives[a] of rank b.
  Handle all_to_all_v(std::string_view tag, std::span<const std::span<const std::byte>> sends,
                      std::span<const std::span<std::byte>> receives);

  // Each rank's own bytes to all: receives[r], [size()], is as long as `own` of rank r. `own` may
  // be receives[rank()].
  Handle all_gather_v(std::string_view tag, std::span<const std::byte> own,
                      std::span<const std::span<std::byte>> receives);

  // The root's bytes to all, as long on each; along a binomial tree.
  void broadcast(std::string_view tag, int root, std::span<std::byte> bytes);
  template <class T>
  void broadcast(std::string_view tag, int root, std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast(tag, root, std::as_writable_bytes(values));
  }

  // Returns when all ranks have called it.
  void barrier(std::string_view tag);

  // One number to each rank for one from each, [size()].
  std::vector<int64_t> exchange_counts(std::string_view tag, std::span<const int64_t> to_each);

  // One value of each rank, by rank.
  template <class T>
  std::vector<T> all_gather(std::string_view tag, const T& own);

  // Element by element over all ranks, in place; as many on each. T is int64_t, uint64_t (sums
  // wrap around), float or double. Folded from rank 0 up: the same bits on all ranks, with every
  // backend and however many values go together.
  template <class T>
  void all_reduce(std::string_view tag, Reduction reduction, std::span<T> values);
  template <class T>
  requires std::is_arithmetic_v<T> T all_reduce(std::string_view tag, Reduction reduction,
                                                T value) {
    all_reduce(tag, reduction, std::span<T>(&value, 1));
    return value;
  }

  // One communicator for each color >= 0, its ranks in the order of (key, rank); none for those
  // that give a negative color. All ranks call it. Must not outlive this one; counters are shared,
  // the time-out is taken over.
  std::unique_ptr<Communicator> split(int color, int key);

  // Rows by tag of all that was sent, received and waited for through this world.
  std::vector<Traffic> traffic() const { return shared_->traffic.rows(); }

  // Messages and waiting for them are recorded there too, by tag and until they are seen to be
  // through, here and in all that is split from this world; null ends that.
  void trace_into(core::Trace* trace) { shared_->trace = trace; }

  // How long to wait without progress before looking for a rank that is silent. A rank that works
  // longer than this between two calls must say so by a LongWork. The same for all ranks.
  void set_timeout(double seconds) { timeout_s_ = seconds; }
  double timeout() const { return timeout_s_; }

  // Ends the run for all: every other rank throws RankFailed, "Rank 2 stopped: <sentence>".
  void fail(std::string_view sentence) { shared_->watch.fail(sentence); }

  // Calls body and, if it throws, ends the run for all by what it threw, and throws that.
  void run(const std::function<void(Communicator&)>& body);

  // After run() threw: waits until it has thrown on all ranks, but no longer than so.
  void stop_together(double longest_s) { shared_->watch.stop_together(longest_s); }

 private:
  friend class Handle;
  friend class LongWork;

  // What a world and all that is split from it have in common.
  struct Shared {
    Shared(std::unique_ptr<SignalBoard> board, const Group& world)
        : watch(std::move(board), world.rank, world.size()) {}
    TrafficTable traffic;
    core::Trace* trace = nullptr;
    Watch watch;
    int next_context = 1;
  };

  Communicator(std::unique_ptr<Transport> transport, Shared& shared, double timeout_s);
  Communicator(std::unique_ptr<Transport> transport, std::unique_ptr<Communicator> host);

  bool is_host() const { return host_ == this; }
  void check_rank(std::string_view tag, int rank) const;
  void check_parts(std::string_view tag, size_t parts) const;
  void copy_own(std::string_view tag, const std::vector<std::span<const std::byte>>& sends,
                const std::vector<std::span<std::byte>>& receives);
  void wait(Exchange& exchange, Traffic& traffic, const core::TracedBytes& bytes);
  void gather_values(std::string_view tag, std::span<const std::byte> own,
                     std::span<std::byte> all);
  Group choose_group(int color, int key);

  std::unique_ptr<Transport> transport_;  // outlives the board in shared_
  std::unique_ptr<Shared> own_shared_;    // a world's
  Shared* shared_;
  std::unique_ptr<Communicator> own_host_;  // of one split from another backend's
  Communicator* host_;                      // where values go
  double timeout_s_ = kDefaultTimeout_s;
};

template <class T>
std::vector<T> Communicator::all_gather(std::string_view tag, const T& own) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<size_t>(size()));
  gather_values(tag, std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

}  // namespace tessera::distributed
