// SPDX-License-Identifier: MIT
#include "models/multiplane/refiner/refine.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/metrics.h"
#include "models/multiplane/refiner/layer_patches.h"
#include "models/multiplane/refiner/network.h"
#include "render/multiplane/multiplane_renderer.h"

namespace tessera::models {
namespace {

constexpr int64_t kBatch = 16;
constexpr int kTries = 6;  // of changes of visible texels, each half of the one before

// What the network gives for each patch, one after the other.
core::Array<float> network_output(const core::MultiplaneImage& image, const ReferenceView& view,
                                  const std::vector<LayerPatch>& patches,
                                  const RefinerNetwork& network, core::ThreadPool& pool,
                                  const RefineProgress& progress) {
  const at::NoGradGuard no_gradients;
  const auto total = static_cast<int64_t>(patches.size());
  core::Array<float> output(total * kRefinedValues);
  for (int64_t begin = 0; begin < total; begin += kBatch) {
    const int64_t count = std::min(kBatch, total - begin);
    const at::Tensor seen = at::empty({count, kPatchChannels, kPatchSeen, kPatchSeen}, at::kFloat);
    for (int64_t i = 0; i < count; ++i) {
      see_patch(image, view, patches[begin + i], pool,
                seen.mutable_data_ptr<float>() + i * kPatchValues);
    }
    const at::Tensor refined = network.forward(seen);
    std::copy_n(refined.const_data_ptr<float>(), count * kRefinedValues,
                output.data() + begin * kRefinedValues);
    progress(begin + count, total);
  }
  return output;
}

uint8_t to_byte(float value) {
  return static_cast<uint8_t>(std::lround(255 * std::clamp(value, 0.0F, 1.0F)));
}

core::MultiplaneImage changed(const core::MultiplaneImage& image,
                              const std::vector<LayerPatch>& patches,
                              const core::Array<float>& output, float visible_share) {
  core::MultiplaneImage result = image;
  for (size_t i = 0; i < patches.size(); ++i) {
    const float* change = output.data() + static_cast<int64_t>(i) * kRefinedValues;
    for_each_refined(
        image.layers[patches[i].layer], patches[i], result.pages,
        [&](TexelRole role, int at, uint8_t* texel) {
          constexpr int kPlane = kPatchSide * kPatchSide;
          const float share = role == TexelRole::kHidden ? 1 : visible_share;
          const float alpha = static_cast<float>(texel[3]) / 255;
          const float refined_alpha =
              std::clamp(alpha + share * alpha_bound(role) * change[3 * kPlane + at], 0.0F, 1.0F);
          for (int c = 0; c < 3; ++c) {
            const float color = static_cast<float>(texel[c]) / static_cast<float>(texel[3]);
            const float refined = color + share * color_bound(role) * change[c * kPlane + at];
            texel[c] = to_byte(refined_alpha * std::clamp(refined, 0.0F, 1.0F));
          }
          texel[3] = to_byte(refined_alpha);
        });
  }
  return result;
}

core::ImageF reference_picture(const core::MultiplaneImage& image, core::ThreadPool& pool) {
  render::MultiplaneOutput output;
  render::make_multiplane_renderer("cpu", pool)->forward(image, image.camera, {}, output);
  return std::move(output.color);
}

}  // namespace

core::MultiplaneImage refined_multiplane(const core::MultiplaneImage& image,
                                         const core::TensorMap& weights, core::ThreadPool& pool,
                                         const RefineProgress& progress) {
  core::check_multiplane_image(image);
  at::set_num_threads(pool.thread_count());
  const RefinerNetwork network(weights);
  const ReferenceView view = reference_view(image);
  const std::vector<LayerPatch> patches = layer_patches(image, view);
  const core::Array<float> output = network_output(image, view, patches, network, pool, progress);
  const core::ImageF before = reference_picture(image, pool);
  float visible_share = 1;
  for (int i = 0; i < kTries; ++i, visible_share /= 2) {
    core::MultiplaneImage refined = changed(image, patches, output, visible_share);
    const core::ImageF after = reference_picture(refined, pool);
    if (core::measure(after, before, {}, pool).psnr >= kReferencePsnr) return refined;
  }
  return changed(image, patches, output, 0);
}

}  // namespace tessera::models
