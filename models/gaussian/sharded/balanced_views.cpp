// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/balanced_views.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "models/gaussian/sharded/picture_strips.h"
#include "models/gaussian/sharded/view_assignment.h"

namespace tessera::models {
namespace {

constexpr int64_t kWorthwhile = 50;  // a cut wins more than the mean by this

int64_t sum(std::span<const int64_t> costs) {
  return std::accumulate(costs.begin(), costs.end(), int64_t{0});
}

// The views of one round, at most one of each rank.
class RoundBalance {
 public:
  // `view_of_rank`: -1 for none.
  RoundBalance(const CountedViews& views, std::span<const int> view_of_rank)
      : views_(views),
        kept_(view_of_rank.size()),
        loads_(view_of_rank.size(), 0),
        is_settled_(view_of_rank.size(), false) {
    const auto ranks = static_cast<int>(view_of_rank.size());
    for (int rank = 0; rank < ranks; ++rank) {
      const int view = view_of_rank[rank];
      if (view < 0) continue;
      kept_[rank] = {view, 0, static_cast<int>(views.strip_costs[view].size())};
      loads_[rank] = sum(views.strip_costs[view]);
    }
    mean_ = sum(loads_) / ranks;
    worthwhile_ = mean_ / kWorthwhile;
    while (true) {
      const int giver = dearest();
      if (giver < 0 || loads_[giver] - mean_ <= worthwhile_) break;
      is_settled_[giver] = !gives(giver);
    }
  }

  Round round() const {
    Round round;
    for (int rank = 0; rank < static_cast<int>(kept_.size()); ++rank) {
      if (kept_[rank].view >= 0) round.push_back(window_of(rank, kept_[rank]));
      for (const Given& given : given_) {
        if (given.to == rank) round.push_back(window_of(rank, given.strips));
      }
    }
    return round;
  }

 private:
  struct Strips {
    int view = -1;  // none
    int begin = 0, end = 0;
  };
  struct Given {
    int to;
    Strips strips;
  };

  int64_t room(int rank) const { return mean_ - loads_[rank]; }

  int dearest() const {
    int found = -1;
    for (int r = 0; r < static_cast<int>(loads_.size()); ++r) {
      if (is_settled_[r] || kept_[r].view < 0) continue;
      if (found < 0 || loads_[r] > loads_[found]) found = r;
    }
    return found;
  }

  bool has_part(int rank, int view) const {
    return std::any_of(given_.begin(), given_.end(), [&](const Given& given) {
      return given.to == rank && given.strips.view == view;
    });
  }

  // -1: none has room.
  int receiver(int giver) const {
    const int view = kept_[giver].view;
    const int64_t surplus = loads_[giver] - mean_;
    const auto is_better = [&](int a, int b) {
      const int64_t takes_a = std::min(room(a), surplus), takes_b = std::min(room(b), surplus);
      if (takes_a != takes_b) return takes_a > takes_b;
      return views_.visible[view][a] > views_.visible[view][b];
    };
    int found = -1;
    for (int r = 0; r < static_cast<int>(loads_.size()); ++r) {
      if (room(r) <= 0 || has_part(r, view)) continue;
      if (found < 0 || is_better(r, found)) found = r;
    }
    return found;
  }

  // Gives strips from that end of what the rank keeps whose cost comes nearest to what is wanted.
  bool gives(int giver) {
    const int to = receiver(giver);
    if (to < 0) return false;
    Strips& kept = kept_[giver];
    const std::vector<int64_t>& costs = views_.strip_costs[kept.view];
    const int64_t wanted = std::min(loads_[giver] - mean_, room(to));
    Strips best;
    int64_t best_cost = 0;
    const auto consider = [&](int begin, int end, int64_t cost) {
      if (best.view >= 0 && std::abs(cost - wanted) >= std::abs(best_cost - wanted)) return;
      best = {kept.view, begin, end};
      best_cost = cost;
    };
    int64_t front = 0, back = 0;
    for (int count = 1; count < kept.end - kept.begin; ++count) {
      front += costs[kept.begin + count - 1];
      back += costs[kept.end - count];
      consider(kept.begin, kept.begin + count, front);
      consider(kept.end - count, kept.end, back);
    }
    const int64_t most = std::max(loads_[giver] - best_cost, loads_[to] + best_cost);
    if (best.view < 0 || loads_[giver] - most <= worthwhile_) return false;
    (best.begin == kept.begin ? kept.begin : kept.end) =
        best.begin == kept.begin ? best.end : best.begin;
    loads_[giver] -= best_cost;
    loads_[to] += best_cost;
    given_.push_back({to, best});
    return true;
  }

  DrawnWindow window_of(int rank, const Strips& strips) const {
    const PictureStrips all(views_.pictures[strips.view]);
    return {rank, strips.view, all.window(strips.begin, strips.end)};
  }

  const CountedViews& views_;
  std::vector<Strips> kept_;  // by rank, of its own view
  std::vector<Given> given_;
  std::vector<int64_t> loads_;    // by rank
  std::vector<bool> is_settled_;  // ranks that give no more
  int64_t mean_ = 0;
  int64_t worthwhile_ = 0;
};

}  // namespace

std::vector<Round> balanced_views(const CountedViews& views, std::span<const int> rank_of_view,
                                  int ranks) {
  std::vector<int64_t> costs;
  for (const std::vector<int64_t>& strips : views.strip_costs) costs.push_back(sum(strips));
  std::vector<int> by_cost(costs.size());
  std::iota(by_cost.begin(), by_cost.end(), 0);
  std::stable_sort(by_cost.begin(), by_cost.end(),
                   [&](int a, int b) { return costs[a] > costs[b]; });
  std::vector<std::vector<int>> view_of_rank;  // by round
  std::vector<size_t> drawn(ranks, 0);
  for (const int view : by_cost) {
    const int rank = rank_of_view[view];
    const size_t round = drawn[rank]++;
    if (round == view_of_rank.size()) view_of_rank.emplace_back(ranks, -1);
    view_of_rank[round][rank] = view;
  }
  std::vector<Round> rounds;
  rounds.reserve(view_of_rank.size());
  for (const std::vector<int>& of_round : view_of_rank) {
    rounds.push_back(RoundBalance(views, of_round).round());
  }
  return rounds;
}

std::vector<Round> rounds_of(Partition partition, const CountedViews& views, int ranks) {
  const std::vector<int> rank_of_view = assign_views(views.visible, ranks);
  if (partition == Partition::kWholeViews) return whole_views(views.pictures, rank_of_view, ranks);
  return balanced_views(views, rank_of_view, ranks);
}

}  // namespace tessera::models
