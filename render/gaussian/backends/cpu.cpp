// The CPU backend's order of work: project, sort by depth, bin into tiles, blend; and back.
//
// Everything that is summed across tiles or threads is written to a place of its own first and
// added in a fixed order, so results are the same bits for any number of threads. Buffers live
// across steps.
// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/cpu.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "core/timer.h"
#include "render/gaussian/backends/cpu_binning.h"
#include "render/gaussian/backends/cpu_kernel_table.h"
#include "render/gaussian/backends/depth_sort.h"

namespace tessera::render {
namespace {

constexpr int64_t kPadding = 16;  // kernels store whole vectors
constexpr int64_t kGatherChunk = 4096;
constexpr int64_t kReduceChunk = 256;

void shape(core::ImageF& image, int width, int height, int channels) {
  image.width = width;
  image.height = height;
  image.channels = channels;
  image.data.resize(int64_t{width} * height * channels);
}

class CpuRasterizer final : public Rasterizer {
 public:
  explicit CpuRasterizer(core::ThreadPool& pool)
      : pool_(pool), kernels_(*TESSERA_CHOOSE_KERNEL(core::chosen_isa(), kCpuKernels)) {}

  std::span<const float> radii() const override {
    return {radii_.data(), static_cast<size_t>(count_)};
  }
  RasterizeCounts counts() const override { return counts_; }
  void take_stage_times(std::vector<StageTime>& times) override {
    times.insert(times.end(), stage_times_.begin(), stage_times_.end());
    stage_times_.clear();
  }

 private:
  void forward_impl(const core::GaussianCloud& cloud, const core::PosedCamera& camera,
                    const RasterizeOptions& options, RenderOutput& output) override {
    camera_ = camera_values(camera);
    options_ = options;
    count_ = cloud.size();
    timed("project", [&] { project(cloud); });
    timed("sort", [&] { sort_by_depth(cloud); });
    timed("bin", [&] {
      counts_.tile_pairs =
          binning_.run(pool_, kernels_, sorted_.view(), camera_.width, camera_.height);
    });
    timed("blend", [&] { blend(output); });
  }

  void backward_impl(const core::GaussianCloud& cloud, const RenderOutputGradient& output_gradient,
                     RasterizeGradient& gradient) override {
    timed("blend backward", [&] { blend_backward(output_gradient, gradient); });
    timed("reduce", [&] { reduce_pairs(); });
    timed("project backward", [&] { project_backward(cloud, gradient); });
  }

  template <class Body>
  void timed(std::string_view stage, const Body& body) {
    const core::Timer timer;
    body();
    stage_times_.push_back({stage, timer.seconds() * 1e3});
  }

  void project(const core::GaussianCloud& cloud) {
    splats_.resize(count_);
    radii_.resize(count_ + kPadding);
    visible_.resize(count_);
    const int64_t chunks = (count_ + kProjectChunk - 1) / kProjectChunk;
    visible_counts_.resize(chunks);
    const ProjectTask task = {camera_,
                              cloud.plane(0),
                              cloud.parameters.stride(),
                              count_,
                              std::min(options_.sh_degree, cloud.sh_degree),
                              options_.antialiased,
                              options_.normals,
                              options_.near_plane,
                              splats_.data(),
                              radii_.data(),
                              visible_.data()};
    pool_.parallel_for(chunks, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t c = begin; c < end; ++c) {
        visible_counts_[c] =
            kernels_.project(task, c * kProjectChunk, std::min(count_, (c + 1) * kProjectChunk));
      }
    });
  }

  void sort_by_depth(const core::GaussianCloud& cloud) {
    items_.clear();
    for (int64_t c = 0; c < visible_counts_.size(); ++c) {
      const int64_t at = items_.size();
      items_.resize(at + visible_counts_[c]);
      for (int64_t k = 0; k < visible_counts_[c]; ++k) {
        const uint32_t index = visible_[c * kProjectChunk + k];
        items_[at + k] = {std::bit_cast<uint32_t>(splats_[index].depth), index};
      }
    }
    radix_sort(items_, sort_scratch_);
    order_equal_depths(cloud);
    counts_.visible = items_.size();
    gather_sorted();
  }

