// SPDX-License-Identifier: MIT
#include "models/multiplane/refiner/lesson.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/multiplane/plan.h"

namespace tessera::models {
namespace {

constexpr float kCovered = 0.5F;
constexpr int kPlane = kPatchSide * kPatchSide;

core::MultiplaneImage planned(const WarpedPhoto& example, core::ThreadPool& pool) {
  PlanSettings settings;
  settings.baseline = example.baseline;
  return build_multiplane(example.nearby, settings, pool);
}

core::MultiplaneImageF in_floats(const core::MultiplaneImage& image) {
  core::MultiplaneImageF floats = {image.camera, image.layers, {}, image.metric};
  for (const core::Image8& page : image.pages) {
    core::ImageF& to = floats.pages.emplace_back(page.width, page.height, page.channels);
    for (int64_t i = 0; i < page.data.size(); ++i) {
      to.data[i] = static_cast<float>(page.data[i]) / 255;
    }
  }
  return floats;
}

// A change within bounds, and its derivative by the network's output: zero beyond them.
struct Changed {
  float value;
  float slope;
};
Changed changed(float before, float bound, float output) {
  const float value = before + bound * output;
  return {std::clamp(value, 0.0F, 1.0F), value < 0 || value > 1 ? 0.0F : bound};
}

}  // namespace

// Straight.
struct Lesson::RefinedTexel {
  Changed color[3];
  Changed alpha;

  RefinedTexel(const uint8_t* before, TexelRole role, const float* output) {
    for (int c = 0; c < 3; ++c) {
      color[c] = changed(static_cast<float>(before[c]) / static_cast<float>(before[3]),
                         color_bound(role), output[c * kPlane]);
    }
    alpha = changed(static_cast<float>(before[3]) / 255, alpha_bound(role), output[3 * kPlane]);
  }
};

Lesson::Lesson(WarpedPhoto example, float ssim_weight, core::ThreadPool& pool)
    : example_(std::move(example)),
      ssim_weight_(ssim_weight),
      pool_(pool),
      image_(planned(example_, pool)),
      view_(reference_view(image_)),
      patches_(layer_patches(image_, view_)),
      renderer_(render::make_multiplane_renderer("cpu", pool)),
      comparer_(pool) {
  const core::MultiplaneImageF floats = in_floats(image_);
  renderer_->forward(floats, example_.camera, {}, drawn_);
  for (int64_t i = 0; i < example_.truth_mask.data.size(); ++i) {
    if (drawn_.alpha.data[i] < kCovered) example_.truth_mask.data[i] = 0;
  }
  render::MultiplaneGradient gradient = render::zero_gradient(floats);
  plain_loss_ = loss(floats, &gradient);
  sort_by_weight(gradient);
}

double Lesson::loss(const core::MultiplaneImageF& floats, render::MultiplaneGradient* gradient) {
  const auto of_view = [&](const core::PosedCamera& camera, const core::Image8& truth,
                           const core::Image8& mask) {
    renderer_->forward(floats, camera, {}, drawn_);
    const double loss =
        comparer_.compare(drawn_.color, truth, mask, ssim_weight_, drawn_gradient_.color)
            .loss(ssim_weight_);
    if (gradient != nullptr) renderer_->backward(floats, drawn_gradient_, *gradient);
    return loss;
  };
  return of_view(example_.nearby.camera, example_.nearby.photo, example_.nearby_mask) +
         of_view(example_.camera, example_.truth, example_.truth_mask);
}

// Most texels that nearer ones hide are seen from nowhere near; patches of them teach nothing.
void Lesson::sort_by_weight(const render::MultiplaneGradient& gradient) {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < patches_.size(); ++i) {
    double weight = 0;
    for_each_refined(image_.layers[patches_[i].layer], patches_[i], gradient.pages,
                     [&](TexelRole role, int, const float* d) {
                       for (int c = 0; c < 3; ++c) weight += color_bound(role) * std::abs(d[c]);
                       weight += alpha_bound(role) * std::abs(d[3]);
                     });
    if (weight > 0) order.emplace_back(-weight, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<LayerPatch> sorted;
  sorted.reserve(order.size());
  for (const auto& [weight, i] : order) sorted.push_back(patches_[i]);
  patches_ = std::move(sorted);
}

void Lesson::keep_first(int64_t count) {
  if (patch_count() > count) patches_.resize(count);
}

at::Tensor Lesson::seen(int64_t begin, int64_t count) const {
  at::Tensor all = at::empty({count, kPatchChannels, kPatchSeen, kPatchSeen}, at::kFloat);
  for (int64_t i = 0; i < count; ++i) {
    see_patch(image_, view_, patches_[begin + i], pool_,
              all.mutable_data_ptr<float>() + i * kPatchValues);
  }
  return all;
}

// Calls visit(the texel as it was, its role, where its first value is in the network's output, its
// four values in `pages`).
template <class Visit>
void Lesson::for_each_texel(std::vector<core::ImageF>& pages, const Visit& visit) const {
  for (int64_t i = 0; i < patch_count(); ++i) {
    const core::MultiplaneLayer& layer = image_.layers[patches_[i].layer];
    const core::Image8& page = image_.pages[layer.page];
    const float* begin = pages[layer.page].data.data();
    for_each_refined(layer, patches_[i], pages, [&](TexelRole role, int at, float* texel) {
      visit(page.data.data() + (texel - begin), role, i * kRefinedValues + at, texel);
    });
  }
}

double Lesson::refined_loss(const at::Tensor& output, at::Tensor* gradient) {
  const float* values = output.const_data_ptr<float>();
  core::MultiplaneImageF floats = in_floats(image_);
  for_each_texel(floats.pages, [&](const uint8_t* before, TexelRole role, int64_t at, float* to) {
    const RefinedTexel texel(before, role, values + at);
    for (int c = 0; c < 3; ++c) to[c] = texel.alpha.value * texel.color[c].value;
    to[3] = texel.alpha.value;
  });
  if (gradient == nullptr) return loss(floats, nullptr);
  render::MultiplaneGradient by_texel = render::zero_gradient(floats);
  const double result = loss(floats, &by_texel);
  float* by_output = gradient->mutable_data_ptr<float>();
  std::fill_n(by_output, gradient->numel(), 0.0F);
  for_each_texel(by_texel.pages,
                 [&](const uint8_t* before, TexelRole role, int64_t at, const float* d) {
                   const RefinedTexel texel(before, role, values + at);
                   float d_alpha = d[3];
                   for (int c = 0; c < 3; ++c) {
                     by_output[at + c * kPlane] = texel.color[c].slope * texel.alpha.value * d[c];
                     d_alpha += texel.color[c].value * d[c];
                   }
                   by_output[at + 3 * kPlane] = texel.alpha.slope * d_alpha;
                 });
  return result;
}

}  // namespace tessera::models
