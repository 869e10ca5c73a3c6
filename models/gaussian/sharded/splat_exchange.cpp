// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/splat_exchange.h"

#include <algorithm>
#include <numeric>

#include "distributed/array_bytes.h"

namespace tessera::models {
namespace {

constexpr int64_t kGrain = 2048;  // splats copied at a time

// Room for what each rank sends or gets; nothing for oneself.
template <class T>
void resize_each(std::vector<core::Array<T>>& arrays, std::span<const int64_t> sizes, int self) {
  arrays.resize(sizes.size());
  for (size_t r = 0; r < sizes.size(); ++r) {
    arrays[r].resize(static_cast<int>(r) == self ? 0 : sizes[r]);
  }
}

}  // namespace

void SplatExchange::send_splats(const core::GaussianCloud& cloud, Projections projections,
                                std::span<const DrawnWindow> windows) {
  windows_.assign(windows.begin(), windows.end());
  route(projections);
  exchange_counts();
  make_room();
  pack(cloud, projections);
  ranks_.all_to_all_v("splats", distributed::bytes_of(sent_), distributed::room_of(received_))
      .wait();
  unpack(cloud, projections);
}

void SplatExchange::route(Projections projections) {
  routes_.resize(windows_.size());
  route_sizes_.resize(windows_.size());
  pool_.parallel_for(
      static_cast<int64_t>(windows_.size()), 1, [&](int64_t begin, int64_t end, int /*thread*/) {
        for (int64_t w = begin; w < end; ++w) {
          const DrawnWindow& drawn = windows_[w];
          const render::CpuProjection& from = *projections[drawn.view];
          routes_[w].clear();
          route_sizes_[w] = {};
          if (drawn.window.empty()) continue;
          for (const uint32_t i : from.visible()) {
            if (render::reaches(from.splats()[i], drawn.window)) routes_[w].push_back(i);
          }
          route_sizes_[w].splats = static_cast<uint32_t>(routes_[w].size());
          if (drawn.rank == rank()) continue;
          route_sizes_[w].outside = static_cast<uint32_t>(
              coding_->count_outside({from.splats(), nullptr, routes_[w].view()}, drawn.window));
        }
      });
  routed_ = moved_ = outside_ = messages_ = 0;
  for (size_t w = 0; w < windows_.size(); ++w) {
    const RouteSize& size = route_sizes_[w];
    routed_ += size.splats;
    if (windows_[w].rank == rank()) continue;
    moved_ += size.splats;
    outside_ += size.outside;
    messages_ += size.splats > 0 ? 1 : 0;
  }
}

// Each rank tells each other how many splats it has for each of that one's windows.
void SplatExchange::exchange_counts() {
  const int size = ranks_.size();
  std::vector<core::Array<RouteSize>> told(size), heard(size);
  int64_t own_windows = 0;
  for (size_t w = 0; w < windows_.size(); ++w) {
    if (windows_[w].rank == rank()) {
      ++own_windows;
    } else {
      told[windows_[w].rank].push_back(route_sizes_[w]);
    }
  }
  for (int r = 0; r < size; ++r) heard[r].resize(r == rank() ? 0 : own_windows);
  ranks_.all_to_all_v("splat counts", distributed::bytes_of(told), distributed::room_of(heard))
      .wait();

  drawn_.resize(windows_.size());
  int64_t number = 0;  // among this rank's windows
  for (size_t w = 0; w < windows_.size(); ++w) {
    Drawn& drawn = drawn_[w];
    drawn.sizes.assign(size, {});
    drawn.begins.assign(size + 1, 0);
    if (windows_[w].rank != rank()) continue;
    for (int r = 0; r < size; ++r) {
      drawn.sizes[r] = r == rank() ? route_sizes_[w] : heard[r][number];
      drawn.begins[r + 1] = drawn.begins[r] + drawn.sizes[r].splats;
    }
    ++number;
  }
}

void SplatExchange::make_room() {
  const int size = ranks_.size();
  std::vector<int64_t> to_send(size, 0), to_get(size, 0);
  std::vector<int64_t> gradients_to_send(size, 0), gradients_to_get(size, 0);
  for (size_t w = 0; w < windows_.size(); ++w) {
    const int by = windows_[w].rank;
    to_send[by] += splat_bytes(route_sizes_[w]);
    gradients_to_get[by] += coding_->gradient_bytes(route_sizes_[w].splats);
    for (int r = 0; r < size; ++r) {
      to_get[r] += splat_bytes(drawn_[w].sizes[r]);
      gradients_to_send[r] += coding_->gradient_bytes(drawn_[w].sizes[r].splats);
    }
  }
  resize_each(sent_, to_send, rank());
  resize_each(received_, to_get, rank());
  resize_each(gradients_sent_, gradients_to_send, rank());
  resize_each(gradients_received_, gradients_to_get, rank());
}

void SplatExchange::pack(const core::GaussianCloud& cloud, Projections projections) {
  std::vector<int64_t> at(ranks_.size(), 0);
  for (size_t w = 0; w < windows_.size(); ++w) {
    const int to = windows_[w].rank;
    if (to == rank()) continue;
    coding_->write_splats(
        {projections[windows_[w].view]->splats(), cloud.ids.data(), routes_[w].view()},
        windows_[w].window, sent_[to].data() + at[to]);
    at[to] += splat_bytes(route_sizes_[w]);
  }
}

void SplatExchange::unpack(const core::GaussianCloud& cloud, Projections projections) {
  std::vector<int64_t> at(ranks_.size(), 0);
  for (size_t w = 0; w < windows_.size(); ++w) {
    if (windows_[w].rank != rank()) continue;
    Drawn& drawn = drawn_[w];
    const int64_t total = drawn.begins.back();
    drawn.splats.resize(total);
    drawn.ids.resize(total);
    drawn.which.resize(total);
    drawn.gradients.resize(total);
    std::iota(drawn.which.begin(), drawn.which.end(), 0U);
    for (int r = 0; r < ranks_.size(); ++r) {
      const int64_t first = drawn.begins[r];
      if (r == rank()) {
        const core::Array<uint32_t>& route = routes_[w];
        const render::CpuSplat* own = projections[windows_[w].view]->splats();
        pool_.parallel_for(route.size(), kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
          for (int64_t k = begin; k < end; ++k) {
            drawn.splats[first + k] = own[route[k]];
            drawn.ids[first + k] = cloud.ids[route[k]];
          }
        });
        continue;
      }
      coding_->read_splats(received_[r].data() + at[r], first, drawn.sizes[r].splats,
                           windows_[w].window, drawn.splats.data(), drawn.ids.data());
      at[r] += splat_bytes(drawn.sizes[r]);
    }
  }
}

