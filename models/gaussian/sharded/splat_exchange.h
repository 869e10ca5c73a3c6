// Splats from the ranks that own Gaussians to the ranks that draw the pixels they touch, and their
// gradients back.
//
// Zhao et al., "On Scaling Up 3D Gaussian Splatting Training", 2024. A splat goes to each rank
// whose window its bounding box reaches; what a rank draws of its own Gaussians is not sent.
// message_coding.h says how they are written. Gradients are added in the order of the windows, so
// every run gives the same bits.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/array.h"
#include "core/gaussian_cloud.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"
#include "models/gaussian/sharded/drawn_window.h"
#include "models/gaussian/sharded/message_coding.h"
#include "render/gaussian/backends/cpu_blending.h"
#include "render/gaussian/backends/cpu_projection.h"

namespace tessera::models {

class SplatExchange {
 public:
  using Projections = std::span<const std::unique_ptr<render::CpuProjection>>;  // one per view

  // `ranks` and `pool` must outlive it.
  SplatExchange(distributed::Communicator& ranks, core::ThreadPool& pool,
                std::unique_ptr<MessageCoding> coding)
      : ranks_(ranks), pool_(pool), coding_(std::move(coding)) {}

  // Collective. `windows` are the same on all ranks; those of a view in the order of ranks.
  void send_splats(const core::GaussianCloud& cloud, Projections projections,
                   std::span<const DrawnWindow> windows);

  // The splats of a window that this rank draws, all ranks' in the order of ranks, and where their
  // gradients go: valid until the next send_splats.
  render::CpuSplatList splats(int window) const;
  render::CpuSplatGradient* gradients(int window) { return drawn_[window].gradients.data(); }

  // Collective. Sets the projections' splat gradients of all visible Gaussians. `step`: photos seen
  // before it, which no other step of the run shares.
  void return_gradients(Projections projections, uint32_t step);

  // Of the last step on this rank: splats of its Gaussians that some window got, each counted once
  // per window, and how many of them went to another rank.
  int64_t routed() const { return routed_; }
  int64_t moved() const { return moved_; }
  // Of those that went, how many have a center outside of what their coding has room for; and into
  // how many messages that were not empty they went.
  int64_t outside() const { return outside_; }
  int64_t messages() const { return messages_; }

 private:
  // Of a window's route on one rank.
  struct RouteSize {
    uint32_t splats = 0;
    uint32_t outside = 0;
  };
  // What a window that this rank draws has got.
  struct Drawn {
    std::vector<RouteSize> sizes;  // [ranks]
    std::vector<int64_t> begins;   // [ranks + 1]
    core::Array<render::CpuSplat> splats;
    core::Array<uint64_t> ids;  // tie keys
    core::Array<uint32_t> which;
    core::Array<render::CpuSplatGradient> gradients;
  };

  void route(Projections projections);
  void exchange_counts();
  void make_room();
  void pack(const core::GaussianCloud& cloud, Projections projections);
  void unpack(const core::GaussianCloud& cloud, Projections projections);
  void pack_gradients(uint32_t step);
  void add_gradients(Projections projections);
  int rank() const { return ranks_.rank(); }
  int64_t splat_bytes(const RouteSize& size) const {
    return coding_->splat_bytes(size.splats, size.outside);
  }

  distributed::Communicator& ranks_;
  core::ThreadPool& pool_;
  const std::unique_ptr<MessageCoding> coding_;

  std::vector<DrawnWindow> windows_;
  std::vector<core::Array<uint32_t>> routes_;  // per window: indices of this rank's Gaussians
  std::vector<RouteSize> route_sizes_;         // per window
  std::vector<Drawn> drawn_;                   // per window; empty for those of other ranks
  // Per rank, the windows in turn.
  std::vector<core::Array<std::byte>> sent_, received_;
  std::vector<core::Array<std::byte>> gradients_sent_, gradients_received_;
  int64_t routed_ = 0;
  int64_t moved_ = 0;
  int64_t outside_ = 0;
  int64_t messages_ = 0;
};

}  // namespace tessera::models
