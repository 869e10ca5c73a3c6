// SPDX-License-Identifier: MIT
#include "models/gaussian/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/math/rng.h"
#include "models/gaussian/camera_corrections.h"
#include "models/gaussian/checkpoint.h"
#include "models/gaussian/common_view.h"
#include "models/gaussian/densify/densify.h"
#include "models/gaussian/model.h"
#include "models/gaussian/optimizer.h"
#include "models/gaussian/schedule.h"
#include "models/gaussian/sharded/rebalancer.h"
#include "models/gaussian/sharded/sharded_pass.h"
#include "models/gaussian/stage_clock.h"
#include "models/gaussian/train_start.h"
#include "models/gaussian/view_order.h"
#include "models/gaussian/view_pass.h"
#include "models/gaussian/view_regions.h"

namespace tessera::models {
namespace {

constexpr int kPhotosAhead = 6;          // photos asked for before they are needed
constexpr int64_t kSweepInterval = 100;  // photos between searches for non-finite Gaussians

std::unique_ptr<ViewPass> make_pass(const PassContext& context, distributed::Communicator& ranks) {
  return ranks.size() == 1 ? make_single_pass(context) : make_sharded_pass(context, ranks);
}

}  // namespace

struct Trainer::Impl {
  Impl(const TrainSettings& settings_, Checkpoint&& from, core::PhotoSource& photos_,
       std::vector<int> views_, distributed::Communicator& ranks_, core::ThreadPool& pool_,
       core::Log& log_);

  void step();
  std::vector<StepView> views_of_step(int64_t before);
  std::vector<double> try_views(int64_t before, bool again);
  void refuse_loss(int64_t before, const std::vector<double>& losses);
  void prepare_gradient(bool broken_off);
  void prefetch();
  void end_step(int64_t before, int64_t after, const LearningRates& rates);
  math::Vec3<float> background_of(int64_t position) const;
  int64_t drop_everywhere();
  void count_gaussians();
  CheckpointInfo info() const;
  int batch_at(int64_t before) const;
  bool follow_wishes(const TrainHooks& hooks, bool finished);

  const TrainSettings settings;
  core::PhotoSource& photos;
  const std::vector<int> views;
  distributed::Communicator& ranks;
  core::ThreadPool& pool;
  core::Log& log;

  const double extent;
  const Schedule schedule;
  int64_t images_seen = 0;
  int64_t dropped = 0;  // of all ranks
  int64_t total = 0;    // Gaussians of all ranks
  GaussianState state;

  std::unique_ptr<Densifier> densifier;
  Optimizer optimizer;
  CameraCorrections corrections;
  ViewOrder order;
  Rebalancer rebalancer;
  StageClock clock;
  std::unique_ptr<ViewPass> pass;

  // As they were before the step, of a batch: its views are collected one by one, and all again if
  // it is taken again.
  core::Planes statistics_before;

