// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/traffic_model.h"

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
    for (int from = 0; from < ranks(); ++from) {
      for (int to = 0; to < ranks(); ++to) send(from, to, bytes);
    }
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

// Blocks are cut, and their splats announced, round by round; whole views all together.
void count_agreements(const StepCounts& step, std::vector<TagTraffic>& all) {
  const bool in_blocks = step.partition == Partition::kBlocks;
  TagCounter partition(in_blocks ? "tile costs" : "visible splats", step.ranks());
  TagCounter sizes("splat counts", step.ranks()), loss("loss", step.ranks());
  const auto rounds = static_cast<int64_t>(step.rounds.size());
  if (in_blocks) {
    for (const int64_t numbers : step.cost_numbers) {
      partition.all_reduce(static_cast<size_t>(numbers), sizeof(int64_t));
      sizes.send_to_all(SplatExchange::kSizeBytes);
    }
  } else {
    partition.all_reduce(step.pictures.size() * step.owned.size(), sizeof(int64_t));
    sizes.send_to_all(rounds * SplatExchange::kSizeBytes);
  }
  loss.all_reduce(step.pictures.size() * kPhotoLossTerms, sizeof(double));
  for (const TagCounter* counter : {&partition, &sizes, &loss}) all.push_back(counter->traffic());
}

void count_splats(const StepCounts& step, const MessageCoding& coding,
                  std::vector<TagTraffic>& all) {
  TagCounter splats("splats", step.ranks()), gradients("splat gradients", step.ranks());
  for (const std::vector<WindowCounts>& round : step.rounds) {
    for (int by = 0; by < step.ranks(); ++by) {
      for (size_t owner = 0; owner < round[by].splats.size(); ++owner) {
        const SplatCount& count = round[by].splats[owner];
        const auto of = static_cast<int>(owner);
        splats.send(of, by, coding.splat_bytes(count.splats, count.outside));
        gradients.send(by, of, coding.gradient_bytes(count.splats));
      }
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
    const core::PixelWindow& picture = step.pictures[windows.front().view];
    for (const Seam& seam : seams_of(windows, picture, core::kSsimReach)) {
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
  if (step.partition == Partition::kBlocks) count_halo(step, all);
  return all;
}

std::vector<TagTraffic> row_traffic(const StepCounts& step) {
  constexpr int64_t kSplatBytes = 44, kGradientBytes = 36, kCountBytes = 4;
  const int ranks = step.ranks();
  TagCounter counts("splat counts", ranks), splats("splats", ranks);
  TagCounter gradients("splat gradients", ranks);
  counts.send_to_all(kCountBytes * static_cast<int64_t>(step.pictures.size()));
  for (int by = 0; by < ranks; ++by) {
    std::vector<int64_t> of_owner(ranks, 0);
    for (const std::vector<WindowCounts>& round : step.rounds) {
      for (size_t owner = 0; owner < round[by].splats.size(); ++owner) {
        of_owner[owner] += round[by].splats[owner].splats;
      }
    }
    for (int owner = 0; owner < ranks; ++owner) {
      splats.send(owner, by, kSplatBytes * of_owner[owner]);
      gradients.send(by, owner, kGradientBytes * of_owner[owner]);
    }
  }
  return {counts.traffic(), splats.traffic(), gradients.traffic()};
}

}  // namespace tessera::models
