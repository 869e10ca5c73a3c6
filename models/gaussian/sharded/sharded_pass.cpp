// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/sharded_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/error.h"
#include "distributed/all_gather.h"
#include "models/gaussian/photo_loss.h"
#include "models/gaussian/sharded/balanced_views.h"
#include "models/gaussian/sharded/expected_counts.h"
#include "models/gaussian/sharded/picture_strips.h"
#include "models/gaussian/sharded/round.h"
#include "models/gaussian/sharded/splat_exchange.h"
#include "models/gaussian/sharded/tile_costs.h"
#include "models/windows/halo.h"
#include "render/gaussian/backends/cpu.h"

namespace tessera::models {
namespace {

class ShardedPass final : public ViewPass {
 public:
  ShardedPass(const PassContext& context, distributed::Communicator& ranks)
      : context_(context),
        ranks_(ranks),
        exchange_(ranks, context.pool, make_message_coding(context.settings, context.pool),
                  context.settings.overlap),
        photo_loss_(context.settings, context.pool),
        expected_(ranks.size()) {}

  SplatCounts splat_counts() const override { return counts_; }

  // What is drawn here is known once all views are projected, so it is guessed here: a photo that
  // is not fetched ahead is waited for, one that is not drawn gives way to others.
  void prefetch(std::span<const StepView> step) override {
    Partition guess = partition(step.size());
    if (guess == Partition::kBlocks) {
      for (const StepView& view : step) context_.photos.prefetch(view.view);
      return;
    }
    CountedViews views;
    for (const StepView& view : step) {
      const core::PosedCamera& camera = context_.photos.camera(view.view);
      const core::PixelWindow& picture = views.pictures.emplace_back(picture_of(camera));
      const ExpectedCounts::Counts counts = expected_.of(view.index, camera);
      views.visible.push_back(counts.visible);
      views.strip_costs.push_back(counts.strip_costs);
      const auto strips = static_cast<size_t>(PictureStrips(picture).count());
      if (counts.strip_costs.size() != strips) guess = Partition::kWholeViews;
    }
    for (const Round& round : rounds_of(guess, views, ranks_.size())) {
      for (const DrawnWindow& drawn : windows_of(round, ranks_.rank())) {
        context_.photos.prefetch(step[drawn.view].view);
      }
    }
  }

  std::vector<double> run(const core::GaussianCloud& cloud, std::span<const StepView> step,
                          render::RasterizeOptions options, render::RasterizeGradient& gradient,
                          const std::function<void(const ViewStatistics&)>& seen) override {
    begin(cloud, step, options);
    start_round(0);
    for (int k = 0; k < round_count(); ++k) {
      if (k + 1 < round_count()) start_round(k + 1);
      exchange_.finish_splats(k);
      mark("exchange splats");
      draw(k, gradient.absolute);
      exchange_.start_gradients(k);
      if (k > 0) exchange_.finish_gradients(k - 1);
      mark("exchange gradients");
    }
    std::vector<double> losses = sum_losses();
    exchange_.finish_gradients(round_count() - 1);
    mark("exchange gradients");
    counts_.routed += exchange_.routed();
    counts_.moved += exchange_.moved();
    if (!std::isfinite(losses.back())) return losses;
    for (size_t v = 0; v < step.size(); ++v) project_backward(v, gradient, seen);
    sum_corrections();
    return losses;
  }

 private:
  // The pictures of a window that this rank draws.
  struct Canvas {
    explicit Canvas(core::ThreadPool& pool) : blending(pool, render::chosen_cpu_kernels()) {}

    render::CpuBlending blending;
    render::RenderOutput output;
    core::ImageF exposed;
    core::ImageF around;  // with the halo, where the window is not the whole picture
    render::RenderOutputGradient gradient;
    std::shared_ptr<const core::Photo> photo;
  };

  static core::PixelWindow picture_of(const core::PosedCamera& camera) {
    return {0, 0, camera.camera.width, camera.camera.height};
  }
  Partition partition(size_t views) const {
    return partition_of(context_.settings.partition, static_cast<int>(views), ranks_.size());
  }
  int round_count() const {
    return static_cast<int>(partition_ == Partition::kBlocks ? step_.size() : rounds_.size());
  }

