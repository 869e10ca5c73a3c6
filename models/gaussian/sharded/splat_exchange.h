// Splats from the ranks that own Gaussians to the ranks that draw the pixels they touch, and their
// gradients back, round by round.
//
// Zhao et al., "On Scaling Up 3D Gaussian Splatting Training", 2024. A splat goes to each window
// that its bounding box reaches; what a rank draws of its own Gaussians is not sent.
// message_coding.h says how they are written; what one rank has for all windows of another travels
// together. Gradients are added in the order of ranks, so every run gives the same bits, whatever
// was under way when. Of a step with rounds 0 to n the order is
//
//   start_splats(0), then for each k: start_splats(k + 1), finish_splats(k), [round k is drawn],
//   start_gradients(k), finish_gradients(k - 1); at last finish_gradients(n)
//
// so buffers are for two rounds, however many a step has.
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
#include "models/gaussian/sharded/message_coding.h"
#include "models/gaussian/sharded/round.h"
#include "render/gaussian/backends/cpu_blending.h"
#include "render/gaussian/backends/cpu_projection.h"

namespace tessera::models {

class SplatExchange {
 public:
  using Projections = std::span<const std::unique_ptr<render::CpuProjection>>;  // one per view

  // What a rank tells another one of what it has for a window.
  static constexpr int64_t kSizeBytes = 8;

  // `ranks` and `pool` must outlive it. Without `overlap` each start waits until all is there: the
  // same bits, for measuring and for finding faults.
  SplatExchange(distributed::Communicator& ranks, core::ThreadPool& pool,
                std::unique_ptr<MessageCoding> coding, bool overlap)
      : ranks_(ranks), pool_(pool), coding_(std::move(coding)), overlap_(overlap) {}

  // A step without rounds yet. Cloud and projections must stay until its last round is finished.
  // `step`: photos seen before it, which no other step of the run shares.
  void begin(const core::GaussianCloud& cloud, Projections projections, uint32_t step);

  // Collective. Further rounds, whose views are projected by now; ranks tell each other how much
  // there will be.
  void route(std::span<const Round> rounds);

  // Collective. Rounds are numbered as they were routed. What is started leaves at once; finishing
  // splats gives splats(), finishing gradients sets the projections' splat gradients of all visible
  // Gaussians of the round's views.
  void start_splats(int round);
  void finish_splats(int round);
  void start_gradients(int round);
  void finish_gradients(int round);

  // The splats of the k-th window that this rank draws in the round that was finished last, all
  // ranks' in the order of ranks.
  render::CpuSplatList splats(size_t k) const {
    const std::vector<int64_t>& begins = rounds_[drawn_].begins;
    const int64_t first = begins[k];
    return {splats_.data() + first, ids_.data() + first, {which_.data(), begins[k + 1] - first}};
  }
  // Where their gradients go, to be filled before start_gradients(round).
  render::CpuSplatGradient* gradients(int round, size_t k) {
    return gradients_[round % 2].data() + rounds_[round].begins[k];
  }

  // Moves what is under way as far as it goes without waiting: some backends move nothing by
  // themselves.
  void poll();

  // Of the step on this rank: splats of its Gaussians that some window got, each counted once per
  // window, and how many of them went to another rank.
  int64_t routed() const { return routed_; }
  int64_t moved() const { return moved_; }
  // Of those that went, how many have a center outside of what their coding has room for; and how
  // many messages that are not empty their coding made of them.
  int64_t outside() const { return outside_; }
  int64_t messages() const { return messages_; }

 private:
  // Of what one rank has for a window.
  struct RouteSize {
    uint32_t splats = 0;
    uint32_t outside = 0;
  };
  static_assert(sizeof(RouteSize) == kSizeBytes);
  struct Routed {
    Round windows;
    size_t first_own = 0;                       // of this rank's windows
    std::vector<core::Array<uint32_t>> routes;  // by window: this rank's Gaussians in it
    std::vector<RouteSize> leaving;             // by window: of these
    // By window of this rank: of each rank's, and where they begin among all that it draws.
    std::vector<std::vector<RouteSize>> coming;
    std::vector<int64_t> begins;  // and the end

    std::span<const DrawnWindow> own() const {
      return std::span(windows).subspan(first_own, coming.size());
    }
  };
  // Messages of a round: one to and from each rank.
  struct Messages {
    std::vector<core::Array<std::byte>> sent, received;
    distributed::Handle under_way;
  };

  int rank() const { return ranks_.rank(); }
  void find_routes(std::span<Routed> rounds);
  void count(const Routed& round);
  void exchange_sizes(std::span<Routed> rounds);
  void start(std::string_view tag, Messages& messages);
  void make_room(std::span<const int64_t> leaving, std::span<const int64_t> coming,
                 Messages& messages) const;
  void copy_own(const Routed& round, size_t k, int64_t first);
  void add_own(const Routed& round, size_t k, const render::CpuSplatGradient* gradients,
               render::CpuSplatGradient* to);
  uint32_t message_number(int view, int drawn_by, int owned_by) const {
    return static_cast<uint32_t>((view * ranks_.size() + drawn_by) * ranks_.size() + owned_by);
  }

  distributed::Communicator& ranks_;
  core::ThreadPool& pool_;
  const std::unique_ptr<MessageCoding> coding_;
  const bool overlap_;

  // Of the step.
  const core::GaussianCloud* cloud_ = nullptr;
  Projections projections_;
  uint32_t step_ = 0;
  int round_count_ = 0;
  std::vector<Routed> rounds_;  // the first round_count_ of them

  // What this rank draws of a round, window by window.
  int drawn_ = 0;  // the round
  core::Array<render::CpuSplat> splats_;
  core::Array<uint64_t> ids_;    // tie keys
  core::Array<uint32_t> which_;  // 0, 1, 2, ..., as many as were ever drawn at once

  // Of a round and the one after it.
  core::Array<render::CpuSplatGradient> gradients_[2];
  Messages splat_messages_[2], gradient_messages_[2];

  int64_t routed_ = 0;
  int64_t moved_ = 0;
  int64_t outside_ = 0;
  int64_t messages_ = 0;
};

}  // namespace tessera::models
