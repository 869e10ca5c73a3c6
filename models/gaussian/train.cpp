// SPDX-License-Identifier: MIT
#include "models/gaussian/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/math/rng.h"
#include "models/gaussian/camera_corrections.h"
#include "models/gaussian/checkpoint.h"
#include "models/gaussian/common_view.h"
#include "models/gaussian/densify/densify.h"
#include "models/gaussian/model.h"
#include "models/gaussian/optimizer.h"
#include "models/gaussian/photo_loss.h"
#include "models/gaussian/schedule.h"
#include "models/gaussian/stage_clock.h"
#include "models/gaussian/view_order.h"

namespace tessera::models {
namespace {

constexpr int kPhotosAhead = 6;          // photos asked for before they are needed
constexpr int64_t kSweepInterval = 100;  // photos between searches for non-finite Gaussians

// Changes no setting of a run but its length.
TrainSettings lengthened(TrainSettings settings, int64_t iterations) {
  if (iterations > 0) settings.iterations = iterations;
  return settings;
}

}  // namespace

struct Trainer::Impl {
  Impl(const TrainSettings& settings_, Checkpoint&& from, core::PhotoSource& photos_,
       std::vector<int> views_, core::ThreadPool& pool_, core::Log& log_);

  void step();
  double try_views(int64_t before, int batch, bool again);
  double train_view(int64_t position, int64_t after);
  double draw_and_compare(int index, const core::Photo& photo, const core::PosedCamera& camera);
  void draw_backward(int index, const core::PosedCamera& camera);
  void prepare_gradient(bool broken_off);
  void prefetch();
  void end_step(int64_t before, int64_t after, const LearningRates& rates);
  math::Vec3<float> background_of(int64_t position) const;
  CheckpointInfo info() const;
  void refuse_loss(int view, double loss) const;

  const TrainSettings settings;
  core::PhotoSource& photos;
  const std::vector<int> views;
  core::ThreadPool& pool;
  core::Log& log;

  const double extent;
  const Schedule schedule;
  int64_t images_seen = 0;
  int64_t dropped = 0;
  GaussianState state;

  std::unique_ptr<render::Rasterizer> rasterizer;
  std::unique_ptr<Densifier> densifier;
  Optimizer optimizer;
  CameraCorrections corrections;
  PhotoLoss photo_loss;
  ViewOrder order;
  StageClock clock;

  // As they were before the step, of a batch: its views are collected one by one, and all again if
  // it is taken again.
  core::Planes statistics_before;

