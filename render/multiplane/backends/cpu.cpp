// Tiles are drawn independently. Backward goes by bands of tiles, so that its lists stay small: in
// each, first the gradients of samples by tile, then those of texels by layer, which owns them.
// SPDX-License-Identifier: MIT
#include "render/multiplane/backends/cpu.h"

#include <algorithm>
#include <vector>

#include "core/array.h"
#include "core/isa_kernels.h"
#include "render/multiplane/backends/multiplane_blocks.h"
#include "render/multiplane/backends/multiplane_kernels.h"

namespace tessera::render {

TESSERA_DECLARE_KERNEL(void blend_bytes(const Block& block, const BlendTask& task);
                       void blend_floats(const Block& block, const BlendTask& task);
                       void blend_backward(const Block& block, const BlendBackwardTask& task);
                       void add_texels(const AddTexelsTask& task);
                       inline constexpr MultiplaneKernels kMultiplaneKernels = {
                           blend_bytes, blend_floats, blend_backward, add_texels})

namespace {

constexpr int64_t kTilesAtOnce = 8;
// (tile, layer) pairs of a band: 8 KB each.
constexpr int64_t kBandPairs = 2048;

// Samples of a layer in one block, of a band.
struct LayerSamples {
  int layer;
  int tile;  // in the band
  int64_t first;
  int64_t count;
  math::Vec3<double> plane;  // dL/d
};

// What a tile of the band gives.
struct TileGradient {
  TileBlocks blocks;
  core::Array<float> scratch;
  core::Array<PixelSample> samples;
  std::vector<BlockMapGradient> maps;
  std::vector<LayerSamples> layers;
};

template <class T>
std::vector<TexelPage> texel_pages(const core::BasicMultiplaneImage<T>& image) {
  std::vector<TexelPage> pages;
  for (const auto& page : image.pages) pages.push_back({page.data.data(), page.width});
  return pages;
}

class CpuMultiplaneRenderer final : public MultiplaneRenderer {
 public:
  explicit CpuMultiplaneRenderer(core::ThreadPool& pool)
      : pool_(pool), kernels_(*TESSERA_CHOOSE_KERNEL(core::chosen_isa(), kMultiplaneKernels)) {}

 private:
  template <class T>
  void draw(const core::BasicMultiplaneImage<T>& image, const core::PosedCamera& target,
            const MultiplaneOptions& options, void (*blend)(const Block&, const BlendTask&),
            MultiplaneOutput& output) {
    const int width = options.window.width, height = options.window.height;
    output.color.resize(width, height, 3);
    output.alpha.resize(width, height, 1);
    output.disparity.resize(options.disparity ? width : 0, options.disparity ? height : 0, 1);
    planner_.plan(image.camera, image.layers, target);
    options_ = options;
    const std::vector<TexelPage> pages = texel_pages(image);
    tile_blocks_.resize(pool_.thread_count());
    const std::vector<int> tiles = planner_.tiles_of(options.window);
    pool_.parallel_for(static_cast<int64_t>(tiles.size()), kTilesAtOnce,
                       [&](int64_t begin, int64_t end, int thread) {
                         TileBlocks& tile = tile_blocks_[thread];
                         for (int64_t t = begin; t < end; ++t) {
                           planner_.find(tiles[t], pages, 4 * sizeof(T), tile);
                           for (const Block& block : tile.blocks) {
                             const int64_t pixel = pixel_of(block, options.window);
                             BlendTask task;
                             task.layers = tile.layers.data() + block.first_layer;
                             set_background(task.background);
                             task.stride = width;
                             task.color = output.color.data.data() + 3 * pixel;
                             task.alpha = output.alpha.data.data() + pixel;
                             task.disparity =
                                 options.disparity ? output.disparity.data.data() + pixel : nullptr;
                             blend(block, task);
                           }
                         }
                       });
  }

  static int64_t pixel_of(const Block& block, const core::PixelWindow& window) {
    return int64_t{block.y - window.top} * window.width + block.x - window.left;
  }

  void set_background(float (&to)[3]) const {
    to[0] = options_.background.x;
    to[1] = options_.background.y;
    to[2] = options_.background.z;
  }

  void forward_impl(const core::MultiplaneImage& image, const core::PosedCamera& target,
                    const MultiplaneOptions& options, MultiplaneOutput& output) override {
    draw(image, target, options, kernels_.blend_bytes, output);
  }
  void forward_impl(const core::MultiplaneImageF& image, const core::PosedCamera& target,
                    const MultiplaneOptions& options, MultiplaneOutput& output) override {
    draw(image, target, options, kernels_.blend_floats, output);
  }