  // Some backends move messages only while they are asked to.
  template <class... Timed>
  void mark(std::string_view stage, Timed&... timed) {
    context_.clock.mark(stage, timed...);
    exchange_.poll();
  }

  void begin(const core::GaussianCloud& cloud, std::span<const StepView> step,
             const render::RasterizeOptions& options) {
    cloud_ = &cloud;
    step_ = step;
    partition_ = partition(step.size());
    options_ = options;
    cameras_.clear();
    pictures_.clear();
    rounds_.clear();
    terms_.resize(step.size());
    for (const StepView& view : step) {
      cameras_.push_back(
          context_.corrections.corrected(view.index, context_.photos.camera(view.view)));
      pictures_.push_back(picture_of(cameras_.back()));
    }
    while (projections_.size() < step.size()) {
      projections_.push_back(
          std::make_unique<render::CpuProjection>(context_.pool, render::chosen_cpu_kernels()));
    }
    exchange_.begin(cloud, projections(), static_cast<uint32_t>(step[0].position));
  }

  std::span<const std::unique_ptr<render::CpuProjection>> projections() const {
    return {projections_.data(), step_.size()};
  }

  // Which block is whose follows from its view alone, so the other views are projected while the
  // splats of this one are under way. Who draws what else is known once all views are projected.
  void start_round(int k) {
    if (partition_ == Partition::kBlocks) {
      project(k);
      rounds_.push_back(cut(k));
      exchange_.route({&rounds_.back(), 1});
    } else if (k == 0) {
      for (size_t v = 0; v < step_.size(); ++v) project(v);
      rounds_ = rounds_of(partition_, count_views(), ranks_.size());
      exchange_.route(rounds_);
    }
    mark("partition");
    exchange_.start_splats(k);
    mark("exchange splats");
  }

  void project(size_t v) {
    projections_[v]->forward(*cloud_, cameras_[v], options_);
    mark("project");
  }

  Round cut(int v) {
    return blocks(v, pictures_[v], ranks_.size(),
                  tile_costs_.next(ranks_, step_[v].index, *projections_[v], pictures_[v]));
  }

  // Collective: how many splats of each rank the views show and, to balance them, what their strips
  // cost; and remembers it.
  CountedViews count_views() {
    CountedViews views = {pictures_, count_visible(), {}};
    if (partition_ == Partition::kBalancedViews) views.strip_costs = add_up_strip_costs();
    views.strip_costs.resize(step_.size());
    for (size_t v = 0; v < step_.size(); ++v) {
      expected_.set(step_[v].index, context_.photos.camera(step_[v].view),
                    {views.visible[v], views.strip_costs[v]});
    }
    return views;
  }

  // [view][rank]
  std::vector<std::vector<int64_t>> count_visible() {
    const size_t ranks = ranks_.size(), views = step_.size();
    std::vector<int64_t> all(ranks * views);
    for (size_t v = 0; v < views; ++v) {
      all[ranks_.rank() * views + v] = projections_[v]->visible().size;
    }
    distributed::all_gather_few(ranks_, "visible splats",
                                std::vector<size_t>(ranks, views * sizeof(int64_t)),
                                std::as_writable_bytes(std::span(all)));
    std::vector<std::vector<int64_t>> visible(views);
    for (size_t v = 0; v < views; ++v) {
      for (size_t r = 0; r < ranks; ++r) visible[v].push_back(all[r * views + v]);
    }
    return visible;
  }

  // [view][strip], of all views by one sum.
  std::vector<std::vector<int64_t>> add_up_strip_costs() {
    std::vector<int64_t> sums;
    std::vector<size_t> begins = {0};
    for (size_t v = 0; v < step_.size(); ++v) {
      const std::vector<int64_t> loads =
          tile_costs_.strip_loads(step_[v].index, *projections_[v], pictures_[v]);
      sums.insert(sums.end(), loads.begin(), loads.end());
      begins.push_back(sums.size());
    }
    ranks_.all_reduce("tile costs", distributed::Reduction::kSum, std::span(sums));
    std::vector<std::vector<int64_t>> costs;
    for (size_t v = 0; v < step_.size(); ++v) {
      const std::span<const int64_t> loads =
          std::span(sums).subspan(begins[v], begins[v + 1] - begins[v]);
      costs.push_back(tile_costs_.next_strips(step_[v].index, loads, pictures_[v]));
    }
    return costs;
  }

