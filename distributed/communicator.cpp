// SPDX-License-Identifier: MIT
#include "distributed/communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/error.h"
#include "core/timer.h"
#include "distributed/all_gather.h"
#include "distributed/pause.h"

namespace tessera::distributed {

using core::Trace;

Handle::Handle(Communicator& communicator, Traffic& traffic, const core::TracedBytes& bytes,
               std::unique_ptr<Exchange> exchange)
    : communicator_(&communicator),
      traffic_(&traffic),
      exchange_(std::move(exchange)),
      bytes_(bytes) {
  if (communicator.shared_->trace != nullptr) begin_ = Trace::Clock::now();
}

void Handle::wait() {
  if (!exchange_) return;
  communicator_->wait(*exchange_, *traffic_, bytes_);
  end();
}

void Handle::end() {
  exchange_.reset();
  Trace* trace = communicator_->shared_->trace;
  if (trace == nullptr) return;
  trace->add(Trace::Row::kMessages, traffic_->tag, begin_, Trace::Clock::now(), bytes_);
}

bool Handle::done() {
  if (!exchange_) return true;
  communicator_->shared_->watch.tend(communicator_->timeout_s_);
  if (exchange_->poll() > 0) return false;
  end();
  return true;
}

Communicator::Communicator(std::unique_ptr<Transport> transport, std::unique_ptr<SignalBoard> board)
    : transport_(std::move(transport)),
      own_shared_(std::make_unique<Shared>(std::move(board), transport_->group())),
      shared_(own_shared_.get()),
      host_(this) {}

Communicator::Communicator(std::unique_ptr<Transport> transport, Communicator& host)
    : transport_(std::move(transport)),
      shared_(host.shared_),
      host_(&host),
      timeout_s_(host.timeout_s_) {}

Communicator::Communicator(std::unique_ptr<Transport> transport, Shared& shared, double timeout_s)
    : transport_(std::move(transport)), shared_(&shared), host_(this), timeout_s_(timeout_s) {}

Communicator::Communicator(std::unique_ptr<Transport> transport, std::unique_ptr<Communicator> host)
    : Communicator(std::move(transport), *host) {
  own_host_ = std::move(host);
}

void Communicator::check_rank(std::string_view tag, int rank) const {
  if (rank >= 0 && rank < size()) return;
  throw core::Error(
      fmt::format("in '{}' rank {} is named, but there are {} ranks", tag, rank, size()));
}

void Communicator::check_parts(std::string_view tag, size_t parts) const {
  if (parts == static_cast<size_t>(size())) return;
  throw core::Error(
      fmt::format("in '{}' parts for {} ranks are given, but there are {}", tag, parts, size()));
}

void Communicator::copy_own(std::string_view tag,
                            const std::vector<std::span<const std::byte>>& sends,
                            const std::vector<std::span<std::byte>>& receives) {
  for (size_t i = 0; i < std::max(sends.size(), receives.size()); ++i) {
    const size_t sent = i < sends.size() ? sends[i].size() : 0;
    const size_t expected = i < receives.size() ? receives[i].size() : 0;
    if (sent != expected) throw_size_mismatch(tag, world_rank(), world_rank(), sent, expected);
    if (sends[i].data() != receives[i].data()) transport_->copy(receives[i], sends[i]);
  }
}

Handle Communicator::start(std::string_view tag, std::span<const Send> sends,
                           std::span<const Receive> receives) {
  shared_->watch.tend(timeout_s_);
  Traffic& traffic = shared_->traffic.row(tag);
  std::vector<Send> outgoing;
  std::vector<Receive> incoming;
  std::vector<std::span<const std::byte>> own_sends;
  std::vector<std::span<std::byte>> own_receives;
  core::TracedBytes bytes;
  for (const Send& send : sends) {
    check_rank(tag, send.to);
    if (send.bytes.empty()) continue;
    if (send.to == rank()) {
      own_sends.push_back(send.bytes);
      continue;
    }
    outgoing.push_back(send);
    ++traffic.messages_sent;
    bytes.sent += static_cast<int64_t>(send.bytes.size());
  }
  for (const Receive& receive : receives) {
    check_rank(tag, receive.from);
    if (receive.bytes.empty()) continue;
    if (receive.from == rank()) {
      own_receives.push_back(receive.bytes);
      continue;
    }
    incoming.push_back(receive);
    ++traffic.messages_received;
    bytes.received += static_cast<int64_t>(receive.bytes.size());
  }
  traffic.bytes_sent += bytes.sent;
  traffic.bytes_received += bytes.received;
  copy_own(tag, own_sends, own_receives);
  if (outgoing.empty() && incoming.empty()) return {};
  return {*this, traffic, bytes, transport_->start(traffic.tag, outgoing, incoming)};
}

void Communicator::wait(Exchange& exchange, Traffic& traffic, const core::TracedBytes& bytes) {
  Watch& watch = shared_->watch;
  watch.tend(timeout_s_);
  int open = exchange.poll();
  if (open == 0) return;

  // Also when RankFailed passes, so that the others do not go on reading that we wait.
  struct EndOfWait {
    Shared& shared;
    Traffic& traffic;
    const core::TracedBytes& bytes;
    Trace::Clock::time_point begin = Trace::Clock::now();
    ~EndOfWait() {
      const Trace::Clock::time_point end = Trace::Clock::now();
      traffic.waited_s += std::chrono::duration<double>(end - begin).count();
      if (shared.trace != nullptr) {
        shared.trace->add(Trace::Row::kWaiting, traffic.tag, begin, end, bytes);
      }
      shared.watch.end_waiting();
    }
  } const end_of_wait{*shared_, traffic, bytes};

  Pause pause;
  core::Timer since_progress;
  for (;;) {
    pause.once(exchange.needs_polling());
    const int now_open = exchange.poll();
    if (now_open == 0) return;
    if (now_open != open) {
      open = now_open;
      since_progress = core::Timer();
      pause = Pause();
    }
    if (watch.waiting_needs_tending()) {
      watch.tend_waiting(traffic.tag, exchange.missing_peer(), since_progress.seconds(),
                         timeout_s_);
    }
  }
}

Handle Communicator::all_to_all_v(std::string_view tag,
                                  std::span<const std::span<const std::byte>> sends,
                                  std::span<const std::span<std::byte>> receives) {
  check_parts(tag, sends.size());
  check_parts(tag, receives.size());
  std::vector<Send> outgoing;
  std::vector<Receive> incoming;
  // Each rank begins with the one after it, so that not all send to the same one first.
  for (int step = 0; step < size(); ++step) {
    const int to = (rank() + step) % size();
    const int from = (rank() - step + size()) % size();
    outgoing.push_back({to, sends[to]});
    incoming.push_back({from, receives[from]});
  }
  return start(tag, outgoing, incoming);
}

Handle Communicator::all_gather_v(std::string_view tag, std::span<const std::byte> own,
                                  std::span<const std::span<std::byte>> receives) {
  const std::vector<std::span<const std::byte>> sends(static_cast<size_t>(size()), own);
  return all_to_all_v(tag, sends, receives);
}

void Communicator::broadcast(std::string_view tag, int root, std::span<std::byte> bytes) {
  check_rank(tag, root);
  // Places counted from the root: each receives from the place without its lowest bit, then sends
  // to those that add a lower bit, the furthest first.
  const int place = (rank() - root + size()) % size();
  const auto rank_at = [&](int p) { return (p + root) % size(); };
  int bit = 1;
  while (bit < size() && (place & bit) == 0) bit <<= 1;
  if (place != 0) {
    const Receive receive{rank_at(place - bit), bytes};
    start(tag, {}, {&receive, 1}).wait();
  }
  std::vector<Send> sends;
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if (place + bit < size()) sends.push_back({rank_at(place + bit), bytes});
  }
  start(tag, sends, {}).wait();
}