render::CpuSplatList SplatExchange::splats(int window) const {
  const Drawn& drawn = drawn_[window];
  return {drawn.splats.data(), drawn.ids.data(), drawn.which.view()};
}

void SplatExchange::return_gradients(Projections projections, uint32_t step) {
  pack_gradients(step);
  ranks_
      .all_to_all_v("splat gradients", distributed::bytes_of(gradients_sent_),
                    distributed::room_of(gradients_received_))
      .wait();
  add_gradients(projections);
}

void SplatExchange::pack_gradients(uint32_t step) {
  std::vector<int64_t> at(ranks_.size(), 0);
  for (size_t w = 0; w < windows_.size(); ++w) {
    if (windows_[w].rank != rank()) continue;
    const Drawn& drawn = drawn_[w];
    for (int r = 0; r < ranks_.size(); ++r) {
      if (r == rank()) continue;
      const uint32_t count = drawn.sizes[r].splats;
      const auto message = static_cast<uint32_t>(w * ranks_.size() + r);
      coding_->write_gradients({drawn.gradients.data() + drawn.begins[r], count}, {step, message},
                               gradients_sent_[r].data() + at[r]);
      at[r] += coding_->gradient_bytes(count);
    }
  }
}

void SplatExchange::add_gradients(Projections projections) {
  for (const std::unique_ptr<render::CpuProjection>& projection : projections) {
    for (const uint32_t i : projection->visible()) projection->splat_gradients()[i] = {};
  }
  std::vector<int64_t> at(ranks_.size(), 0);
  for (size_t w = 0; w < windows_.size(); ++w) {
    const int by = windows_[w].rank;
    const core::Array<uint32_t>& route = routes_[w];
    render::CpuSplatGradient* to = projections[windows_[w].view]->splat_gradients();
    if (by != rank()) {
      coding_->add_gradients(gradients_received_[by].data() + at[by], route.view(), to);
      at[by] += coding_->gradient_bytes(route.size());
      continue;
    }
    const Drawn& drawn = drawn_[w];
    // A Gaussian occurs once in a window's route, so threads never meet at one.
    pool_.parallel_for(route.size(), kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t k = begin; k < end; ++k) {
        render::add(drawn.gradients[drawn.begins[by] + k], to[route[k]]);
      }
    });
  }
}

}  // namespace tessera::models