  // From here on splats are met in the order of blending: one pass with loads asked for ahead is
  // cheaper than a missed cache line at every later use.
  void gather_sorted() {
    constexpr int64_t kAhead = 16;
    sorted_.resize(items_.size());
    pool_.parallel_for(items_.size(), kGatherChunk, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        if (i + kAhead < end) __builtin_prefetch(&splats_[items_[i + kAhead].value]);
        sorted_[i] = splats_[items_[i].value];
      }
    });
  }

  // Equal depths are ordered by the splat's other values, then by id. By value, not by bytes: then
  // another instruction set, whose last bits differ, gives the same order.
  void order_equal_depths(const core::GaussianCloud& cloud) {
    const auto before = [&](const SortItem& a, const SortItem& b) {
      constexpr int kFloats = sizeof(CpuSplat) / sizeof(float);
      const float* values_a = &splats_[a.value].mean_x;
      const float* values_b = &splats_[b.value].mean_x;
      for (int k = 0; k < kFloats; ++k) {
        if (values_a[k] != values_b[k]) return values_a[k] < values_b[k];
      }
      return cloud.ids[a.value] < cloud.ids[b.value];
    };
    for (int64_t i = 0; i + 1 < items_.size();) {
      int64_t end = i + 1;
      while (end < items_.size() && items_[end].key == items_[i].key) ++end;
      if (end - i > 1) std::sort(items_.data() + i, items_.data() + end, before);
      i = end;
    }
  }

  void blend(RenderOutput& output) {
    const int width = camera_.width, height = camera_.height;
    shape(output.color, width, height, 3);
    shape(output.alpha, width, height, 1);
    if (options_.depth) {
      shape(output.depth, width, height, 1);
      shape(output.depth_variance, width, height, 1);
      shape(output.median_depth, width, height, 1);
    }
    if (options_.normals) shape(output.normal, width, height, 3);
    state_.resize(int64_t{binning_.tile_count()} * 4 * kTilePixels);
    const RasterTask task = {sorted_.data(),
                             binning_.pair_splat(),
                             binning_.pair_groups(),
                             width,
                             height,
                             binning_.tiles_x(),
                             {options_.background.x, options_.background.y, options_.background.z},
                             state_.data(),
                             output.color.data.data(),
                             output.alpha.data.data(),
                             options_.depth ? output.depth.data.data() : nullptr,
                             options_.depth ? output.depth_variance.data.data() : nullptr,
                             options_.depth ? output.median_depth.data.data() : nullptr,
                             options_.normals ? output.normal.data.data() : nullptr};
    const auto raster =
        options_.depth || options_.normals ? kernels_.raster_extras : kernels_.raster;
    evaluated_.resize(binning_.tile_count());
    for_each_tile([&](int tile, int64_t begin, int64_t end) {
      evaluated_[tile] = raster(task, tile, begin, end);
    });
    counts_.evaluated_pairs = 0;
    for (const int64_t pairs : evaluated_) counts_.evaluated_pairs += pairs;
    if (options_.depth) forward_depth_ = output.depth.data;
  }

  void blend_backward(const RenderOutputGradient& d, RasterizeGradient& gradient) {
    pair_gradients_.resize(counts_.tile_pairs);
    const RasterBackwardTask task = {
        sorted_.data(),
        binning_.pair_splat(),
        binning_.pair_groups(),
        camera_.width,
        camera_.height,
        binning_.tiles_x(),
        {options_.background.x, options_.background.y, options_.background.z},
        state_.data(),
        forward_depth_.data(),
        d.color.data.data(),
        d.alpha.empty() ? nullptr : d.alpha.data.data(),
        d.depth.empty() ? nullptr : d.depth.data.data(),
        gradient.absolute,
        pair_gradients_.data()};
    struct Background {
      double value[3];
    };
    std::vector<Background> background(binning_.tile_count(), Background{});
    for_each_tile([&](int tile, int64_t begin, int64_t end) {
      kernels_.raster_backward(task, tile, begin, end, background[tile].value);
    });
    for (const Background& b : background) {
      gradient.background =
          gradient.background + math::Vec3<double>{b.value[0], b.value[1], b.value[2]};
    }
  }

  // body(tile, begin, end) over the tiles, those with most pairs first.
  template <class Body>
  void for_each_tile(const Body& body) {
    pool_.parallel_for(binning_.tile_count(), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        const int tile = binning_.largest_first()[i];
        body(tile, binning_.tile_begin(tile), binning_.tile_end(tile));
      }
    });
  }

  void reduce_pairs() {
    constexpr int64_t kAhead = 8;
    splat_gradients_.resize(count_);
    const int64_t splats = items_.size();
    pool_.parallel_for(splats, kReduceChunk, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        constexpr int kFloats = sizeof(CpuSplatGradient) / sizeof(float);
        CpuSplatGradient sum = {};
        float* to = sum.color;
        if (i + kAhead < end) {
          __builtin_prefetch(
              &pair_gradients_[binning_.pair_of_entry(binning_.splat_begin(i + kAhead))]);
        }
        for (int64_t e = binning_.splat_begin(i); e < binning_.splat_end(i); ++e) {
          const float* from = pair_gradients_[binning_.pair_of_entry(e)].color;
          for (int k = 0; k < kFloats; ++k) to[k] += from[k];
        }
        splat_gradients_[items_[i].value] = sum;
      }
    });
  }

  void project_backward(const core::GaussianCloud& cloud, RasterizeGradient& gradient) {
    gradient.mean2d_x.resize(count_ + kPadding);
    gradient.mean2d_y.resize(count_ + kPadding);
    if (gradient.absolute) {
      gradient.absolute_mean2d_x.resize(count_ + kPadding);
      gradient.absolute_mean2d_y.resize(count_ + kPadding);
    }
    const ProjectBackwardTask task = {camera_,
                                      cloud.plane(0),
                                      gradient.parameters.plane(0),
                                      cloud.parameters.stride(),
                                      gradient.parameters.stride(),
                                      count_,
                                      std::min(options_.sh_degree, cloud.sh_degree),
                                      options_.antialiased,
                                      gradient.pose,
                                      gradient.absolute,
                                      splats_.data(),
                                      radii_.data(),
                                      splat_gradients_.data(),
                                      gradient.mean2d_x.data(),
                                      gradient.mean2d_y.data(),
                                      gradient.absolute_mean2d_x.data(),
                                      gradient.absolute_mean2d_y.data()};
    const int64_t chunks = (count_ + kProjectChunk - 1) / kProjectChunk;
    std::vector<PoseGradient> poses(chunks);
    pool_.parallel_for(chunks, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t c = begin; c < end; ++c) {
        poses[c] = kernels_.project_backward(task, c * kProjectChunk,
                                             std::min(count_, (c + 1) * kProjectChunk));
      }
    });
    for (const PoseGradient& p : poses) {
      gradient.camera_rotation =
          gradient.camera_rotation + math::Vec3<double>{p.omega[0], p.omega[1], p.omega[2]};
      gradient.camera_translation =
          gradient.camera_translation +
          math::Vec3<double>{p.translation[0], p.translation[1], p.translation[2]};
    }
    gradient.mean2d_x.resize(count_);
    gradient.mean2d_y.resize(count_);
    gradient.absolute_mean2d_x.resize(gradient.absolute ? count_ : 0);
    gradient.absolute_mean2d_y.resize(gradient.absolute ? count_ : 0);
  }

  core::ThreadPool& pool_;
  const CpuKernels& kernels_;
  CameraValues camera_ = {};
  RasterizeOptions options_;
  int64_t count_ = 0;
  RasterizeCounts counts_;
  std::vector<StageTime> stage_times_;

  core::Array<CpuSplat> splats_;
  core::Array<float> radii_;
  core::Array<uint32_t> visible_;
  core::Array<int64_t> visible_counts_;
  core::Array<SortItem> items_, sort_scratch_;
  core::Array<CpuSplat> sorted_;  // the visible ones in the order of blending, as items_
  CpuBinning binning_;
  core::Array<float> state_;
  core::Array<int64_t> evaluated_;
  core::Array<float> forward_depth_;
  core::Array<CpuSplatGradient> pair_gradients_;
  core::Array<CpuSplatGradient> splat_gradients_;
};

}  // namespace

std::unique_ptr<Rasterizer> make_cpu_rasterizer(core::ThreadPool& pool) {
  return std::make_unique<CpuRasterizer>(pool);
}

}  // namespace tessera::render
