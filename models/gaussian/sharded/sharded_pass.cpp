// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/sharded_pass.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"
#include "models/gaussian/photo_loss.h"
#include "models/gaussian/sharded/expected_counts.h"
#include "models/gaussian/sharded/halo.h"
#include "models/gaussian/sharded/splat_exchange.h"
#include "models/gaussian/sharded/tile_costs.h"
#include "models/gaussian/sharded/view_assignment.h"
#include "render/gaussian/backends/cpu.h"

namespace tessera::models {
namespace {

constexpr int kTerms = 3;  // of a view's loss: l1, ssim, depth

class ShardedPass final : public ViewPass {
 public:
  ShardedPass(const PassContext& context, distributed::Communicator& ranks)
      : context_(context),
        ranks_(ranks),
        exchange_(ranks, context.pool, make_message_coding(context.settings, context.pool)),
        photo_loss_(context.settings, context.pool),
        expected_(ranks.size()) {}

  SplatCounts splat_counts() const override { return counts_; }

  // Which whole views are drawn here is known once they are projected, so it is guessed here: a
  // photo that is not fetched ahead is waited for, one that is not drawn gives way to others.
  void prefetch(std::span<const StepView> step) override {
    std::vector<int> rank_of_view(step.size(), ranks_.rank());
    if (partition(step.size()) == Partition::kWholeViews) {
      std::vector<std::vector<int64_t>> expected;
      for (const StepView& view : step) {
        expected.push_back(expected_.of(view.index, context_.photos.camera(view.view)));
      }
      rank_of_view = assign_views(expected, ranks_.size());
    }
    for (size_t k = 0; k < step.size(); ++k) {
      if (rank_of_view[k] == ranks_.rank()) context_.photos.prefetch(step[k].view);
    }
  }

  std::vector<double> run(const core::GaussianCloud& cloud, std::span<const StepView> step,
                          render::RasterizeOptions options, render::RasterizeGradient& gradient,
                          const std::function<void(const ViewStatistics&)>& seen) override {
    step_ = step;
    project(cloud, options);
    cut();
    exchange_.send_splats(cloud, {projections_.data(), step.size()}, windows_);
    counts_.routed += exchange_.routed();
    counts_.moved += exchange_.moved();
    context_.clock.mark("exchange splats");
    for (size_t w = 0; w < windows_.size(); ++w) {
      if (drawn_here(w)) draw(w, options);
    }
    std::vector<double> losses = compare();
    if (!std::isfinite(losses.back())) return losses;
    for (size_t w = 0; w < windows_.size(); ++w) {
      if (drawn_here(w)) draw_backward(w, gradient.absolute);
    }
    exchange_.return_gradients({projections_.data(), step.size()},
                               static_cast<uint32_t>(step[0].position));
    context_.clock.mark("exchange gradients");
    for (size_t v = 0; v < step.size(); ++v) project_backward(v, cloud, gradient, seen);
    sum_corrections();
    return losses;
  }

 private:
  // A window's blending and pictures, kept until its backward pass.
  struct Canvas {
    explicit Canvas(core::ThreadPool& pool) : blending(pool, render::chosen_cpu_kernels()) {}

    render::CpuBlending blending;
    render::RenderOutput output;
    core::ImageF exposed;
    render::RenderOutputGradient gradient;
    std::shared_ptr<const core::Photo> photo;
  };

  // The mean over pixels of known depth needs a whole view.
  Partition partition(size_t views) const {
    const bool whole = static_cast<int>(views) >= ranks_.size() || ranks_.size() == 1 ||
                       context_.settings.depth_weight > 0;
    return whole ? Partition::kWholeViews : Partition::kBlocks;
  }

  bool drawn_here(size_t window) const {
    return windows_[window].rank == ranks_.rank() && !windows_[window].window.empty();
  }

  void project(const core::GaussianCloud& cloud, const render::RasterizeOptions& options) {
    cameras_.clear();
    pictures_.clear();
    for (const StepView& view : step_) {
      cameras_.push_back(
          context_.corrections.corrected(view.index, context_.photos.camera(view.view)));
      pictures_.push_back({0, 0, cameras_.back().camera.width, cameras_.back().camera.height});
    }
    while (projections_.size() < step_.size()) {
      projections_.push_back(
          std::make_unique<render::CpuProjection>(context_.pool, render::chosen_cpu_kernels()));
    }
    for (size_t v = 0; v < step_.size(); ++v) {
      projections_[v]->forward(cloud, cameras_[v], options);
    }
    context_.clock.mark("project");
  }

  void cut() {
    if (partition(step_.size()) == Partition::kWholeViews) {
      windows_ = whole_views(pictures_, assign_views(count_visible(), ranks_.size()));
    } else {
      windows_ = blocks(pictures_, ranks_.size(),
                        tile_costs(ranks_, {projections_.data(), step_.size()}, pictures_));
    }
    while (canvases_.size() < windows_.size()) canvases_.push_back(nullptr);
    context_.clock.mark("partition");
  }