  render::RasterizeOptions options;
  render::RasterizeGradient gradient;  // reused from step to step
  double last_loss = 0;
  double seconds = 0;
};

Trainer::Impl::Impl(const TrainSettings& settings_, Checkpoint&& from, core::PhotoSource& photos_,
                    std::vector<int> views_, distributed::Communicator& ranks_,
                    core::ThreadPool& pool_, core::Log& log_)
    : settings(settings_),
      photos(photos_),
      views(std::move(views_)),
      ranks(ranks_),
      pool(pool_),
      log(log_),
      extent(from.info.scene_extent),
      schedule(settings, extent),
      images_seen(from.info.images_seen),
      dropped(from.info.dropped_gaussians),
      state(std::move(from.gaussians)),
      densifier(make_densifier(settings, schedule, ranks, pool)),
      optimizer(settings, pool),
      corrections(settings, extent, static_cast<int>(views.size()), pool),
      order(order_of_views(cameras_of(photos, views), extent, settings.batch, settings.seed)),
      rebalancer(ranks, SpaceGrid(cameras_center(cameras_of(photos, views)), extent)),
      pass(make_pass({settings, photos, corrections, pool, clock}, ranks)) {
  if (state.statistics.plane_count() == 0) {
    state.statistics.reset(densifier->statistics_planes(), state.size());
  }
  count_gaussians();
  rebalancer.cut(state);
  gradient.absolute = settings.absgrad;
  gradient.pose = settings.pose_opt;
  options.antialiased = settings.antialiasing;
  options.near_plane = settings.near_plane;
}

math::Vec3<float> Trainer::Impl::background_of(int64_t position) const {
  if (!settings.random_background) {
    return {settings.background[0], settings.background[1], settings.background[2]};
  }
  const math::Random4 bits = random_bits(settings.seed, math::RandomStream::kBackground,
                                         static_cast<uint32_t>(position), 0);
  return {math::uniform_from_bits(bits.v[0]), math::uniform_from_bits(bits.v[1]),
          math::uniform_from_bits(bits.v[2])};
}

// The optimizer leaves zeros behind it; other sizes and steps that were broken off need new ones.
void Trainer::Impl::prepare_gradient(bool broken_off) {
  core::Planes& planes = gradient.parameters;
  const core::Planes& like = state.cloud.parameters;
  if (broken_off || planes.size() != like.size() || planes.plane_count() != like.plane_count()) {
    planes.reset(like.plane_count(), like.size());
  }
}

int Trainer::Impl::batch_at(int64_t before) const {
  return static_cast<int>(std::min<int64_t>(settings.batch, settings.iterations - before));
}

std::vector<StepView> Trainer::Impl::views_of_step(int64_t before) {
  std::vector<StepView> step(batch_at(before));
  for (size_t k = 0; k < step.size(); ++k) {
    const int64_t position = before + static_cast<int64_t>(k);
    step[k].index = order.view(position);
    step[k].view = views[step[k].index];
    step[k].position = position;
    step[k].background = background_of(position);
  }
  return step;
}

void Trainer::Impl::prefetch() {
  const int64_t ahead = (kPhotosAhead + settings.batch - 1) / settings.batch;
  for (int64_t k = 1; k <= ahead; ++k) {
    const int64_t before = images_seen + k * settings.batch;
    if (before < settings.iterations) pass->prefetch(views_of_step(before));
  }
}

void Trainer::Impl::refuse_loss(int64_t before, const std::vector<double>& losses) {
  throw core::Error(fmt::format(
      "The loss became {} at step {} on photo {}; lower the learning rates, or look at "
      "this photo and its camera.",
      losses.back(), before + 1, photos.name(views_of_step(before)[losses.size() - 1].view)));
}

// The losses of the step's views, their gradients summed. The last one is not finite if Gaussians
// may have to be dropped and the step taken again.
std::vector<double> Trainer::Impl::try_views(int64_t before, bool again) {
  if (total == 0) {
    throw core::Error(fmt::format("No Gaussian is left after step {}.", before));
  }
  prepare_gradient(again);
  if (settings.batch > 1) statistics_before = state.statistics;
  optimizer.begin_step(state.size());
  corrections.clear_gradients();
  clock.mark("clear gradients");
  const std::vector<StepView> step = views_of_step(before);
  const int64_t after = before + static_cast<int64_t>(step.size());
  const auto seen = [&](const ViewStatistics& view) {
    if (schedule.collects(after)) {
      densifier->collect(state, view);
      rebalancer.collect(state.cloud, view.radii);
    }
    if (settings.visible_adam) optimizer.mark_visible(view.radii);
    clock.mark("densify statistics");
  };
  return pass->run(state.cloud, step, options, gradient, seen);
}

void Trainer::Impl::step() {
  const core::Timer timer;
  const int64_t before = images_seen;
  const int batch = batch_at(before);
  const int64_t after = before + batch;
  clock.begin(after);
  prefetch();
  clock.mark("prefetch");

  options.sh_degree = schedule.sh_degree(before);
  std::vector<double> losses = try_views(before, false);
  while (!std::isfinite(losses.back())) {
    if (settings.batch > 1) state.statistics = statistics_before;
    if (drop_everywhere() == 0) refuse_loss(before, losses);
    losses = try_views(before, true);
  }
  const LearningRates rates = schedule.rates(before);
  densifier->add_gradient(state, total, batch, gradient.parameters);
  clock.mark("regularizers");
  optimizer.step(state, gradient.parameters, rates, options.sh_degree, before, batch);
  corrections.step(before);
  clock.mark("optimizer");
  end_step(before, after, rates);
  images_seen = after;
  last_loss = std::accumulate(losses.begin(), losses.end(), 0.0) / batch;
  clock.end();
  seconds += timer.seconds();
}

void Trainer::Impl::end_step(int64_t before, int64_t after, const LearningRates& rates) {
  if (crosses_multiple(before, after, kSweepInterval) || schedule.densifies(before, after) ||
      after >= settings.iterations) {
    drop_everywhere();
    clock.mark("search for non-finite");
  }
  densifier->end_step(state, {before, after, rates.position, extent});
  clock.mark("densify");
  if (schedule.densifies(before, after)) {
    count_gaussians();
    rebalancer.cut_if_needed(state);
    clock.mark("rebalance");
  }
}

// Returns how many Gaussians of all ranks were dropped.
int64_t Trainer::Impl::drop_everywhere() {
  const int64_t found = ranks.all_reduce("dropped Gaussians", distributed::Reduction::kSum,
                                         drop_non_finite(state, pool));
  dropped += found;
  if (found > 0) count_gaussians();
  return found;
}

void Trainer::Impl::count_gaussians() {
  total = ranks.all_reduce("count", distributed::Reduction::kSum, state.size());
}

CheckpointInfo Trainer::Impl::info() const {
  CheckpointInfo result;
  result.settings = settings;
  result.images_seen = images_seen;
  result.scene_extent = extent;
  result.dropped_gaussians = dropped;
  result.camera_state = corrections.state();
  for (const int view : views) result.photos.push_back(photos.name(view));
  return result;
}

// Whether all ranks are to stop; returns when none wishes to pause.
bool Trainer::Impl::follow_wishes(const TrainHooks& hooks, bool finished) {
  while (true) {
    const TrainWishes own = hooks.wishes ? hooks.wishes() : TrainWishes{};
    int64_t all[] = {int64_t{own.stop}, int64_t{own.pause}, own.request};
    ranks.all_reduce("wishes", distributed::Reduction::kMax, std::span<int64_t>(all));
    const auto [stop, pause, request] = all;
    if (request != 0) hooks.requested(request);
    if (stop != 0 || pause == 0 || finished) return stop != 0 && !finished;
  }
}

Trainer::Trainer(const TrainSettings& settings, core::GaussianCloud start,
                 core::PhotoSource& photos, std::vector<int> views,
                 distributed::Communicator& ranks, core::ThreadPool& pool, core::Log& log) {
  Checkpoint from = beginning(settings, std::move(start), photos, views, ranks);
  const TrainSettings complete = from.info.settings;
  impl_ =
      std::make_unique<Impl>(complete, std::move(from), photos, std::move(views), ranks, pool, log);
}

Trainer::Trainer(const std::filesystem::path& checkpoint, int64_t iterations,
                 core::PhotoSource& photos, std::vector<int> views,
                 distributed::Communicator& ranks, core::ThreadPool& pool, core::Log& log) {
  Checkpoint from = continued(checkpoint, iterations, photos, views, ranks);
  const TrainSettings settings = from.info.settings;
  const std::vector<double> camera_state = from.info.camera_state;
  impl_ =
      std::make_unique<Impl>(settings, std::move(from), photos, std::move(views), ranks, pool, log);
  impl_->corrections.restore(camera_state);
}

Trainer::~Trainer() = default;

TrainEnd Trainer::run(const TrainHooks& hooks) {
  impl_->clock.trace_into(hooks.trace);
  const auto save = [&] {
    if (hooks.checkpoints.empty()) return;
    const core::TraceSpan span(hooks.trace, "checkpoint");
    save_checkpoint(hooks.checkpoints);
  };
  const int64_t iterations = impl_->settings.iterations;
  while (impl_->images_seen < iterations) {
    const int64_t before = impl_->images_seen;
    impl_->step();
    const int64_t after = impl_->images_seen;
    if (hooks.progress) {
      hooks.progress({after, iterations, impl_->total, impl_->last_loss, impl_->seconds});
    }
    for (const TrainEvent& event : hooks.events) {
      const bool due = std::any_of(event.at.begin(), event.at.end(),
                                   [&](int64_t at) { return before < at && at <= after; });
      if (due || crosses_multiple(before, after, event.every)) event.call();
    }
    const bool finished = after >= iterations;
    const bool due = crosses_multiple(before, after, impl_->settings.checkpoint_every);
    if (due) save();  // before a pause, which may be long
    const bool stopped = impl_->follow_wishes(hooks, finished);
    if ((finished || stopped) && !due) save();
    if (stopped) return TrainEnd::kStopped;
  }
  if (impl_->dropped > 0) {
    impl_->log.warning("{} Gaussians became non-finite and were dropped.", impl_->dropped);
  }
  return TrainEnd::kFinished;
}

const TrainSettings& Trainer::settings() const {
  return impl_->settings;
}
const core::GaussianCloud& Trainer::cloud() const {
  return impl_->state.cloud;
}
int64_t Trainer::gaussian_count() const {
  return impl_->total;
}
SplatCounts Trainer::splat_counts() const {
  return impl_->pass->splat_counts();
}
int64_t Trainer::images_seen() const {
  return impl_->images_seen;
}
double Trainer::scene_extent() const {
  return impl_->extent;
}
int64_t Trainer::dropped_gaussians() const {
  return impl_->dropped;
}

render::RasterizeOptions Trainer::render_options() const {
  render::RasterizeOptions options;
  options.antialiased = impl_->settings.antialiasing;
  options.near_plane = impl_->settings.near_plane;
  options.sh_degree = impl_->schedule.sh_degree(std::max<int64_t>(impl_->images_seen - 1, 0));
  options.background = {impl_->settings.background[0], impl_->settings.background[1],
                        impl_->settings.background[2]};
  return options;
}

core::PosedCamera Trainer::camera(int view) const {
  const core::PosedCamera& given = impl_->photos.camera(view);
  const auto found = std::find(impl_->views.begin(), impl_->views.end(), view);
  if (found == impl_->views.end()) return given;
  return impl_->corrections.corrected(static_cast<int>(found - impl_->views.begin()), given);
}

std::filesystem::path Trainer::save_checkpoint(const std::filesystem::path& folder) {
  return write_checkpoint(folder, impl_->info(), impl_->state, impl_->ranks);
}

Trainer::Profile Trainer::profile() const {
  return {impl_->clock.stages(), impl_->clock.total_milliseconds(), impl_->clock.steps()};
}

}  // namespace tessera::models