  // From this rank's splats of a round to their gradients. All its windows are drawn before the
  // halos are exchanged, so nobody waits for pixels of a rank that draws another view first.
  void draw(int k, bool absolute) {
    const std::span<const DrawnWindow> own = windows_of(rounds_[k], ranks_.rank());
    while (canvases_.size() < own.size()) {
      canvases_.push_back(std::make_unique<Canvas>(context_.pool));
    }
    for (size_t w = 0; w < own.size(); ++w) {
      draw_forward(own[w], exchange_.splats(w), *canvases_[w]);
    }
    exchange_halos(k);
    for (size_t w = 0; w < own.size(); ++w) {
      compare(own[w], *canvases_[w]);
      draw_backward(own[w], absolute, *canvases_[w], exchange_.gradients(k, w));
    }
  }

  void draw_forward(const DrawnWindow& drawn, const render::CpuSplatList& splats, Canvas& canvas) {
    const StepView& view = step_[drawn.view];
    canvas.photo = context_.photos.photo(view.view);
    check_photo_size(*canvas.photo, cameras_[drawn.view].camera, context_.photos.name(view.view));
    mark("wait for photo");
    render::RasterizeOptions options = options_;
    options.background = view.background;
    options.depth = photo_loss_.uses_depth(*canvas.photo);
    canvas.blending.forward(splats, drawn.window, options, canvas.output);
    counts_.evaluated += canvas.blending.counts().evaluated_pairs;
    if (partition_ != Partition::kWholeViews && !is_shown_again(drawn.view)) {
      tile_costs_.drawn(view.index, drawn.window, canvas.blending.evaluated_per_tile());
    }
    mark("forward", canvas.blending);
    if (context_.corrections.exposes()) {
      context_.corrections.expose(view.index, canvas.output.color, canvas.exposed);
      mark("loss");
    }
  }

  // In a step of two epochs. The ranks that draw it both times must not both remember what it took.
  bool is_shown_again(int v) const {
    return std::any_of(step_.begin() + v + 1, step_.end(),
                       [&](const StepView& later) { return later.index == step_[v].index; });
  }

  // What is compared with the photo.
  const core::ImageF& color(const Canvas& canvas) const {
    return context_.corrections.exposes() ? canvas.exposed : canvas.output.color;
  }

  void exchange_halos(int k) {
    if (partition_ == Partition::kWholeViews) return;
    const size_t count = windows_of(rounds_[k], ranks_.rank()).size();
    std::vector<const core::ImageF*> colors;
    for (size_t w = 0; w < count; ++w) colors.push_back(&color(*canvases_[w]));
    std::vector<core::ImageF> around =
        with_halos(ranks_, rounds_[k], pictures_, colors, core::kSsimReach);
    for (size_t w = 0; w < count; ++w) canvases_[w]->around = std::move(around[w]);
    mark("exchange halo");
  }

  void compare(const DrawnWindow& drawn, Canvas& canvas) {
    const core::PixelWindow& picture = pictures_[drawn.view];
    const math::Vec3<float> background = step_[drawn.view].background;
    const core::ImageF& depth = canvas.output.depth;
    PhotoLossTerms& part = terms_[drawn.view];
    if (drawn.window == picture) {
      part = photo_loss_.evaluate(color(canvas), depth, *canvas.photo, background, canvas.gradient);
    } else {
      const core::PixelWindow widened =
          core::widened(drawn.window, core::kSsimReach, picture.width, picture.height);
      part = photo_loss_.evaluate_part(canvas.around, depth, widened, drawn.window, *canvas.photo,
                                       background, canvas.gradient);
    }
    mark("loss");
  }

