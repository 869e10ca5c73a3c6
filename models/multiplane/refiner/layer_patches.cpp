// SPDX-License-Identifier: MIT
#include "models/multiplane/refiner/layer_patches.h"

#include <algorithm>
#include <cmath>

#include "models/multiplane/pull_push.h"

namespace tessera::models {
namespace {

// What is farther counts so much beside what is at the layer's disparity, as hidden colors do.
constexpr float kFartherWeight = 0.02F;
constexpr float kFarther = 0.06F;
constexpr float kDisparityScale = 4;

TexelRole role_of(const ReferenceView& view, float own, int x, int y) {
  if (own < view.disparity.at(x, y) - kOtherSurface) return TexelRole::kHidden;
  if (own < view.most_around.at(x, y) - kOtherSurface) return TexelRole::kFarEdge;
  if (own > view.least_beside.at(x, y) + kOtherSurface &&
      view.least_beside.at(x, y) > ReferenceView::kNothing) {
    return TexelRole::kNearEdge;
  }
  return TexelRole::kNone;
}

const uint8_t* texel_of(const core::MultiplaneImage& image, const core::MultiplaneLayer& layer,
                        int x, int y) {
  const int u = x - layer.window.left;
  const int v = y - layer.window.top;
  if (u < 0 || v < 0 || u >= layer.window.width || v >= layer.window.height) return nullptr;
  const uint8_t* texel = &image.pages[layer.page].at(layer.x + u, layer.y + v);
  return texel[3] < kOpaqueTexel ? nullptr : texel;
}

// Straight, 0..1.
float straight(const uint8_t* texel, int channel) {
  return std::min(1.0F, static_cast<float>(texel[channel]) / static_cast<float>(texel[3]));
}

}  // namespace

float color_bound(TexelRole role) {
  if (role == TexelRole::kNone) return 0;
  return role == TexelRole::kHidden ? kMostHiddenChange : kMostVisibleChange;
}

float alpha_bound(TexelRole role) {
  return role == TexelRole::kNearEdge ? kMostAlphaChange : 0;
}

std::vector<LayerPatch> layer_patches(const core::MultiplaneImage& image,
                                      const ReferenceView& view) {
  std::vector<LayerPatch> patches;
  const core::Camera& camera = image.camera.camera;
  for (size_t i = 0; i < image.layers.size(); ++i) {
    const core::MultiplaneLayer& layer = image.layers[i];
    const core::PixelWindow within = core::intersection(layer.window, view.color.window());
    for (int top = within.top; top < within.bottom(); top += kPatchSide) {
      for (int left = within.left; left < within.right(); left += kPatchSide) {
        LayerPatch patch;
        patch.layer = static_cast<int>(i);
        patch.window = core::intersection({left, top, kPatchSide, kPatchSide}, within);
        patch.roles.fill(TexelRole::kNone);
        bool any = false;
        for (int y = top; y < patch.window.bottom(); ++y) {
          for (int x = left; x < patch.window.right(); ++x) {
            if (texel_of(image, layer, x, y) == nullptr) continue;
            const TexelRole role = role_of(view, view.disparity_of(layer, camera, x, y), x, y);
            patch.roles[(y - top) * kPatchSide + x - left] = role;
            any = any || role != TexelRole::kNone;
            if (role == TexelRole::kHidden) ++patch.hidden;
          }
        }
        if (any) patches.push_back(patch);
      }
    }
  }
  return patches;
}

void see_patch(const core::MultiplaneImage& image, const ReferenceView& view,
               const LayerPatch& patch, core::ThreadPool& pool, float* to) {
  constexpr int kPlane = kPatchSeen * kPatchSeen;
  const core::MultiplaneLayer& layer = image.layers[patch.layer];
  core::ImageF behind(kPatchSeen, kPatchSeen, 4);
  behind.data.fill(0);
  std::fill_n(to, kPatchValues, 0.0F);
  for (int v = 0; v < kPatchSeen; ++v) {
    for (int u = 0; u < kPatchSeen; ++u) {
      const int x = patch.window.left - kPatchMargin + u;
      const int y = patch.window.top - kPatchMargin + v;
      if (x < 0 || y < 0 || x >= view.color.width || y >= view.color.height) continue;
      const float own = view.disparity_of(layer, image.camera.camera, x, y);
      const float nearest = view.disparity.at(x, y);
      const uint8_t* texel = texel_of(image, layer, x, y);
      const bool known =
          nearest > ReferenceView::kNothing && view.most_around.at(x, y) <= own + kOtherSurface;
      float* at = to + v * kPatchSeen + u;
      at[3 * kPlane] = known ? 1 : 0;
      at[4 * kPlane] = texel != nullptr ? 1 : 0;
      at[5 * kPlane] = texel != nullptr && own >= nearest - kOtherSurface ? 1 : 0;
      at[6 * kPlane] = std::clamp(kDisparityScale * (nearest - own), -1.0F, 1.0F);
      for (int c = 0; c < 3; ++c) at[(7 + c) * kPlane] = view.color.at(x, y, c) / 255.0F - 0.5F;
      if (!known && texel == nullptr) continue;
      const float weight = known && nearest < own - kFarther ? kFartherWeight : 1;
      for (int c = 0; c < 3; ++c) {
        const float color = known ? view.color.at(x, y, c) / 255.0F : straight(texel, c);
        at[c * kPlane] = color;
        behind.at(u, v, c) = weight * color;
      }
      behind.at(u, v, 3) = weight;
    }
  }
  // Elsewhere, smoothly.
  core::ImageF filled = behind;
  PullPush(pool).fill(filled);
  for (int i = 0; i < kPlane; ++i) {
    const float weight = filled.data[4 * i + 3];
    for (int c = 0; c < 3; ++c) {
      float& value = to[c * kPlane + i];
      if (behind.data[4 * i + 3] == 0) value = weight > 0 ? filled.data[4 * i + c] / weight : 0.5F;
      value -= 0.5F;
    }
  }
}

}  // namespace tessera::models
