// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/splat_exchange.h"

#include <cstring>
#include <numeric>

namespace tessera::models {
namespace {

constexpr int64_t kGrain = 2048;  // splats packed at a time

template <class T>
std::vector<std::span<const std::byte>> bytes_to_send(const std::vector<core::Array<T>>& arrays) {
  std::vector<std::span<const std::byte>> spans;
  spans.reserve(arrays.size());
  for (const core::Array<T>& array : arrays) {
    spans.push_back(std::as_bytes(std::span(array.data(), static_cast<size_t>(array.size()))));
  }
  return spans;
}

template <class T>
std::vector<std::span<std::byte>> room_for_bytes(std::vector<core::Array<T>>& arrays) {
  std::vector<std::span<std::byte>> spans;
  spans.reserve(arrays.size());
  for (core::Array<T>& array : arrays) {
    spans.push_back(
        std::as_writable_bytes(std::span(array.data(), static_cast<size_t>(array.size()))));
  }
  return spans;
}

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
  pack(cloud, projections);
  ranks_.all_to_all_v("splats", bytes_to_send(sent_), room_for_bytes(received_)).wait();
  unpack(cloud, projections);
}

void SplatExchange::route(Projections projections) {
  routes_.resize(windows_.size());
  routed_ = moved_ = 0;
  pool_.parallel_for(static_cast<int64_t>(windows_.size()), 1,
                     [&](int64_t begin, int64_t end, int /*thread*/) {
                       for (int64_t w = begin; w < end; ++w) {
                         const DrawnWindow& drawn = windows_[w];
                         const render::CpuProjection& from = *projections[drawn.view];
                         routes_[w].clear();
                         if (drawn.window.empty()) continue;
                         for (const uint32_t i : from.visible()) {
                           if (render::reaches(from.splats()[i], drawn.window)) {
                             routes_[w].push_back(i);
                           }
                         }
                       }
                     });
  for (size_t w = 0; w < windows_.size(); ++w) {
    routed_ += routes_[w].size();
    if (windows_[w].rank != rank()) moved_ += routes_[w].size();
  }
}

// Each rank tells each other how many splats it has for each of that one's windows.
void SplatExchange::exchange_counts() {
  const int size = ranks_.size();
  std::vector<core::Array<int64_t>> told(size), heard(size);
  int64_t own_windows = 0;
  for (size_t w = 0; w < windows_.size(); ++w) {
    told[windows_[w].rank].push_back(routes_[w].size());
    own_windows += windows_[w].rank == rank() ? 1 : 0;
  }
  for (core::Array<int64_t>& counts : heard) counts.resize(own_windows);
  std::vector<int64_t> to_send(size, 0), to_get(size, 0);
  for (int r = 0; r < size; ++r) to_send[r] = std::accumulate(told[r].begin(), told[r].end(), 0L);
  heard[rank()] = told[rank()];
  told[rank()].clear();
  core::Array<int64_t> own = heard[rank()];
  heard[rank()].clear();
  ranks_.all_to_all_v("splat counts", bytes_to_send(told), room_for_bytes(heard)).wait();
  heard[rank()] = own;

  drawn_.resize(windows_.size());
  int64_t number = 0;  // among this rank's windows
  for (size_t w = 0; w < windows_.size(); ++w) {
    Drawn& drawn = drawn_[w];
    drawn.begins.assign(size + 1, 0);
    if (windows_[w].rank != rank()) continue;
    for (int r = 0; r < size; ++r) {
      drawn.begins[r + 1] = drawn.begins[r] + heard[r][number];
      to_get[r] += heard[r][number];
    }
    ++number;
  }
  resize_each(sent_, to_send, rank());
  resize_each(received_, to_get, rank());
  const int64_t floats = format_.floats();
  for (int64_t& count : to_send) count *= floats;
  for (int64_t& count : to_get) count *= floats;
  resize_each(gradients_sent_, to_get, rank());
  resize_each(gradients_received_, to_send, rank());
}

void SplatExchange::pack(const core::GaussianCloud& cloud, Projections projections) {
  std::vector<int64_t> at(ranks_.size(), 0);
  for (size_t w = 0; w < windows_.size(); ++w) {
    const int to = windows_[w].rank;
    if (to == rank()) continue;
    const core::Array<uint32_t>& route = routes_[w];
    const render::CpuSplat* splats = projections[windows_[w].view]->splats();
    render::SplatMessage* messages = sent_[to].data() + at[to];
    pool_.parallel_for(route.size(), kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t k = begin; k < end; ++k) {
        messages[k] = render::message_of(splats[route[k]], cloud.ids[route[k]]);
      }
    });
    at[to] += route.size();
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
      const int64_t count = drawn.begins[r + 1] - first;
      const core::Array<uint32_t>& route = routes_[w];
      const render::CpuSplat* own = projections[windows_[w].view]->splats();
      const render::SplatMessage* messages = received_[r].data() + at[r];
      pool_.parallel_for(count, kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
        for (int64_t k = begin; k < end; ++k) {
          const bool here = r == rank();
          drawn.splats[first + k] = here ? own[route[k]] : render::splat_of(messages[k]);
          drawn.ids[first + k] = here ? cloud.ids[route[k]] : messages[k].tie_key;
        }
      });
      at[r] += count;
    }
  }
}

render::CpuSplatList SplatExchange::splats(int window) const {
  const Drawn& drawn = drawn_[window];
  return {drawn.splats.data(), drawn.ids.data(), drawn.which.view()};
}

void SplatExchange::return_gradients(Projections projections) {
  const int floats = format_.floats();
  std::vector<int64_t> at(ranks_.size(), 0);
  for (size_t w = 0; w < windows_.size(); ++w) {
    if (windows_[w].rank != rank()) continue;
    const Drawn& drawn = drawn_[w];
    for (int r = 0; r < ranks_.size(); ++r) {
      const int64_t count = drawn.begins[r + 1] - drawn.begins[r];
      if (r == rank()) continue;
      const render::CpuSplatGradient* from = drawn.gradients.data() + drawn.begins[r];
      float* to = gradients_sent_[r].data() + at[r] * floats;
      pool_.parallel_for(count, kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
        for (int64_t k = begin; k < end; ++k) format_.pack(from[k], to + k * floats);
      });
      at[r] += count;
    }
  }
  ranks_
      .all_to_all_v("splat gradients", bytes_to_send(gradients_sent_),
                    room_for_bytes(gradients_received_))
      .wait();
  for (const std::unique_ptr<render::CpuProjection>& projection : projections) {
    for (const uint32_t i : projection->visible()) projection->splat_gradients()[i] = {};
  }
  std::fill(at.begin(), at.end(), 0);
  for (size_t w = 0; w < windows_.size(); ++w) {
    const int by = windows_[w].rank;
    const core::Array<uint32_t>& route = routes_[w];
    render::CpuSplatGradient* to = projections[windows_[w].view]->splat_gradients();
    const Drawn& drawn = drawn_[w];
    const float* from = gradients_received_[by].data() + at[by] * floats;
    // A Gaussian occurs once in a window's route, so threads never meet at one.
    pool_.parallel_for(route.size(), kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t k = begin; k < end; ++k) {
        if (by == rank()) {
          render::add(drawn.gradients[drawn.begins[by] + k], to[route[k]]);
        } else {
          format_.add(from + k * floats, to[route[k]]);
        }
      }
    });
    at[by] += route.size();
  }
}

}  // namespace tessera::models
