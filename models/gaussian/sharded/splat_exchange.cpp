// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/splat_exchange.h"

#include <numeric>

#include "distributed/array_bytes.h"

namespace tessera::models {
namespace {

constexpr int64_t kGrain = 2048;  // splats copied at a time

}  // namespace

void SplatExchange::begin(const core::GaussianCloud& cloud, Projections projections,
                          uint32_t step) {
  cloud_ = &cloud;
  projections_ = projections;
  step_ = step;
  round_count_ = 0;
  routed_ = moved_ = outside_ = messages_ = 0;
}

void SplatExchange::route(std::span<const Round> rounds) {
  const int first = round_count_;
  round_count_ += static_cast<int>(rounds.size());
  if (rounds_.size() < static_cast<size_t>(round_count_)) rounds_.resize(round_count_);
  const std::span<Routed> added = std::span(rounds_).subspan(first, rounds.size());
  for (size_t k = 0; k < rounds.size(); ++k) added[k].windows = rounds[k];
  find_routes(added);
  for (const Routed& round : added) count(round);
  exchange_sizes(added);
}

void SplatExchange::find_routes(std::span<Routed> rounds) {
  const auto ranks = static_cast<size_t>(ranks_.size());
  for (Routed& round : rounds) {
    round.routes.resize(ranks);
    round.leaving.assign(ranks, {});
  }
  const auto windows = static_cast<int64_t>(rounds.size() * ranks);
  pool_.parallel_for(windows, 1, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t w = begin; w < end; ++w) {
      Routed& round = rounds[w / ranks];
      const auto to = static_cast<int>(w % ranks);
      const DrawnWindow& drawn = round.windows[to];
      core::Array<uint32_t>& route = round.routes[to];
      route.clear();
      if (drawn.window.empty()) continue;
      const render::CpuProjection& from = *projections_[drawn.view];
      for (const uint32_t i : from.visible()) {
        if (render::reaches(from.splats()[i], drawn.window)) route.push_back(i);
      }
      round.leaving[to].splats = static_cast<uint32_t>(route.size());
      if (to == rank()) continue;
      round.leaving[to].outside = static_cast<uint32_t>(
          coding_->count_outside({from.splats(), nullptr, route.view()}, drawn.window));
    }
  });
}

void SplatExchange::count(const Routed& round) {
  for (int to = 0; to < ranks_.size(); ++to) {
    const RouteSize& size = round.leaving[to];
    routed_ += size.splats;
    if (to == rank()) continue;
    moved_ += size.splats;
    outside_ += size.outside;
    messages_ += size.splats > 0 ? 1 : 0;
  }
}

// Each rank tells each other what it has for that one's windows.
void SplatExchange::exchange_sizes(std::span<Routed> rounds) {
  const int ranks = ranks_.size();
  std::vector<core::Array<RouteSize>> told(ranks), heard(ranks);
  for (int r = 0; r < ranks; ++r) {
    if (r == rank()) continue;
    for (const Routed& round : rounds) told[r].push_back(round.leaving[r]);
    heard[r].resize(static_cast<int64_t>(rounds.size()));
  }
  ranks_.all_to_all_v("splat counts", distributed::bytes_of(told), distributed::room_of(heard))
      .wait();
  for (size_t k = 0; k < rounds.size(); ++k) {
    rounds[k].coming.resize(ranks);
    for (int r = 0; r < ranks; ++r) {
      rounds[k].coming[r] = r == rank() ? rounds[k].leaving[r] : heard[r][static_cast<int64_t>(k)];
    }
  }
}

void SplatExchange::start(std::string_view tag, Messages& messages) {
  messages.under_way = ranks_.all_to_all_v(tag, distributed::bytes_of(messages.sent),
                                           distributed::room_of(messages.received));
  if (!overlap_) messages.under_way.wait();
}

void SplatExchange::poll() {
  for (const int k : {0, 1}) {
    splat_messages_[k].under_way.done();
    gradient_messages_[k].under_way.done();
  }
}

