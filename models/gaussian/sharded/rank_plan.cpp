// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/rank_plan.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "core/evenly_spread.h"
#include "models/gaussian/model.h"
#include "models/gaussian/view_regions.h"

namespace tessera::models {
namespace {

// Views that are replayed for a number of ranks: more make the means surer, and take longer.
constexpr int kViewsReplayed = 64;
constexpr int kMostSteps = 8;
constexpr int64_t kViewsMeasured = 6;
constexpr int64_t kViewsShown = 256;  // before owners' boxes are cut

int steps_of(int batch) {
  return std::clamp(kViewsReplayed / batch, 1, kMostSteps);
}

int64_t times(int64_t count, double each) {
  return std::llround(each * static_cast<double>(count));
}

void scale(StepCounts& step, double each) {
  for (std::vector<int64_t>* counts : {&step.owned, &step.visible}) {
    for (int64_t& count : *counts) count = times(count, each);
  }
  for (std::vector<WindowCounts>& round : step.rounds) {
    for (WindowCounts& window : round) {
      for (SplatCount& count : window.splats) {
        count = {times(count.splats, each), times(count.outside, each)};
      }
      window.tile_pairs = times(window.tile_pairs, each);
      window.evaluated_pairs = times(window.evaluated_pairs, each);
    }
  }
}

// As large as `each` smaller ones would be together.
void shrink(core::GaussianCloud& cloud, double each) {
  const auto less = static_cast<float>(0.5 * std::log(each));
  for (int axis = 0; axis < 3; ++axis) {
    float* scales = cloud.plane(core::kLogScalePlane + axis);
    for (int64_t i = 0; i < cloud.size(); ++i) scales[i] -= less;
  }
}

void add(const StepEstimate& step, StepEstimate& to) {
  to.bytes_sent += step.bytes_sent;
  to.busiest_bytes_sent += step.busiest_bytes_sent;
  to.busiest_messages += step.busiest_messages;
  to.routed += step.routed;
  to.moved += step.moved;
  to.compute_s += step.compute_s;
  to.exchange_s += step.exchange_s;
  to.step_s += step.step_s;
  to.state_bytes = std::max(to.state_bytes, step.state_bytes);
  to.message_bytes = std::max(to.message_bytes, step.message_bytes);
  to.tile_bytes = std::max(to.tile_bytes, step.tile_bytes);
}

PlannedStep mean_of(StepEstimate sum, int steps, double alone_s, int ranks) {
  for (int64_t* count :
       {&sum.bytes_sent, &sum.busiest_bytes_sent, &sum.busiest_messages, &sum.routed, &sum.moved}) {
    *count /= steps;
  }
  for (double* seconds : {&sum.compute_s, &sum.exchange_s, &sum.step_s}) *seconds /= steps;
  return {sum, alone_s / (ranks * sum.step_s)};
}

class Planner {
 public:
  Planner(const PlanRequest& request, const core::GaussianCloud& cloud, double each,
          std::span<const core::PosedCamera> cameras, core::ThreadPool& pool)
      : request_(request),
        cloud_(cloud),
        each_(each),
        cameras_(cameras),
        coding_(make_message_coding(request.settings, pool)),
        replay_(cloud, cameras, request.settings, *coding_, pool),
        model_(request.model) {
    std::vector<int> views(cameras.size());
    std::iota(views.begin(), views.end(), 0);
    measured_ = core::evenly_spread(views, kViewsMeasured);
    costs_ = replay_.costs_of_showing(core::evenly_spread(views, kViewsShown));
    model_.planes = cloud.parameters.plane_count();
    model_.rates = measured_rates(cloud, cameras, measured_, request.settings, replay_);
  }

  const WorkRates& rates() const { return model_.rates; }

  int64_t most_visible() {
    int64_t most = 0;
    for (const int view : measured_) most = std::max(most, replay_.work(view).visible);
    return most;
  }

  template <class Told>
  RankPlanRow row(int ranks, const Told& told) {
    RankPlanRow row;
    row.ranks = ranks;
    row.batch = request_.batch > 0 ? request_.batch : ranks;
    row.steps = steps_of(row.batch);
    const TrafficReplay::Owners boxes = replay_.owners_by_boxes(ranks, costs_);
    const TrafficReplay::Owners random = replay_.owners_at_random(ranks);
    ViewOrder order =
        order_of_views(cameras_, scene_extent(cameras_), row.batch, request_.settings.seed);
    StepEstimate ours, rows;
    bool has_rows = true;
    StepModel in_turn = model_;
    in_turn.overlap = false;
    for (int s = 0; s < row.steps; ++s) {
      std::vector<int> views;
      views.reserve(row.batch);
      for (int k = 0; k < row.batch; ++k) views.push_back(order.view(int64_t{s} * row.batch + k));
      row.alone_s += alone(views) / row.steps;
      StepCounts step = replay_.step(views, Showing::kLater, ranks, boxes);
      row.partition = step.partition;
      scale(step, each_);
      add(estimate_step(model_, step, step_traffic(step, *coding_)), ours);
      if (std::optional<StepCounts> by_rows = replay_.row_step(views, ranks, random)) {
        scale(*by_rows, each_);
        add(estimate_step(in_turn, *by_rows, row_traffic(*by_rows)), rows);
      } else {
        has_rows = false;
      }
      told();
    }
    row.ours = mean_of(ours, row.steps, row.alone_s, ranks);
    if (has_rows) row.rows = mean_of(rows, row.steps, row.alone_s, ranks);
    return row;
  }

 private:
  double alone(std::span<const int> views) {
    std::vector<ViewWork> work;
    for (const int view : views) {
      ViewWork& of_view = work.emplace_back(replay_.work(view));
      of_view.visible = times(of_view.visible, each_);
      of_view.tile_pairs = times(of_view.tile_pairs, each_);
      for (int64_t& pairs : of_view.evaluated_per_tile) pairs = times(pairs, each_);
    }
    return seconds_alone(model_, work, times(cloud_.size(), each_));
  }

  const PlanRequest& request_;
  const core::GaussianCloud& cloud_;
  const double each_;
  const std::span<const core::PosedCamera> cameras_;
  const std::unique_ptr<MessageCoding> coding_;
  TrafficReplay replay_;
  StepModel model_;
  std::vector<int> measured_;  // views
  OwnershipCosts costs_;
};

}  // namespace

RankPlan plan_ranks(const PlanRequest& request, core::GaussianCloud cloud,
                    std::span<const core::PosedCamera> cameras, core::ThreadPool& pool,
                    const std::function<void(int64_t, int64_t)>& progress) {
  double each = 1;
  if (request.gaussians > cloud.size()) {
    each = static_cast<double>(request.gaussians) / static_cast<double>(cloud.size());
    shrink(cloud, each);
  }
  Planner planner(request, cloud, each, cameras, pool);
  int64_t done = 0, all = 0;
  for (const int ranks : request.ranks) all += steps_of(request.batch > 0 ? request.batch : ranks);
  RankPlan plan;
  plan.rates = planner.rates();
  plan.most_visible = planner.most_visible();
  for (const int ranks : request.ranks) {
    plan.rows.push_back(planner.row(ranks, [&] { progress(++done, all); }));
  }
  return plan;
}

}  // namespace tessera::models
