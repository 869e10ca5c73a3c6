// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/step_model.h"

#include <time.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/adam.h"
#include "core/ssim.h"
#include "models/gaussian/photo_loss.h"
#include "render/gaussian/backends/cpu.h"
#include "render/gaussian/splat_message.h"

namespace tessera::models {
namespace {

constexpr int64_t kMostUpdated = 100'000;  // Gaussians that the optimizer is measured on
constexpr int kRepeats = 3;                // the least time counts: others are busy, too
constexpr double WorkRates::*kAllRates[] = {
    &WorkRates::owned,     &WorkRates::visible, &WorkRates::drawn,  &WorkRates::tile_pair,
    &WorkRates::evaluated, &WorkRates::pixel,   &WorkRates::updated};
constexpr int64_t kStateCopies = 4;  // parameters, gradient, two moments
constexpr int64_t kTilePairBytes = 24;
constexpr int64_t kSplatBytes = sizeof(render::SplatMessage) + 9 * sizeof(float);

// Seconds that the calling thread has worked, whatever else the machine does.
class WorkTimer {
 public:
  double seconds() const { return now() - begin_; }

 private:
  static double now() {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  double begin_ = now();
};

int64_t most(const std::vector<int64_t>& values) {
  return *std::max_element(values.begin(), values.end());
}

int64_t sum(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{0});
}

int64_t splats_of(const WindowCounts& window) {
  int64_t splats = 0;
  for (const SplatCount& count : window.splats) splats += count.splats;
  return splats;
}

double seconds_to_draw(const WorkRates& rates, int64_t splats, int64_t tile_pairs,
                       int64_t evaluated_pairs, int64_t pixels) {
  return rates.drawn * static_cast<double>(splats) +
         rates.tile_pair * static_cast<double>(tile_pairs) +
         rates.evaluated * static_cast<double>(evaluated_pairs) +
         rates.pixel * static_cast<double>(pixels);
}

// The loss of a part of a picture compares its halo of `reach` pixels, too.
double seconds_to_draw(const WorkRates& rates, const WindowCounts& window,
                       const core::PixelWindow& picture, int reach) {
  const core::PixelWindow compared =
      core::widened(window.drawn.window, reach, picture.width, picture.height);
  return seconds_to_draw(rates, splats_of(window), window.tile_pairs, window.evaluated_pairs,
                         int64_t{compared.width} * compared.height);
}

// Of the rounds' exchanges and drawing, one after the other or, with overlap, the splats of the
// next round and the gradients of the one before beside this one.
double seconds_of_rounds(const std::vector<double>& draw, double exchange, bool overlap) {
  const double drawn = std::accumulate(draw.begin(), draw.end(), 0.0);
  if (!overlap || draw.empty()) return drawn + exchange;
  const double each_way = exchange / static_cast<double>(2 * draw.size());
  double seconds = 2 * each_way;  // the first splats and the last gradients
  for (size_t k = 0; k < draw.size(); ++k) {
    const double beside = each_way * ((k + 1 < draw.size() ? 1 : 0) + (k > 0 ? 1 : 0));
    seconds += std::max(draw[k], beside);
  }
  return seconds;
}

core::Photo grey_photo(const core::Camera& camera) {
  core::Photo photo;
  photo.pixels = core::Image8(camera.width, camera.height, 3);
  std::fill(photo.pixels.data.begin(), photo.pixels.data.end(), uint8_t{128});
  return photo;
}

double seconds_per_update(const core::GaussianCloud& cloud, core::ThreadPool& pool) {
  const int64_t count = std::min(cloud.size(), kMostUpdated);
  core::Planes parameters, gradient, first, second;
  for (core::Planes* planes : {&parameters, &gradient, &first, &second}) {
    planes->reset(cloud.parameters.plane_count(), count);
  }
  const std::vector<float> rates(parameters.plane_count(), 1e-3F);
  core::AdamStep step;
  step.rates = rates;
  core::adam_update(step, parameters, gradient, first, second, pool);  // touches the memory
  const WorkTimer timer;
  core::adam_update(step, parameters, gradient, first, second, pool);
  return timer.seconds() / static_cast<double>(count);
}

WorkRates rates_once(const core::GaussianCloud& cloud, std::span<const core::PosedCamera> cameras,
                     std::span<const int> views, const TrainSettings& settings,
                     TrafficReplay& replay) {
  core::ThreadPool pool(1);
  render::CpuProjection projection(pool, render::chosen_cpu_kernels());
  render::CpuBlending blending(pool, render::chosen_cpu_kernels());
  PhotoLoss photo_loss(settings, pool);
  render::RenderOutput output;
  render::RenderOutputGradient output_gradient;
  render::RasterizeGradient gradient;
  gradient.parameters.reset(cloud.parameters.plane_count(), cloud.size());
  render::RasterizeOptions nothing_visible;
  nothing_visible.near_plane = 1e30F;

  double owned_s = 0, visible_s = 0, drawn_s = 0, pairs_s = 0, evaluated_s = 0, pixels_s = 0;
  int64_t visible = 0, pairs = 0, evaluated = 0, pixels = 0;
  for (const int view : views) {
    const ViewWork& work = replay.work(view);
    visible += work.visible;
    pairs += work.tile_pairs;
    evaluated += work.evaluated_pairs();
    pixels += work.pixels;
    WorkTimer timer;
    projection.forward(cloud, cameras[view], nothing_visible);
    const double passed_over = timer.seconds();
    timer = {};
    projection.forward(cloud, cameras[view], {});
    visible_s += timer.seconds() - passed_over;
    owned_s += passed_over;
    const core::PixelWindow picture = {0, 0, cameras[view].camera.width,
                                       cameras[view].camera.height};
    timer = {};
    blending.forward({projection.splats(), cloud.ids.data(), projection.visible()}, picture, {},
                     output);
    double blending_s = timer.seconds();
    const core::Photo photo = grey_photo(cameras[view].camera);
    timer = {};
    photo_loss.evaluate(output.color, output.depth, photo, {0, 0, 0}, output_gradient);
    pixels_s += timer.seconds();
    std::vector<render::CpuSplatGradient> splat_gradients(cloud.size());
    timer = {};
    blending.backward(output_gradient, false, splat_gradients.data());
    blending_s += timer.seconds();
    std::vector<render::StageTime> stages;
    blending.take_stage_times(stages);
    double all_stages = 0;
    for (const render::StageTime& stage : stages) all_stages += stage.milliseconds;
    for (const render::StageTime& stage : stages) {
      const double seconds = blending_s * stage.milliseconds / all_stages;
      const bool blends = stage.stage.starts_with("blend");
      (stage.stage == "sort" ? drawn_s : blends ? evaluated_s : pairs_s) += seconds;
    }
    for (const uint32_t i : projection.visible()) {
      projection.splat_gradients()[i] = splat_gradients[i];
    }
    timer = {};
    projection.backward(cloud, gradient);
    visible_s += timer.seconds();
  }
  const auto rate = [](double seconds, int64_t count) {
    return std::max(0.0, seconds) / static_cast<double>(std::max<int64_t>(count, 1));
  };
  WorkRates rates;
  rates.owned = rate(owned_s, cloud.size() * static_cast<int64_t>(views.size()));
  rates.visible = rate(visible_s, visible);
  rates.drawn = rate(drawn_s, visible);
  rates.tile_pair = rate(pairs_s, pairs);
  rates.evaluated = rate(evaluated_s, evaluated);
  rates.pixel = rate(pixels_s, pixels);
  rates.updated = seconds_per_update(cloud, pool);
  return rates;
}

}  // namespace

WorkRates measured_rates(const core::GaussianCloud& cloud,
                         std::span<const core::PosedCamera> cameras, std::span<const int> views,
                         const TrainSettings& settings, TrafficReplay& replay) {
  WorkRates least = rates_once(cloud, cameras, views, settings, replay);
  for (int repeat = 1; repeat < kRepeats; ++repeat) {
    const WorkRates again = rates_once(cloud, cameras, views, settings, replay);
    for (double WorkRates::*rate : kAllRates) least.*rate = std::min(least.*rate, again.*rate);
  }
  return least;
}

StepEstimate estimate_step(const StepModel& model, const StepCounts& step,
                           std::span<const TagTraffic> traffic) {
  const int ranks = step.ranks();
  std::vector<int64_t> bytes(ranks, 0), messages(ranks, 0), received(ranks, 0), tiles(ranks, 0);
  for (const TagTraffic& tag : traffic) {
    for (int r = 0; r < ranks; ++r) {
      bytes[r] += tag.bytes[r];
      messages[r] += tag.messages[r];
    }
  }
  StepEstimate estimate;
  estimate.bytes_sent = sum(bytes);
  estimate.busiest_bytes_sent = most(bytes);
  estimate.busiest_messages = most(messages);

  const WorkRates& rates = model.rates;
  const int reach = step.partition == Partition::kWholeViews ? 0 : core::kSsimReach;
  std::vector<double> draw;          // by round, of the slowest rank
  std::vector<double> drawn(ranks);  // by rank, of all rounds
  for (const std::vector<WindowCounts>& round : step.rounds) {
    std::vector<double> seconds(ranks, 0);
    std::vector<int64_t> round_received(ranks, 0), round_tiles(ranks, 0);
    for (const WindowCounts& window : round) {
      const int by = window.drawn.rank;
      const core::PixelWindow& picture = step.pictures[window.drawn.view];
      seconds[by] += seconds_to_draw(rates, window, picture, reach) / model.cores;
      const int64_t splats = splats_of(window);
      const int64_t moved = splats - window.splats[by].splats;
      estimate.routed += splats;
      estimate.moved += moved;
      round_received[by] += moved;
      round_tiles[by] += window.tile_pairs;
    }
    draw.push_back(*std::max_element(seconds.begin(), seconds.end()));
    for (int r = 0; r < ranks; ++r) {
      drawn[r] += seconds[r];
      received[r] = std::max(received[r], round_received[r]);
      tiles[r] = std::max(tiles[r], round_tiles[r]);
    }
  }
  // Without overlap nothing binds the ranks from round to round.
  if (!model.overlap) draw = {*std::max_element(drawn.begin(), drawn.end())};

  double owners_s = 0;  // before the first round and after the last
  for (int r = 0; r < ranks; ++r) {
    const double seconds =
        rates.owned *
            static_cast<double>(step.owned[r] * static_cast<int64_t>(step.pictures.size())) +
        rates.visible * static_cast<double>(step.visible[r]) +
        rates.updated * static_cast<double>(step.owned[r]);
    owners_s = std::max(owners_s, seconds / model.cores);
    estimate.exchange_s =
        std::max(estimate.exchange_s, static_cast<double>(bytes[r]) / model.bytes_per_second +
                                          static_cast<double>(messages[r]) * model.latency_s);
  }
  estimate.compute_s = owners_s + std::accumulate(draw.begin(), draw.end(), 0.0);
  estimate.step_s = owners_s + seconds_of_rounds(draw, estimate.exchange_s, model.overlap);
  estimate.state_bytes =
      most(step.owned) * kStateCopies * model.planes * static_cast<int64_t>(sizeof(float));
  const int64_t under_way = step.rounds.size() > 1 ? 2 : 1;
  estimate.message_bytes = most(received) * kSplatBytes * under_way;
  estimate.tile_bytes = most(tiles) * kTilePairBytes;
  return estimate;
}

double seconds_alone(const StepModel& model, std::span<const ViewWork> views, int64_t gaussians) {
  const WorkRates& rates = model.rates;
  const auto all = static_cast<double>(gaussians);
  double seconds = rates.updated * all;
  for (const ViewWork& view : views) {
    seconds +=
        rates.owned * all + rates.visible * static_cast<double>(view.visible) +
        seconds_to_draw(rates, view.visible, view.tile_pairs, view.evaluated_pairs(), view.pixels);
  }
  return seconds / model.cores;
}

}  // namespace tessera::models