void Communicator::gather_values(std::string_view tag, std::span<const std::byte> own,
                                 std::span<std::byte> all) {
  std::copy(own.begin(), own.end(), all.begin() + static_cast<int64_t>(rank() * own.size()));
  all_gather_few(*host_, tag, std::vector<size_t>(size(), own.size()), all);
}

void Communicator::barrier(std::string_view tag) {
  all_gather(tag, std::byte{1});
}

std::vector<int64_t> Communicator::exchange_counts(std::string_view tag,
                                                   std::span<const int64_t> to_each) {
  check_parts(tag, to_each.size());
  std::vector<int64_t> from_each(to_each.size());
  std::vector<std::span<const std::byte>> sends;
  std::vector<std::span<std::byte>> receives;
  for (size_t r = 0; r < to_each.size(); ++r) {
    sends.push_back(std::as_bytes(to_each.subspan(r, 1)));
    receives.push_back(std::as_writable_bytes(std::span(from_each).subspan(r, 1)));
  }
  host_->all_to_all_v(tag, sends, receives).wait();
  return from_each;
}

// Contexts are numbered so that any two groups with a rank in common have different ones: each rank
// keeps the lowest number above all that it has met, and a split takes the highest of those.
Group Communicator::choose_group(int color, int key) {
  struct Choice {
    int color;
    int key;
    int next_context;
  };
  const std::vector<Choice> all = all_gather("split", Choice{color, key, shared_->next_context});
  std::vector<int> colors;
  std::vector<std::pair<int, int>> members;  // key, rank
  int context = 0;
  for (int r = 0; r < size(); ++r) {
    context = std::max(context, all[r].next_context);
    if (all[r].color >= 0) colors.push_back(all[r].color);
    if (all[r].color == color) members.emplace_back(all[r].key, r);
  }
  std::sort(colors.begin(), colors.end());
  colors.erase(std::unique(colors.begin(), colors.end()), colors.end());
  shared_->next_context = context + static_cast<int>(colors.size());
  if (color < 0) return {};

  std::sort(members.begin(), members.end());
  Group group;
  group.context = context + static_cast<int>(std::lower_bound(colors.begin(), colors.end(), color) -
                                             colors.begin());
  for (const auto& [ignored, member] : members) {
    if (member == rank()) group.rank = group.size();
    group.world_ranks.push_back(this->group().world_ranks[member]);
  }
  return group;
}

std::unique_ptr<Communicator> Communicator::split(int color, int key) {
  if (is_host()) {
    std::unique_ptr<Transport> transport = transport_->subgroup(choose_group(color, key));
    if (!transport) return nullptr;
    return std::unique_ptr<Communicator>(
        new Communicator(std::move(transport), *shared_, timeout_s_));
  }
  std::unique_ptr<Communicator> host = host_->split(color, key);
  std::unique_ptr<Transport> transport = transport_->subgroup(host ? host->group() : Group{});
  if (!transport) return nullptr;
  return std::unique_ptr<Communicator>(new Communicator(std::move(transport), std::move(host)));
}

void Communicator::run(const std::function<void(Communicator&)>& body) {
  try {
    body(*this);
  } catch (const std::exception& error) {
    fail(error.what());
    throw;
  } catch (...) {
    fail("it threw what is no exception");
    throw;
  }
}

}  // namespace tessera::distributed