void SplatExchange::start_splats(int round) {
  const Routed& routed = rounds_[round];
  Messages& messages = splat_messages_[round % 2];
  messages.sent.resize(ranks_.size());
  messages.received.resize(ranks_.size());
  for (int r = 0; r < ranks_.size(); ++r) {
    if (r == rank()) continue;
    const RouteSize &leaving = routed.leaving[r], &coming = routed.coming[r];
    messages.received[r].resize(coding_->splat_bytes(coming.splats, coming.outside));
    messages.sent[r].resize(coding_->splat_bytes(leaving.splats, leaving.outside));
    if (leaving.splats == 0) continue;
    const DrawnWindow& drawn = routed.windows[r];
    coding_->write_splats(
        {projections_[drawn.view]->splats(), cloud_->ids.data(), routed.routes[r].view()},
        drawn.window, messages.sent[r].data());
  }
  start("splats", messages);
}

void SplatExchange::finish_splats(int round) {
  const Routed& routed = rounds_[round];
  Messages& messages = splat_messages_[round % 2];
  messages.under_way.wait();
  int64_t total = 0;
  for (const RouteSize& size : routed.coming) total += size.splats;
  splats_.resize(total);
  ids_.resize(total);
  gradients_[round % 2].resize(total);
  if (const int64_t known = which_.size(); known < total) {
    which_.resize(total);
    std::iota(which_.begin() + known, which_.end(), static_cast<uint32_t>(known));
  }
  int64_t first = 0;
  for (int r = 0; r < ranks_.size(); ++r) {
    const int64_t count = routed.coming[r].splats;
    if (r == rank()) {
      copy_own(routed, first);
    } else {
      coding_->read_splats(messages.received[r].data(), first, count, routed.windows[rank()].window,
                           splats_.data(), ids_.data());
    }
    first += count;
  }
}

void SplatExchange::copy_own(const Routed& round, int64_t first) {
  const core::Array<uint32_t>& route = round.routes[rank()];
  if (route.empty()) return;
  const render::CpuSplat* own = projections_[round.windows[rank()].view]->splats();
  pool_.parallel_for(route.size(), kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t k = begin; k < end; ++k) {
      splats_[first + k] = own[route[k]];
      ids_[first + k] = cloud_->ids[route[k]];
    }
  });
}

void SplatExchange::start_gradients(int round) {
  const Routed& routed = rounds_[round];
  Messages& messages = gradient_messages_[round % 2];
  messages.sent.resize(ranks_.size());
  messages.received.resize(ranks_.size());
  const render::CpuSplatGradient* gradients = gradients_[round % 2].data();
  for (int r = 0; r < ranks_.size(); ++r) {
    const uint32_t count = routed.coming[r].splats;
    const render::CpuSplatGradient* first = gradients;
    gradients += count;
    if (r == rank()) continue;
    messages.received[r].resize(coding_->gradient_bytes(routed.leaving[r].splats));
    messages.sent[r].resize(coding_->gradient_bytes(count));
    if (count == 0) continue;
    const int ranks = ranks_.size();
    const int window = routed.windows[rank()].view * ranks + rank();
    const auto message = static_cast<uint32_t>(window * ranks + r);
    coding_->write_gradients({first, count}, {step_, message}, messages.sent[r].data());
  }
  start("splat gradients", messages);
}

void SplatExchange::finish_gradients(int round) {
  const Routed& routed = rounds_[round];
  Messages& messages = gradient_messages_[round % 2];
  messages.under_way.wait();
  int cleared = -1;
  for (int by = 0; by < ranks_.size(); ++by) {
    const int view = routed.windows[by].view;
    if (view < 0) continue;
    render::CpuProjection& projection = *projections_[view];
    render::CpuSplatGradient* to = projection.splat_gradients();
    if (view != cleared) {
      for (const uint32_t i : projection.visible()) to[i] = {};
      cleared = view;
    }
    if (by == rank()) {
      add_own(round, to);
    } else {
      coding_->add_gradients(messages.received[by].data(), routed.routes[by].view(), to);
    }
  }
}

void SplatExchange::add_own(int round, render::CpuSplatGradient* to) {
  const Routed& routed = rounds_[round];
  const core::Array<uint32_t>& route = routed.routes[rank()];
  const render::CpuSplatGradient* own = gradients_[round % 2].data();
  for (int r = 0; r < rank(); ++r) own += routed.coming[r].splats;
  // A Gaussian occurs once in a window's route, so threads never meet at one.
  pool_.parallel_for(route.size(), kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t k = begin; k < end; ++k) render::add(own[k], to[route[k]]);
  });
}

}  // namespace tessera::models
