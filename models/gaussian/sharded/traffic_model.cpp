// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/traffic_model.h"

#include <utility>

#include "core/ssim.h"
#include "distributed/all_reduce.h"
#include "models/gaussian/photo_loss.h"
#include "models/gaussian/sharded/halo.h"
#include "models/gaussian/sharded/splat_exchange.h"

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
    for (int to = 0; to < ranks(); ++to) send_from_all(to, bytes);
  }
  void send_from_all(int to, int64_t bytes) {
    for (int from = 0; from < ranks(); ++from) send(from, to, bytes);
  }
  void all_reduce(size_t values, size_t value_bytes) {
    for (int r = 0; r < ranks(); ++r) {
      const distributed::SentMessages sent =
          distributed::sent_by_all_reduce(r, ranks(), values, value_bytes);
      traffic_.bytes[r] += sent.bytes;
      traffic_.messages[r] += sent.messages;
    }
  }
  const TagTraffic& traffic() const { return traffic_; }

 private:
  int ranks() const { return static_cast<int>(traffic_.bytes.size()); }

  TagTraffic traffic_;
};

std::string_view tag_of_agreement(Partition partition) {
  switch (partition) {
    case Partition::kWholeViews:
      return "visible splats";
    case Partition::kBalancedViews:
      return "view costs";
    case Partition::kBlocks:
      break;
  }
  return "tile costs";
}

// Blocks are cut, and their splats announced, round by round; others all together.
void count_agreements(const StepCounts& step, std::vector<TagTraffic>& all) {
  const bool in_blocks = step.partition == Partition::kBlocks;
  TagCounter partition(tag_of_agreement(step.partition), step.ranks());
  TagCounter sizes("splat counts", step.ranks()), loss("loss", step.ranks());
  for (const size_t numbers : step.agreements) partition.all_reduce(numbers, sizeof(int64_t));
  std::vector<int64_t> announced(step.ranks(), 0);  // windows, by rank that draws
  for (const std::vector<WindowCounts>& round : step.rounds) {
    for (const WindowCounts& window : round) ++announced[window.drawn.rank];
    if (in_blocks || &round == &step.rounds.back()) {
      for (int to = 0; to < step.ranks(); ++to) {
        sizes.send_from_all(to, std::exchange(announced[to], 0) * SplatExchange::kSizeBytes);
      }
    }
  }
  loss.all_reduce(step.pictures.size() * kPhotoLossTerms, sizeof(double));
  for (const TagCounter* counter : {&partition, &sizes, &loss}) all.push_back(counter->traffic());
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
