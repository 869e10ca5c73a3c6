// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/splat_exchange.h"

#include <algorithm>
#include <numeric>

#include "distributed/all_gather.h"
#include "distributed/array_bytes.h"

namespace tessera::models {
namespace {

constexpr int64_t kGrain = 2048;  // splats copied at a time

std::vector<std::byte*> begins_of(std::vector<core::Array<std::byte>>& messages) {
  std::vector<std::byte*> begins;
  begins.reserve(messages.size());
  for (core::Array<std::byte>& message : messages) begins.push_back(message.data());
  return begins;
}

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
  struct Place {
    Routed* round;
    size_t window;
  };
  std::vector<Place> places;
  for (Routed& round : rounds) {
    round.routes.resize(round.windows.size());
    round.leaving.assign(round.windows.size(), {});
    for (size_t w = 0; w < round.windows.size(); ++w) places.push_back({&round, w});
  }
  const auto count = static_cast<int64_t>(places.size());
  pool_.parallel_for(count, 1, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t p = begin; p < end; ++p) {
      const auto [round, w] = places[p];
      const DrawnWindow& drawn = round->windows[w];
      core::Array<uint32_t>& route = round->routes[w];
      route.clear();
      const render::CpuProjection& from = *projections_[drawn.view];
      for (const uint32_t i : from.visible()) {
        if (render::reaches(from.splats()[i], drawn.window)) route.push_back(i);
      }
      round->leaving[w].splats = static_cast<uint32_t>(route.size());
      if (drawn.rank == rank()) continue;
      round->leaving[w].outside = static_cast<uint32_t>(
          coding_->count_outside({from.splats(), nullptr, route.view()}, drawn.window));
    }
  });
}

void SplatExchange::count(const Routed& round) {
  for (size_t w = 0; w < round.windows.size(); ++w) {
    const RouteSize& size = round.leaving[w];
    routed_ += size.splats;
    if (round.windows[w].rank == rank()) continue;
    moved_ += size.splats;
    outside_ += size.outside;
    messages_ += size.splats > 0 ? 1 : 0;
  }
}

// Each rank tells all others what it has for every window: few bytes, so that they take few
// messages.
void SplatExchange::exchange_sizes(std::span<Routed> rounds) {
  const auto ranks = static_cast<size_t>(ranks_.size());
  size_t windows = 0;
  for (const Routed& round : rounds) windows += round.windows.size();
  std::vector<RouteSize> all(ranks * windows);
  auto told = all.begin() + static_cast<int64_t>(rank() * windows);
  for (const Routed& round : rounds) {
    told = std::copy(round.leaving.begin(), round.leaving.end(), told);
  }
  distributed::all_gather_few(ranks_, "splat counts",
                              std::vector<size_t>(ranks, windows * sizeof(RouteSize)),
                              std::as_writable_bytes(std::span(all)));
  size_t first = 0;
  for (Routed& round : rounds) {
    const std::span<const DrawnWindow> own = windows_of(round.windows, rank());
    round.first_own = own.data() - round.windows.data();
    round.coming.assign(own.size(), std::vector<RouteSize>(ranks));
    round.begins = {0};
    for (size_t k = 0; k < own.size(); ++k) {
      int64_t end = round.begins.back();
      for (size_t r = 0; r < ranks; ++r) {
        round.coming[k][r] = all[r * windows + first + round.first_own + k];
        end += round.coming[k][r].splats;
      }
      round.begins.push_back(end);
    }
    first += round.windows.size();
  }
}

void SplatExchange::start(std::string_view tag, Messages& messages) {
  messages.under_way = ranks_.all_to_all_v(tag, distributed::bytes_of(messages.sent),
                                           distributed::room_of(messages.received));
  if (!overlap_) messages.under_way.wait();
}

// What a rank has for itself is not sent.
void SplatExchange::make_room(std::span<const int64_t> leaving, std::span<const int64_t> coming,
                              Messages& messages) const {
  messages.sent.resize(ranks_.size());
  messages.received.resize(ranks_.size());
  for (int r = 0; r < ranks_.size(); ++r) {
    messages.sent[r].resize(r == rank() ? 0 : leaving[r]);
    messages.received[r].resize(r == rank() ? 0 : coming[r]);
  }
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
  std::vector<int64_t> leaving(ranks_.size(), 0), coming(ranks_.size(), 0);
  for (size_t w = 0; w < routed.windows.size(); ++w) {
    const RouteSize& size = routed.leaving[w];
    leaving[routed.windows[w].rank] += coding_->splat_bytes(size.splats, size.outside);
  }
  for (const std::vector<RouteSize>& sizes : routed.coming) {
    for (int r = 0; r < ranks_.size(); ++r) {
      coming[r] += coding_->splat_bytes(sizes[r].splats, sizes[r].outside);
    }
  }
  make_room(leaving, coming, messages);
  std::vector<std::byte*> to = begins_of(messages.sent);
  for (size_t w = 0; w < routed.windows.size(); ++w) {
    const RouteSize& size = routed.leaving[w];
    const DrawnWindow& drawn = routed.windows[w];
    if (drawn.rank == rank() || size.splats == 0) continue;
    coding_->write_splats(
        {projections_[drawn.view]->splats(), cloud_->ids.data(), routed.routes[w].view()},
        drawn.window, to[drawn.rank]);
    to[drawn.rank] += coding_->splat_bytes(size.splats, size.outside);
  }
  start("splats", messages);
}

