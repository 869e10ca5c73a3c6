// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/traffic_replay.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/math/rng.h"
#include "distributed/backends/lone_rank.h"
#include "models/gaussian/model.h"
#include "models/gaussian/sharded/balanced_views.h"
#include "models/gaussian/sharded/ownership.h"
#include "render/gaussian/backends/cpu.h"
#include "render/gaussian/splat_message.h"

namespace tessera::models {
namespace {

using render::kTileSize;
using render::tiles_along;

int64_t tiles_touched(const render::CpuSplat& splat, const core::PixelWindow& window) {
  const render::TileBounds box = render::tile_bounds(splat, window);
  return int64_t{box.x1 - box.x0 + 1} * (box.y1 - box.y0 + 1);
}

int64_t evaluated_in(const ViewWork& work, const core::PixelWindow& picture,
                     const core::PixelWindow& window) {
  const int across = tiles_along(picture.width);
  int64_t sum = 0;
  for (int y = window.top / kTileSize; y < tiles_along(window.top + window.height); ++y) {
    for (int x = window.left / kTileSize; x < tiles_along(window.left + window.width); ++x) {
      sum += work.evaluated_per_tile[int64_t{y} * across + x];
    }
  }
  return sum;
}

render::RasterizeOptions drawing_options(const TrainSettings& settings) {
  render::RasterizeOptions options;
  options.antialiased = settings.antialiasing;
  options.near_plane = settings.near_plane;
  return options;
}

}  // namespace

int64_t ViewWork::evaluated_pairs() const {
  return std::accumulate(evaluated_per_tile.begin(), evaluated_per_tile.end(), int64_t{0});
}

TrafficReplay::TrafficReplay(const core::GaussianCloud& cloud,
                             std::span<const core::PosedCamera> cameras,
                             const TrainSettings& settings, const MessageCoding& coding,
                             core::ThreadPool& pool)
    : cloud_(cloud),
      cameras_(cameras),
      settings_(settings),
      coding_(coding),
      options_(drawing_options(settings)),
      alone_(distributed::lone_rank()),
      grid_(cameras_center(cameras), scene_extent(cameras)),
      projection_(pool, render::chosen_cpu_kernels()),
      blending_(pool, render::chosen_cpu_kernels()) {}

OwnershipCosts TrafficReplay::costs_of_showing(std::span<const int> views) {
  OwnershipCosts costs;
  for (const int view : views) {
    project(view);
    costs.collect(grid_, cloud_, projection_.radii());
  }
  return costs;
}

TrafficReplay::Owners TrafficReplay::owners_by_boxes(int ranks, const OwnershipCosts& costs) const {
  const Ownership ownership(*alone_, grid_, cloud_, costs.of_gaussians(grid_, cloud_), ranks);
  Owners owners(cloud_.size());
  for (int64_t i = 0; i < cloud_.size(); ++i) {
    owners[i] = static_cast<uint16_t>(ownership.owner(cloud_, i));
  }
  return owners;
}

TrafficReplay::Owners TrafficReplay::owners_at_random(int ranks) const {
  Owners owners(cloud_.size());
  for (int64_t i = 0; i < cloud_.size(); ++i) {
    const math::Random4 bits =
        math::random_bits(0, math::RandomStream::kViewOrder, 0, static_cast<uint64_t>(i));
    owners[i] = static_cast<uint16_t>((uint64_t{bits.v[0]} * static_cast<uint64_t>(ranks)) >> 32);
  }
  return owners;
}

core::PixelWindow TrafficReplay::picture(int view) const {
  return {0, 0, cameras_[view].camera.width, cameras_[view].camera.height};
}

void TrafficReplay::project(int view) {
  if (std::exchange(projected_, view) == view) return;
  projection_.forward(cloud_, cameras_[view], options_);
}

const ViewWork& TrafficReplay::work(int view) {
  const auto [found, is_new] = work_.try_emplace(view);
  ViewWork& work = found->second;
  if (!is_new) return work;
  project(view);
  const core::PixelWindow whole = picture(view);
  work.pixels = int64_t{whole.width} * whole.height;
  work.visible = projection_.visible().size;
  for (const uint32_t i : projection_.visible()) {
    work.tile_pairs += tiles_touched(projection_.splats()[i], whole);
  }
  render::RenderOutput output;
  blending_.forward({projection_.splats(), cloud_.ids.data(), projection_.visible()}, whole,
                    options_, output);
  const core::View<const int64_t> evaluated = blending_.evaluated_per_tile();
  work.evaluated_per_tile.assign(evaluated.begin(), evaluated.end());
  return work;
}

StepCounts TrafficReplay::begin_step(std::span<const int> views, int ranks,
                                     const Owners& owners) const {
  StepCounts step;
  for (const int view : views) step.pictures.push_back(picture(view));
  step.visible.assign(ranks, 0);
  step.owned.assign(ranks, 0);
  for (const uint16_t owner : owners) ++step.owned[owner];
  return step;
}

void TrafficReplay::add_visible(const Owners& owners, StepCounts& step,
                                std::vector<int64_t>& of_view) const {
  of_view.assign(step.ranks(), 0);
  for (const uint32_t i : projection_.visible()) ++of_view[owners[i]];
  for (int r = 0; r < step.ranks(); ++r) step.visible[r] += of_view[r];
}

WindowCounts TrafficReplay::count(const DrawnWindow& drawn, int view, const Owners& owners,
                                  int ranks) {
  WindowCounts counts;
  counts.drawn = drawn;
  counts.splats.resize(ranks);
  counts.evaluated_pairs = evaluated_in(work(view), picture(view), drawn.window);
  project(view);
  const render::CpuSplat* splats = projection_.splats();
  for (const uint32_t i : projection_.visible()) {
    if (!render::reaches(splats[i], drawn.window)) continue;
    SplatCount& count = counts.splats[owners[i]];
    ++count.splats;
    count.outside += coding_.count_outside({splats, nullptr, {&i, 1}}, drawn.window);
    counts.tile_pairs += tiles_touched(splats[i], drawn.window);
  }
  return counts;
}

TileCosts TrafficReplay::costs_before(int view, Showing showing) {
  TileCosts costs;
  if (showing == Showing::kLater) {
    const std::vector<int64_t>& evaluated = work(view).evaluated_per_tile;
    costs.drawn(view, picture(view), {evaluated.data(), static_cast<int64_t>(evaluated.size())});
  }
  return costs;
}

StepCounts TrafficReplay::step(std::span<const int> views, Showing showing, int ranks,
                               const Owners& owners) {
  StepCounts step = begin_step(views, ranks, owners);
  step.partition = partition_of(settings_.partition, static_cast<int>(views.size()), ranks);
  if (step.partition == Partition::kBlocks) {
    draw_in_blocks(views, showing, owners, step);
  } else {
    draw_nearly_whole(views, showing, owners, step);
  }
  return step;
}

void TrafficReplay::draw_in_blocks(std::span<const int> views, Showing showing,
                                   const Owners& owners, StepCounts& step) {
  std::vector<int64_t> visible;
  for (size_t v = 0; v < views.size(); ++v) {
    const core::PixelWindow& picture = step.pictures[v];
    TileCosts costs = costs_before(views[v], showing);
    step.cost_numbers.push_back(costs.numbers_exchanged(views[v], picture));
    project(views[v]);
    add_visible(owners, step, visible);
    std::vector<WindowCounts>& round = step.rounds.emplace_back();
    for (const DrawnWindow& drawn : blocks(static_cast<int>(v), picture, step.ranks(),
                                           costs.next(*alone_, views[v], projection_, picture))) {
      round.push_back(count(drawn, views[v], owners, step.ranks()));
    }
  }
}

// Views whole, or balanced.
void TrafficReplay::draw_nearly_whole(std::span<const int> views, Showing showing,
                                      const Owners& owners, StepCounts& step) {
  CountedViews counted = {step.pictures, {}, {}};
  std::vector<WindowCounts> whole;
  size_t numbers = 0;
  for (size_t v = 0; v < views.size(); ++v) {
    const core::PixelWindow& picture = step.pictures[v];
    TileCosts costs = costs_before(views[v], showing);
    project(views[v]);
    add_visible(owners, step, counted.visible.emplace_back());
    whole.push_back(count({0, static_cast<int>(v), picture}, views[v], owners, step.ranks()));
    if (step.partition == Partition::kWholeViews) continue;
    const std::vector<int64_t> loads = costs.strip_loads(views[v], projection_, picture);
    numbers += loads.size();
    counted.strip_costs.push_back(costs.next_strips(views[v], loads, picture));
  }
  if (numbers > 0) step.cost_numbers.push_back(numbers);
  for (const Round& windows : rounds_of(step.partition, counted, step.ranks())) {
    std::vector<WindowCounts>& round = step.rounds.emplace_back();
    for (const DrawnWindow& drawn : windows) {
      if (drawn.window == step.pictures[drawn.view]) {
        round.push_back(whole[drawn.view]);
        round.back().drawn = drawn;
      } else {
        round.push_back(count(drawn, views[drawn.view], owners, step.ranks()));
      }
    }
  }
}

std::vector<DrawnWindow> TrafficReplay::strips_of(std::span<const int> views, int ranks) {
  std::vector<DrawnWindow> rows;
  std::vector<int64_t> costs;
  int64_t total = 0;
  for (size_t v = 0; v < views.size(); ++v) {
    const core::PixelWindow whole = picture(views[v]);
    for (int row = 0; row < tiles_along(whole.height); ++row) {
      const core::PixelWindow pixels =
          core::intersection({0, row * kTileSize, whole.width, kTileSize}, whole);
      rows.push_back({0, static_cast<int>(v), pixels});
      costs.push_back(evaluated_in(work(views[v]), whole, pixels) +
                      int64_t{pixels.width} * pixels.height);
      total += costs.back();
    }
  }
  // A row goes to where the middle of its cost lies; those of a rank and view become one strip.
  std::vector<DrawnWindow> strips;
  int64_t before = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    DrawnWindow& row = rows[i];
    row.rank = static_cast<int>((before + costs[i] / 2) * ranks / total);
    before += costs[i];
    if (!strips.empty() && strips.back().rank == row.rank && strips.back().view == row.view) {
      strips.back().window.height += row.window.height;
    } else {
      strips.push_back(row);
    }
  }
  return strips;
}

// One round: all splats are sent at once.
std::optional<StepCounts> TrafficReplay::row_step(std::span<const int> views, int ranks,
                                                  const Owners& owners) {
  StepCounts step = begin_step(views, ranks, owners);
  int rows = 0;
  for (const core::PixelWindow& picture : step.pictures) rows += tiles_along(picture.height);
  if (rows < ranks) return std::nullopt;
  std::vector<int64_t> of_view;
  std::vector<WindowCounts>& round = step.rounds.emplace_back();
  for (const DrawnWindow& strip : strips_of(views, ranks)) {
    const int view = views[strip.view];
    project(view);
    if (strip.window.top == 0) add_visible(owners, step, of_view);
    round.push_back(count(strip, view, owners, ranks));
  }
  return step;
}

}  // namespace tessera::models