  // Collective: [view][rank], and remembers them.
  std::vector<std::vector<int64_t>> count_visible() {
    const size_t ranks = ranks_.size();
    std::vector<int64_t> all(step_.size() * ranks, 0);
    for (size_t v = 0; v < step_.size(); ++v) {
      all[v * ranks + ranks_.rank()] = projections_[v]->visible().size;
    }
    ranks_.all_reduce("visible splats", distributed::Reduction::kSum, std::span(all));
    std::vector<std::vector<int64_t>> visible;
    for (size_t v = 0; v < step_.size(); ++v) {
      const auto first = all.begin() + static_cast<int64_t>(v * ranks);
      visible.emplace_back(first, first + static_cast<int64_t>(ranks));
      expected_.set(step_[v].index, context_.photos.camera(step_[v].view), visible.back());
    }
    return visible;
  }

  void draw(size_t w, render::RasterizeOptions options) {
    const StepView& view = step_[windows_[w].view];
    if (!canvases_[w]) canvases_[w] = std::make_unique<Canvas>(context_.pool);
    Canvas& canvas = *canvases_[w];
    canvas.photo = context_.photos.photo(view.view);
    check_photo_size(*canvas.photo, cameras_[windows_[w].view].camera,
                     context_.photos.name(view.view));
    context_.clock.mark("wait for photo");
    options.background = view.background;
    options.depth = photo_loss_.uses_depth(*canvas.photo);
    canvas.blending.forward(exchange_.splats(static_cast<int>(w)), windows_[w].window, options,
                            canvas.output);
    context_.clock.mark("forward", canvas.blending);
    if (context_.corrections.exposes()) {
      context_.corrections.expose(view.index, canvas.output.color, canvas.exposed);
      context_.clock.mark("loss");
    }
  }

  const core::ImageF& color_of(const Canvas& canvas) const {
    return context_.corrections.exposes() ? canvas.exposed : canvas.output.color;
  }

  // The loss of each view up to the first that is not finite, the same on all ranks.
  std::vector<double> compare() {
    std::vector<core::ImageF> around;
    const bool in_blocks = partition(step_.size()) == Partition::kBlocks;
    if (in_blocks) {
      std::vector<const core::ImageF*> colors(windows_.size(), nullptr);
      for (size_t w = 0; w < windows_.size(); ++w) {
        if (drawn_here(w)) colors[w] = &color_of(*canvases_[w]);
      }
      around = with_halo(ranks_, windows_, pictures_, colors, core::kSsimReach);
      context_.clock.mark("exchange halo");
    }
    std::vector<double> terms(step_.size() * kTerms, 0);
    for (size_t w = 0; w < windows_.size(); ++w) {
      if (!drawn_here(w)) continue;
      const PhotoLossTerms part = in_blocks ? compare_block(w, around[w]) : compare_whole(w);
      double* sums = &terms[windows_[w].view * kTerms];
      sums[0] += part.l1;
      sums[1] += part.ssim;
      sums[2] += part.depth;
    }
    context_.clock.mark("loss");
    ranks_.all_reduce("loss", distributed::Reduction::kSum, std::span(terms));
    std::vector<double> losses;
    for (size_t v = 0; v < step_.size(); ++v) {
      const double* sums = &terms[v * kTerms];
      losses.push_back(
          PhotoLossTerms{sums[0], sums[1], sums[2]}.total(context_.settings.ssim_weight));
      if (!std::isfinite(losses.back())) break;
    }
    context_.clock.mark("exchange loss");
    return losses;
  }

  PhotoLossTerms compare_whole(size_t w) {
    Canvas& canvas = *canvases_[w];
    return photo_loss_.evaluate(color_of(canvas), canvas.output.depth, *canvas.photo,
                                step_[windows_[w].view].background, canvas.gradient);
  }

  PhotoLossTerms compare_block(size_t w, const core::ImageF& around) {
    Canvas& canvas = *canvases_[w];
    const core::PixelWindow& picture = pictures_[windows_[w].view];
    const core::PixelWindow widened =
        core::widened(windows_[w].window, core::kSsimReach, picture.width, picture.height);
    return photo_loss_.evaluate_part(around, widened, windows_[w].window, *canvas.photo,
                                     step_[windows_[w].view].background, canvas.gradient.color);
  }

  void draw_backward(size_t w, bool absolute) {
    Canvas& canvas = *canvases_[w];
    if (context_.corrections.exposes()) {
      context_.corrections.expose_backward(step_[windows_[w].view].index, canvas.output.color,
                                           canvas.gradient.color);
      context_.clock.mark("loss");
    }
    canvas.blending.backward(canvas.gradient, absolute, exchange_.gradients(static_cast<int>(w)));
    canvas.photo.reset();
    context_.clock.mark("backward", canvas.blending);
  }

  void project_backward(size_t v, const core::GaussianCloud& cloud,
                        render::RasterizeGradient& gradient,
                        const std::function<void(const ViewStatistics&)>& seen) {
    gradient.camera_rotation = gradient.camera_translation = {0, 0, 0};
    projections_[v]->backward(cloud, gradient);
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
  std::vector<std::unique_ptr<render::CpuProjection>> projections_;  // per view
  std::vector<std::unique_ptr<Canvas>> canvases_;                    // per window drawn here

  // Of the current step.
  std::span<const StepView> step_;
  std::vector<core::PosedCamera> cameras_;
  std::vector<core::PixelWindow> pictures_;
  std::vector<DrawnWindow> windows_;
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