  void backward_impl(const core::MultiplaneImageF& image, const core::PixelWindow& window,
                     const MultiplaneOutputGradient& d_output,
                     MultiplaneGradient& gradient) override {
    const std::vector<TexelPage> pages = texel_pages(image);
    std::vector<math::Vec3<double>> planes(image.layers.size(), {0, 0, 0});
    const std::vector<int> tiles = planner_.tiles_of(window);
    for (size_t next = 0; next < tiles.size();) {
      const size_t first = next;
      for (int64_t pairs = 0; next < tiles.size() && (next == first || pairs < kBandPairs);
           ++next) {
        pairs += planner_.candidate_count(tiles[next]);
      }
      const auto count = static_cast<int>(next - first);
      band_.resize(std::max<size_t>(band_.size(), count));
      pool_.parallel_for(count, 1, [&](int64_t begin, int64_t end, int) {
        for (int64_t t = begin; t < end; ++t) {
          tile_backward(tiles[first + t], static_cast<int>(t), pages, window, d_output, band_[t]);
        }
      });
      add_band(count, image.layers, gradient, planes);
    }
    for (size_t i = 0; i < planes.size(); ++i) {
      gradient.planes[i] = gradient.planes[i] + math::Vec3<float>{static_cast<float>(planes[i].x),
                                                                  static_cast<float>(planes[i].y),
                                                                  static_cast<float>(planes[i].z)};
    }
  }

  void tile_backward(int tile, int tile_in_band, const std::vector<TexelPage>& pages,
                     const core::PixelWindow& window, const MultiplaneOutputGradient& d_output,
                     TileGradient& to) const {
    planner_.find_ordered(tile, pages, 4 * sizeof(float), to.blocks);
    to.layers.clear();
    int64_t samples = 0;
    for (const Block& block : to.blocks.blocks) {
      samples += int64_t{block.layer_count} * block.width * block.height;
    }
    to.samples.resize(samples);
    samples = 0;
    const int64_t stride = d_output.color.width;
    for (const Block& block : to.blocks.blocks) {
      const int64_t pixel = pixel_of(block, window);
      const auto at = [&](const core::ImageF& picture) {
        return picture.empty() ? nullptr : picture.data.data() + pixel;
      };
      to.scratch.resize(
          std::max(to.scratch.size(), int64_t{block.layer_count} * kBlendBackwardScratch));
      to.maps.resize(block.layer_count);
      BlendBackwardTask task;
      task.layers = to.blocks.layers.data() + block.first_layer;
      set_background(task.background);
      task.stride = stride;
      task.d_color = d_output.color.data.data() + 3 * pixel;
      task.d_alpha = at(d_output.alpha);
      task.d_disparity = at(d_output.disparity);
      task.scratch = to.scratch.data();
      task.samples = to.samples.data() + samples;
      task.gradient = to.maps.data();
      kernels_.blend_backward(block, task);
      const int64_t pixels = int64_t{block.width} * block.height;
      for (int i = 0; i < block.layer_count; ++i) {
        const BlockLayer& layer = task.layers[i];
        to.layers.push_back({layer.layer, tile_in_band, samples, pixels,
                             planner_.plane_gradient(block, layer, to.maps[i])});
        samples += pixels;
      }
    }
  }

  // Adds what the band's tiles gave, of each layer in the order of tiles.
  void add_band(int tiles, const std::vector<core::MultiplaneLayer>& layers,
                MultiplaneGradient& gradient, std::vector<math::Vec3<double>>& planes) {
    band_layers_.clear();
    for (int t = 0; t < tiles; ++t) {
      band_layers_.insert(band_layers_.end(), band_[t].layers.begin(), band_[t].layers.end());
    }
    std::stable_sort(
        band_layers_.begin(), band_layers_.end(),
        [](const LayerSamples& a, const LayerSamples& b) { return a.layer < b.layer; });
    std::vector<int64_t> begins;
    for (size_t i = 0; i < band_layers_.size(); ++i) {
      if (i == 0 || band_layers_[i].layer != band_layers_[i - 1].layer) {
        begins.push_back(static_cast<int64_t>(i));
      }
    }
    const auto count = static_cast<int64_t>(begins.size());
    begins.push_back(static_cast<int64_t>(band_layers_.size()));
    pool_.parallel_for(count, 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begins[begin]; i < begins[end]; ++i) {
        const LayerSamples& samples = band_layers_[i];
        const core::MultiplaneLayer& layer = layers[samples.layer];
        planes[samples.layer] = planes[samples.layer] + samples.plane;
        core::ImageF& page = gradient.pages[layer.page];
        kernels_.add_texels({band_[samples.tile].samples.data() + samples.first, samples.count,
                             &page.at(layer.x, layer.y), page.width, layer.window.width,
                             layer.window.height});
      }
    });
  }

  core::ThreadPool& pool_;
  const MultiplaneKernels& kernels_;
  MultiplaneBlocks planner_;
  MultiplaneOptions options_;
  std::vector<TileBlocks> tile_blocks_;  // of each thread
  std::vector<TileGradient> band_;
  std::vector<LayerSamples> band_layers_;
};

}  // namespace

std::unique_ptr<MultiplaneRenderer> make_cpu_multiplane_renderer(core::ThreadPool& pool) {
  return std::make_unique<CpuMultiplaneRenderer>(pool);
}

}  // namespace tessera::render