  void draw_backward(const DrawnWindow& drawn, bool absolute, Canvas& canvas,
                     render::CpuSplatGradient* gradients) {
    if (context_.corrections.exposes()) {
      context_.corrections.expose_backward(step_[drawn.view].index, canvas.output.color,
                                           canvas.gradient.color);
      mark("loss");
    }
    canvas.blending.backward(canvas.gradient, absolute, gradients);
    canvas.photo.reset();
    mark("backward", canvas.blending);
  }

  // The loss of each view up to the first that is not finite, the same on all ranks. Each rank
  // tells the terms of its windows, and they are added in the order of ranks.
  std::vector<double> sum_losses() {
    std::vector<int> view_of;  // of all windows, by rank
    std::vector<size_t> sizes;
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      const size_t before = view_of.size();
      for (const Round& round : rounds_) {
        for (const DrawnWindow& drawn : windows_of(round, rank)) view_of.push_back(drawn.view);
      }
      sizes.push_back((view_of.size() - before) * sizeof(PhotoLossTerms));
    }
    std::vector<PhotoLossTerms> all;
    all.reserve(view_of.size());
    for (const int view : view_of) all.push_back(terms_[view]);
    distributed::all_gather_few(ranks_, "loss", sizes, std::as_writable_bytes(std::span(all)));
    std::vector<PhotoLossTerms> sums(step_.size(), {0, 0, 0});
    for (size_t w = 0; w < all.size(); ++w) sums[view_of[w]] += all[w];
    std::vector<double> losses;
    for (const PhotoLossTerms& sum : sums) {
      losses.push_back(sum.total(context_.settings.ssim_weight));
      if (!std::isfinite(losses.back())) break;
    }
    mark("exchange loss");
    return losses;
  }

  void project_backward(size_t v, render::RasterizeGradient& gradient,
                        const std::function<void(const ViewStatistics&)>& seen) {
    gradient.camera_rotation = gradient.camera_translation = {0, 0, 0};
    projections_[v]->backward(*cloud_, gradient);
    if (context_.corrections.moves()) {
      context_.corrections.move_backward(step_[v].index, cameras_[v], gradient);
    }
    context_.clock.mark("project backward");
    seen({gradient, projections_[v]->radii(), pictures_[v].width, pictures_[v].height});
  }

  void sum_corrections() {
    if (!context_.corrections.exposes() && !context_.corrections.moves()) return;
    std::vector<int> shown;
    for (const StepView& view : step_) shown.push_back(view.index);
    std::vector<double> sums = context_.corrections.gradients(shown);
    ranks_.all_reduce("corrections", distributed::Reduction::kSum, std::span(sums));
    context_.corrections.set_gradients(shown, sums);
    context_.clock.mark("exchange corrections");
  }

  const PassContext context_;
  distributed::Communicator& ranks_;
  SplatExchange exchange_;
  SplatCounts counts_;
  PhotoLoss photo_loss_;
  ExpectedCounts expected_;
  TileCosts tile_costs_;
  std::vector<std::unique_ptr<render::CpuProjection>> projections_;  // per view
  std::vector<std::unique_ptr<Canvas>> canvases_;                    // of a round's windows here

  // Of the current step.
  const core::GaussianCloud* cloud_ = nullptr;
  std::span<const StepView> step_;
  Partition partition_ = Partition::kWholeViews;
  render::RasterizeOptions options_;
  std::vector<core::PosedCamera> cameras_;
  std::vector<core::PixelWindow> pictures_;
  std::vector<Round> rounds_;          // those known so far
  std::vector<PhotoLossTerms> terms_;  // per view, of what this rank drew
};

}  // namespace

std::unique_ptr<ViewPass> make_sharded_pass(const PassContext& context,
                                            distributed::Communicator& ranks) {
  if (context.settings.rasterizer != "cpu") {
    throw core::UsageError("--ranks", fmt::format("several ranks draw with the rasterizer 'cpu', "
                                                  "not with '{}'.",
                                                  context.settings.rasterizer));
  }
  return std::make_unique<ShardedPass>(context, ranks);
}

}  // namespace tessera::models
