// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/ownership.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <type_traits>

#include "distributed/array_bytes.h"
#include "distributed/grid_partition.h"

namespace tessera::models {
namespace {

// One Gaussian as a row of words: its id, then all planes.
class StateRow {
 public:
  explicit StateRow(GaussianState& state)
      : ids_(state.cloud.ids),
        planes_{&state.cloud.parameters, &state.first_moments, &state.second_moments,
                &state.statistics} {}

  int64_t words() const {
    int64_t words = 2;
    for (const core::Planes* planes : planes_) words += planes->plane_count();
    return words;
  }

  void write(int64_t i, uint32_t* to) const {
    *to++ = static_cast<uint32_t>(ids_[i]);
    *to++ = static_cast<uint32_t>(ids_[i] >> 32);
    for (const core::Planes* planes : planes_) {
      for (int p = 0; p < planes->plane_count(); ++p) {
        *to++ = std::bit_cast<uint32_t>(planes->plane(p)[i]);
      }
    }
  }

  void read(const uint32_t* from, int64_t i) {
    ids_[i] = uint64_t{from[0]} | uint64_t{from[1]} << 32;
    from += 2;
    for (core::Planes* planes : planes_) {
      for (int p = 0; p < planes->plane_count(); ++p) {
        planes->plane(p)[i] = std::bit_cast<float>(*from++);
      }
    }
  }

  // Keeps the first of each array; further ones are to be read.
  void resize(int64_t size) {
    ids_.resize(size);
    for (core::Planes* planes : planes_) planes->resize(size);
  }

 private:
  core::Array<uint64_t>& ids_;
  std::array<core::Planes*, 4> planes_;
};

}  // namespace

Ownership::Ownership(distributed::Communicator& ranks, std::vector<int64_t> costs) {
  ranks.all_reduce("ownership", distributed::Reduction::kSum, std::span(costs));
  *this = Ownership(costs, ranks.size());
}

Ownership::Ownership(std::span<const int64_t> costs, int ranks) {
  constexpr int kCells = SpaceGrid::kCells;
  const std::vector<distributed::CellBox> boxes =
      distributed::cut_grid(costs, {kCells, kCells, kCells}, ranks);
  owners_ = distributed::boxes_of_cells(boxes, {kCells, kCells, kCells});
}

int64_t move_to_owners(distributed::Communicator& ranks, const Ownership& ownership,
                       const SpaceGrid& grid, GaussianState& state, core::ThreadPool& pool) {
  const int self = ranks.rank(), size = ranks.size();
  std::vector<int64_t> kept;
  std::vector<std::vector<int64_t>> leaving(size);
  for (int64_t i = 0; i < state.size(); ++i) {
    const int owner = ownership.owner(grid.cell(state.cloud, i));
    (owner == self ? kept : leaving[owner]).push_back(i);
  }
  StateRow row(state);
  const int64_t words = row.words();
  std::vector<core::Array<uint32_t>> sent(size), received(size);
  std::vector<int64_t> counts(size, 0);
  int64_t left = 0;
  for (int r = 0; r < size; ++r) {
    counts[r] = static_cast<int64_t>(leaving[r].size());
    left += counts[r];
    sent[r].resize(counts[r] * words);
    for (int64_t k = 0; k < counts[r]; ++k) row.write(leaving[r][k], sent[r].data() + k * words);
  }
  const std::vector<int64_t> coming = ranks.exchange_counts("moved Gaussians", counts);
  int64_t arriving = 0;
  for (int r = 0; r < size; ++r) {
    arriving += coming[r];
    received[r].resize(coming[r] * words);
  }
  ranks.all_to_all_v("moved Gaussians", distributed::bytes_of(sent), distributed::room_of(received))
      .wait();
  if (left > 0) keep(state, kept, pool);
  int64_t at = state.size();
  row.resize(at + arriving);
  for (int r = 0; r < size; ++r) {
    for (int64_t k = 0; k < coming[r]; ++k) row.read(received[r].data() + k * words, at++);
  }
  return left;
}

void keep_share(GaussianState& state, const distributed::Communicator& ranks,
                core::ThreadPool& pool) {
  if (ranks.size() == 1) return;
  const IndexRange share = share_of(state.size(), ranks.rank(), ranks.size());
  std::vector<int64_t> kept(share.end - share.begin);
  std::iota(kept.begin(), kept.end(), share.begin);
  keep(state, kept, pool);
}

core::GaussianCloud gather_cloud(distributed::Communicator& ranks, const core::GaussianCloud& own) {
  if (ranks.size() == 1) return own;
  const std::vector<int64_t> counts = ranks.all_gather("gathered cloud", own.size());
  core::GaussianCloud cloud(own.sh_degree, 0);
  if (ranks.rank() == 0) {
    cloud = core::GaussianCloud(own.sh_degree,
                                std::accumulate(counts.begin(), counts.end(), int64_t{0}));
  }
  std::vector<distributed::Send> sends;
  std::vector<distributed::Receive> receives;
  const auto add = [&](const auto* from, auto* to) {
    using Value = std::remove_cvref_t<decltype(*from)>;
    sends.push_back({0, std::as_bytes(std::span<const Value>(from, own.size()))});
    if (ranks.rank() != 0) return;
    for (int r = 0; r < ranks.size(); ++r) {
      receives.push_back({r, std::as_writable_bytes(std::span<Value>(to, counts[r]))});
      to += counts[r];
    }
  };
  add(own.ids.data(), cloud.ids.data());
  for (int p = 0; p < own.parameters.plane_count(); ++p) add(own.plane(p), cloud.plane(p));
  ranks.start("gathered cloud", sends, receives).wait();
  return cloud;
}

double imbalance(distributed::Communicator& ranks, int64_t own) {
  const std::vector<int64_t> costs = ranks.all_gather("imbalance", own);
  const int64_t total = std::accumulate(costs.begin(), costs.end(), int64_t{0});
  if (total == 0) return 1;
  const int64_t most = *std::max_element(costs.begin(), costs.end());
  return static_cast<double>(most) * ranks.size() / static_cast<double>(total);
}

}  // namespace tessera::models