  // Reused from step to step.
  render::RasterizeOptions options;
  render::RenderOutput output;
  core::ImageF exposed;
  render::RenderOutputGradient output_gradient;
  render::RasterizeGradient gradient;
  double last_loss = 0;
  double seconds = 0;
};

Trainer::Impl::Impl(const TrainSettings& settings_, Checkpoint&& from, core::PhotoSource& photos_,
                    std::vector<int> views_, core::ThreadPool& pool_, core::Log& log_)
    : settings(settings_),
      photos(photos_),
      views(std::move(views_)),
      pool(pool_),
      log(log_),
      extent(from.info.scene_extent),
      schedule(settings, extent),
      images_seen(from.info.images_seen),
      dropped(from.info.dropped_gaussians),
      state(std::move(from.gaussians)),
      rasterizer(render::make_rasterizer(settings.rasterizer, pool)),
      densifier(make_densifier(settings, schedule, pool)),
      optimizer(settings, pool),
      corrections(settings, extent, static_cast<int>(views.size()), pool),
      photo_loss(settings, pool),
      order(static_cast<int>(views.size()), settings.seed) {
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

void Trainer::Impl::prefetch() {
  for (int ahead = settings.batch; ahead < settings.batch + kPhotosAhead; ++ahead) {
    photos.prefetch(views[order.view(images_seen + ahead)]);
  }
}

double Trainer::Impl::draw_and_compare(int index, const core::Photo& photo,
                                       const core::PosedCamera& camera) {
  if (photo.pixels.width != camera.camera.width || photo.pixels.height != camera.camera.height) {
    throw core::Error(fmt::format("{} has {}x{} pixels where its camera has {}x{}.",
                                  photos.name(views[index]), photo.pixels.width,
                                  photo.pixels.height, camera.camera.width, camera.camera.height));
  }
  rasterizer->forward(state.cloud, camera, options, output);
  clock.mark("forward", *rasterizer);
  if (corrections.exposes()) corrections.expose(index, output.color, exposed);
  const core::ImageF& color = corrections.exposes() ? exposed : output.color;
  const double loss =
      photo_loss.evaluate(color, output.depth, photo, options.background, output_gradient);
  clock.mark("loss");
  return loss;
}

void Trainer::Impl::draw_backward(int index, const core::PosedCamera& camera) {
  if (corrections.exposes()) {
    corrections.expose_backward(index, output.color, output_gradient.color);
    clock.mark("loss");
  }
  gradient.camera_rotation = gradient.camera_translation = {0, 0, 0};
  rasterizer->backward(state.cloud, output_gradient, gradient);
  if (corrections.moves()) corrections.move_backward(index, camera, gradient);
  clock.mark("backward", *rasterizer);
}

void Trainer::Impl::refuse_loss(int view, double loss) const {
  throw core::Error(
      fmt::format("The loss became {} at step {} on photo {}; lower the learning rates, or look at "
                  "this photo and its camera.",
                  loss, images_seen + 1, photos.name(view)));
}

// Forward, loss and backward of the view at `position`. Returns its loss; not a finite one if the
// step must be taken again because Gaussians were dropped.
double Trainer::Impl::train_view(int64_t position, int64_t after) {
  const int index = order.view(position);
  const int view = views[index];
  const std::shared_ptr<const core::Photo> photo = photos.photo(view);
  clock.mark("wait for photo");
  const core::PosedCamera camera = corrections.corrected(index, photos.camera(view));
  options.background = background_of(position);
  options.depth = photo_loss.uses_depth(*photo);
  const double loss = draw_and_compare(index, *photo, camera);
  if (!std::isfinite(loss)) {
    if (settings.batch > 1) state.statistics = statistics_before;
    const int64_t found = drop_non_finite(state, pool);
    if (found == 0) refuse_loss(view, loss);
    dropped += found;
    return loss;
  }
  draw_backward(index, camera);
  if (schedule.collects(after)) {
    densifier->collect(state,
                       {gradient, rasterizer->radii(), camera.camera.width, camera.camera.height});
    clock.mark("densify statistics");
  }
  if (settings.visible_adam) optimizer.mark_visible(rasterizer->radii());
  return loss;
}

// The mean loss of the step's views, their gradients summed; not finite if Gaussians were dropped
// and the step is to be taken again.
double Trainer::Impl::try_views(int64_t before, int batch, bool again) {
  if (state.size() == 0) {
    throw core::Error(fmt::format("No Gaussian is left after step {}.", before));
  }
  prepare_gradient(again);
  if (settings.batch > 1) statistics_before = state.statistics;
  optimizer.begin_step(state.size());
  corrections.clear_gradients();
  clock.mark("clear gradients");
  double loss = 0;
  for (int k = 0; k < batch && std::isfinite(loss); ++k) {
    loss += train_view(before + k, before + batch) / batch;
  }
  return loss;
}

void Trainer::Impl::step() {
  const core::Timer timer;
  clock.begin();
  const int64_t before = images_seen;
  const int batch =
      static_cast<int>(std::min<int64_t>(settings.batch, settings.iterations - before));
  const int64_t after = before + batch;
  prefetch();
  clock.mark("prefetch");

  options.sh_degree = schedule.sh_degree(before);
  double loss = try_views(before, batch, false);
  while (!std::isfinite(loss)) loss = try_views(before, batch, true);
  const LearningRates rates = schedule.rates(before);
  densifier->add_gradient(state, batch, gradient.parameters);
  clock.mark("regularizers");
  optimizer.step(state, gradient.parameters, rates, options.sh_degree, before, batch);
  corrections.step(before);
  clock.mark("optimizer");
  end_step(before, after, rates);
  images_seen = after;
  last_loss = loss;
  clock.end();
  seconds += timer.seconds();
}

void Trainer::Impl::end_step(int64_t before, int64_t after, const LearningRates& rates) {
  if (crosses_multiple(before, after, kSweepInterval) || schedule.densifies(before, after) ||
      after >= settings.iterations) {
    dropped += drop_non_finite(state, pool);
    clock.mark("search for non-finite");
  }
  densifier->end_step(state, {before, after, rates.position, extent});
  clock.mark("densify");
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

namespace {

// The checkpoint of a run that has not begun.
Checkpoint beginning(const TrainSettings& settings, core::GaussianCloud&& start,
                     const core::PhotoSource& photos, const std::vector<int>& views) {
  check(settings);
  if (views.empty()) throw core::Error("There are no photos to train on.");
  if (start.size() == 0) throw core::Error("There are no Gaussians to start from.");
  Checkpoint checkpoint;
  const std::vector<core::PosedCamera> cameras = cameras_of(photos, views);
  checkpoint.info.scene_extent = scene_extent(cameras);
  checkpoint.info.settings = settings;
  checkpoint.info.settings.max_gaussians = gaussian_budget(settings, cameras, start.size());
  checkpoint.info.settings.sh_start_degree =
      std::max(settings.sh_start_degree, used_sh_degree(start));
  GaussianState& state = checkpoint.gaussians;
  const int planes = start.parameters.plane_count();
  state.first_moments.reset(planes, start.size());
  state.second_moments.reset(planes, start.size());
  state.cloud = std::move(start);
  return checkpoint;
}

Checkpoint continued(const std::filesystem::path& path, const core::PhotoSource& photos,
                     const std::vector<int>& views) {
  Checkpoint checkpoint = read_checkpoint(path);
  const std::vector<std::string>& saved = checkpoint.info.photos;
  bool same = saved.size() == views.size();
  for (size_t i = 0; same && i < views.size(); ++i) same = photos.name(views[i]) == saved[i];
  if (!same) {
    throw core::UsageError(
        "--resume", fmt::format("the checkpoint was trained on {} photos that are not the {} of "
                                "this capture; give the capture and options of that run.",
                                saved.size(), views.size()));
  }
  return checkpoint;
}

}  // namespace

Trainer::Trainer(const TrainSettings& settings, core::GaussianCloud start,
                 core::PhotoSource& photos, std::vector<int> views, core::ThreadPool& pool,
                 core::Log& log) {
  Checkpoint from = beginning(settings, std::move(start), photos, views);
  const TrainSettings complete = from.info.settings;
  impl_ = std::make_unique<Impl>(complete, std::move(from), photos, std::move(views), pool, log);
  impl_->state.statistics.reset(impl_->densifier->statistics_planes(), impl_->state.size());
}

Trainer::Trainer(const std::filesystem::path& checkpoint, int64_t iterations,
                 core::PhotoSource& photos, std::vector<int> views, core::ThreadPool& pool,
                 core::Log& log) {
  Checkpoint from = continued(checkpoint, photos, views);
  const TrainSettings settings = lengthened(from.info.settings, iterations);
  check(settings);
  const std::vector<double> camera_state = from.info.camera_state;
  impl_ = std::make_unique<Impl>(settings, std::move(from), photos, std::move(views), pool, log);
  impl_->corrections.restore(camera_state);
}

Trainer::~Trainer() = default;

TrainEnd Trainer::run(const TrainHooks& hooks) {
  const auto save = [&] {
    if (!hooks.checkpoints.empty()) save_checkpoint(hooks.checkpoints);
  };
  const int64_t total = impl_->settings.iterations;
  while (impl_->images_seen < total) {
    const int64_t before = impl_->images_seen;
    impl_->step();
    const int64_t after = impl_->images_seen;
    if (hooks.progress) {
      hooks.progress({after, total, impl_->state.size(), impl_->last_loss, impl_->seconds});
    }
    for (const TrainEvent& event : hooks.events) {
      const bool due = std::any_of(event.at.begin(), event.at.end(),
                                   [&](int64_t at) { return before < at && at <= after; });
      if (due || crosses_multiple(before, after, event.every)) event.call();
    }
    const bool finished = after >= total;
    const bool stopped = !finished && hooks.should_stop && hooks.should_stop();
    const bool due = crosses_multiple(before, after, impl_->settings.checkpoint_every);
    if (finished || stopped || due) save();
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
  return write_checkpoint(folder, impl_->info(), impl_->state);
}

Trainer::Profile Trainer::profile() const {
  return {impl_->clock.stages(), impl_->clock.total_milliseconds(), impl_->clock.steps()};
}

}  // namespace tessera::models
