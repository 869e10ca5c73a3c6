// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/traffic_model.h"

#include <span>
#include <utility>

#include "core/ssim.h"
#include "distributed/all_gather.h"
#include "distributed/all_reduce.h"
#include "models/gaussian/photo_loss.h"
#include "models/gaussian/sharded/splat_exchange.h"
#include "models/windows/halo.h"

namespace tessera::models {
namespace {

constexpr int64_t kHaloPixelBytes = 3 * sizeof(float);

class TagCounter {
 public:
  TagCounter(std::string_view tag, int ranks)
      : traffic_{tag, std::vector<int64_t>(ranks, 0), std::vector<int64_t>(ranks, 0)} {}

  void send(int from, int to, int64_t bytes) {
    if (from == to || bytes == 0) return;
    traffic_.bytes[from] += bytes;
    ++traffic_.messages[from];
  }
  void send_to_all(int64_t bytes) {
    for (int from = 0; from < ranks(); ++from) {
      for (int to = 0; to < ranks(); ++to) send(from, to, bytes);
    }
  }
  void add_up(size_t whole_numbers) {
    for (int r = 0; r < ranks(); ++r) {
      add(r, distributed::sent_by_all_reduce(r, ranks(), whole_numbers, sizeof(int64_t), true));
    }
  }
  void gather(std::span<const size_t> sizes) {
    for (int r = 0; r < ranks(); ++r) add(r, distributed::sent_by_all_gather_few(r, sizes));
  }
  void gather(size_t bytes_of_each) { gather(std::vector<size_t>(ranks(), bytes_of_each)); }
  const TagTraffic& traffic() const { return traffic_; }

 private:
  int ranks() const { return static_cast<int>(traffic_.bytes.size()); }
  void add(int from, const distributed::SentMessages& sent) {
    traffic_.bytes[from] += sent.bytes;
    traffic_.messages[from] += sent.messages;
  }

  TagTraffic traffic_;
};

// Blocks are cut, and their splats announced, round by round; others all together.
void count_agreements(const StepCounts& step, std::vector<TagTraffic>& all) {
  const bool in_blocks = step.partition == Partition::kBlocks;
  TagCounter visible("visible splats", step.ranks()), costs("tile costs", step.ranks());
  TagCounter sizes("splat counts", step.ranks()), loss("loss", step.ranks());
  if (!in_blocks) visible.gather(step.pictures.size() * sizeof(int64_t));
  for (const size_t numbers : step.cost_numbers) costs.add_up(numbers);
  size_t announced = 0;  // windows
  std::vector<size_t> term_bytes(step.ranks(), 0);
  for (const std::vector<WindowCounts>& round : step.rounds) {
    announced += round.size();
    if (in_blocks || &round == &step.rounds.back()) {
      sizes.gather(std::exchange(announced, 0) * SplatExchange::kSizeBytes);
    }
    for (const WindowCounts& window : round) {
      term_bytes[window.drawn.rank] += sizeof(PhotoLossTerms);
    }
  }
  loss.gather(term_bytes);
  if (!in_blocks) all.push_back(visible.traffic());
  if (!step.cost_numbers.empty()) all.push_back(costs.traffic());
  all.push_back(sizes.traffic());
  all.push_back(loss.traffic());
}

// What one rank has for all windows of another in a round is a message.
void count_splats(const StepCounts& step, const MessageCoding& coding,
                  std::vector<TagTraffic>& all) {
  TagCounter splats("splats", step.ranks()), gradients("splat gradients", step.ranks());
  const auto ranks = static_cast<size_t>(step.ranks());
  for (const std::vector<WindowCounts>& round : step.rounds) {
    std::vector<int64_t> there(ranks * ranks, 0), back(ranks * ranks, 0);
    for (const WindowCounts& window : round) {
      for (size_t owner = 0; owner < ranks; ++owner) {
        const SplatCount& count = window.splats[owner];
        const size_t pair = window.drawn.rank * ranks + owner;
        there[pair] += coding.splat_bytes(count.splats, count.outside);
        back[pair] += coding.gradient_bytes(count.splats);
      }
    }
    for (size_t pair = 0; pair < there.size(); ++pair) {
      const int by = static_cast<int>(pair / ranks), owner = static_cast<int>(pair % ranks);
      splats.send(owner, by, there[pair]);
      gradients.send(by, owner, back[pair]);
    }
  }
  all.push_back(splats.traffic());
  all.push_back(gradients.traffic());
}

void count_halo(const StepCounts& step, std::vector<TagTraffic>& all) {
  TagCounter halo("halo", step.ranks());
  for (const std::vector<WindowCounts>& round : step.rounds) {
    Round windows;
    for (const WindowCounts& window : round) windows.push_back(window.drawn);
    for (const Seam& seam : seams_of(windows, step.pictures, core::kSsimReach)) {
      halo.send(seam.from, seam.to,
                kHaloPixelBytes * int64_t{seam.pixels.width} * seam.pixels.height);
    }
  }
  all.push_back(halo.traffic());
}

}  // namespace

std::vector<TagTraffic> step_traffic(const StepCounts& step, const MessageCoding& coding) {
  std::vector<TagTraffic> all;
  count_agreements(step, all);
  count_splats(step, coding, all);
  if (step.partition != Partition::kWholeViews) count_halo(step, all);
  return all;
}

std::vector<TagTraffic> row_traffic(const StepCounts& step) {
  constexpr int64_t kSplatBytes = 44, kGradientBytes = 36, kCountBytes = 4;
  const int ranks = step.ranks();
  TagCounter counts("splat counts", ranks), splats("splats", ranks);
  TagCounter gradients("splat gradients", ranks);
  counts.send_to_all(kCountBytes * static_cast<int64_t>(step.pictures.size()));
  std::vector<std::vector<int64_t>> routed(ranks, std::vector<int64_t>(ranks, 0));
  for (const std::vector<WindowCounts>& round : step.rounds) {
    for (const WindowCounts& window : round) {
      for (int owner = 0; owner < ranks; ++owner) {
        routed[window.drawn.rank][owner] += window.splats[owner].splats;
      }
    }
  }
  for (int by = 0; by < ranks; ++by) {
    for (int owner = 0; owner < ranks; ++owner) {
      splats.send(owner, by, kSplatBytes * routed[by][owner]);
      gradients.send(by, owner, kGradientBytes * routed[by][owner]);
    }
  }
  return {counts.traffic(), splats.traffic(), gradients.traffic()};
}

}  // namespace tessera::models