void SplatExchange::finish_splats(int round) {
  const Routed& routed = rounds_[round];
  Messages& messages = splat_messages_[round % 2];
  messages.under_way.wait();
  drawn_ = round;
  const int64_t total = routed.begins.back();
  splats_.resize(total);
  ids_.resize(total);
  gradients_[round % 2].resize(total);
  if (const int64_t known = which_.size(); known < total) {
    which_.resize(total);
    std::iota(which_.begin() + known, which_.end(), static_cast<uint32_t>(known));
  }
  std::vector<std::byte*> from = begins_of(messages.received);
  for (size_t k = 0; k < routed.coming.size(); ++k) {
    int64_t first = routed.begins[k];
    for (int r = 0; r < ranks_.size(); ++r) {
      const RouteSize& size = routed.coming[k][r];
      if (r == rank()) {
        copy_own(routed, k, first);
      } else {
        coding_->read_splats(from[r], first, size.splats, routed.own()[k].window, splats_.data(),
                             ids_.data());
        from[r] += coding_->splat_bytes(size.splats, size.outside);
      }
      first += size.splats;
    }
  }
}

void SplatExchange::copy_own(const Routed& round, size_t k, int64_t first) {
  const core::Array<uint32_t>& route = round.routes[round.first_own + k];
  const render::CpuSplat* own = projections_[round.own()[k].view]->splats();
  pool_.parallel_for(route.size(), kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t i = begin; i < end; ++i) {
      splats_[first + i] = own[route[i]];
      ids_[first + i] = cloud_->ids[route[i]];
    }
  });
}

void SplatExchange::start_gradients(int round) {
  const Routed& routed = rounds_[round];
  Messages& messages = gradient_messages_[round % 2];
  std::vector<int64_t> leaving(ranks_.size(), 0), coming(ranks_.size(), 0);
  for (const std::vector<RouteSize>& sizes : routed.coming) {
    for (int r = 0; r < ranks_.size(); ++r) leaving[r] += coding_->gradient_bytes(sizes[r].splats);
  }
  for (size_t w = 0; w < routed.windows.size(); ++w) {
    coming[routed.windows[w].rank] += coding_->gradient_bytes(routed.leaving[w].splats);
  }
  make_room(leaving, coming, messages);
  std::vector<std::byte*> to = begins_of(messages.sent);
  const render::CpuSplatGradient* gradients = gradients_[round % 2].data();
  for (size_t k = 0; k < routed.coming.size(); ++k) {
    for (int r = 0; r < ranks_.size(); ++r) {
      const uint32_t count = routed.coming[k][r].splats;
      const render::CpuSplatGradient* first = gradients;
      gradients += count;
      if (r == rank() || count == 0) continue;
      const uint32_t message = message_number(routed.own()[k].view, rank(), r);
      coding_->write_gradients({first, count}, {step_, message}, to[r]);
      to[r] += coding_->gradient_bytes(count);
    }
  }
  start("splat gradients", messages);
}

void SplatExchange::finish_gradients(int round) {
  const Routed& routed = rounds_[round];
  Messages& messages = gradient_messages_[round % 2];
  messages.under_way.wait();
  std::vector<std::byte*> from = begins_of(messages.received);
  std::vector<bool> cleared(projections_.size(), false);
  for (size_t w = 0; w < routed.windows.size(); ++w) {
    const auto& [by, view, window] = routed.windows[w];
    render::CpuProjection& projection = *projections_[view];
    render::CpuSplatGradient* to = projection.splat_gradients();
    if (!cleared[view]) {
      for (const uint32_t i : projection.visible()) to[i] = {};
      cleared[view] = true;
    }
    if (by == rank()) {
      add_own(routed, w - routed.first_own, gradients_[round % 2].data(), to);
    } else {
      coding_->add_gradients(from[by], routed.routes[w].view(), to);
      from[by] += coding_->gradient_bytes(routed.leaving[w].splats);
    }
  }
}

void SplatExchange::add_own(const Routed& round, size_t k,
                            const render::CpuSplatGradient* gradients,
                            render::CpuSplatGradient* to) {
  const core::Array<uint32_t>& route = round.routes[round.first_own + k];
  const render::CpuSplatGradient* own = gradients + round.begins[k];
  for (int r = 0; r < rank(); ++r) own += round.coming[k][r].splats;
  // A Gaussian occurs once in a window's route, so threads never meet at one.
  pool_.parallel_for(route.size(), kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t i = begin; i < end; ++i) render::add(own[i], to[route[i]]);
  });
}

}  // namespace tessera::models
