// Layers cut into squares of texels that a network refines, with what it sees of each.
//
// A layer sees the photo as if all that is nearer were taken away: colors of the photo where
// nothing nearer is, elsewhere those that the layer has behind it. So a network fills a layer where
// nearer ones hide it as it fills holes in photos, at any depth and for any planner.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/image.h"
#include "core/multiplane_image.h"
#include "core/pixel_window.h"
#include "core/thread_pool.h"
#include "models/multiplane/refiner/reference_view.h"

namespace tessera::models {

inline constexpr int kPatchSide = 64;    // texels that are refined
inline constexpr int kPatchMargin = 16;  // around them, seen only
inline constexpr int kPatchSeen = kPatchSide + 2 * kPatchMargin;
// Color behind what is nearer (3), whether that is the photo's, whether the layer has a texel,
// whether it is seen, how much nearer the nearest is, the photo's color (3); colors less 0.5.
inline constexpr int kPatchChannels = 10;
inline constexpr int kPatchValues = kPatchChannels * kPatchSeen * kPatchSeen;
inline constexpr int kRefinedChannels = 4;  // RGB and alpha
inline constexpr int kRefinedValues = kRefinedChannels * kPatchSide * kPatchSide;

// How far a network may change texels: freely where they are hidden; little where they are seen
// beside an edge between surfaces, as the photo is to stay; nowhere else.
inline constexpr float kMostHiddenChange = 0.5F;
inline constexpr float kMostVisibleChange = 0.04F;
inline constexpr float kMostAlphaChange = 0.25F;

enum class TexelRole : uint8_t {
  kNone,     // no texel, or one that stays
  kHidden,   // behind nearer layers: its color is refined
  kFarEdge,  // seen beside something nearer, some of whose color it has: its color is refined
  kNearEdge  // seen beside something farther: color and alpha are refined
};

// By what a network's output, from -1 to 1, is multiplied.
float color_bound(TexelRole role);
float alpha_bound(TexelRole role);

struct LayerPatch {
  int layer = 0;
  core::PixelWindow window;  // in the reference picture, within the layer's window and kPatchSide
  std::array<TexelRole, kPatchSide * kPatchSide> roles;  // in rows of kPatchSide
  int hidden = 0;                                        // texels of that role
};

// Those with anything to refine, in the order of the layers.
std::vector<LayerPatch> layer_patches(const core::MultiplaneImage& image,
                                      const ReferenceView& view);

// Writes kPatchValues, [channel][row][column]; the patch begins kPatchMargin in.
void see_patch(const core::MultiplaneImage& image, const ReferenceView& view,
               const LayerPatch& patch, core::ThreadPool& pool, float* to);

// Calls each(role, at, texel): `at` is the place in [row][column] of kPatchSide, `texel` the first
// of its four channels.
template <class Pages, class Each>
void for_each_refined(const core::MultiplaneLayer& layer, const LayerPatch& patch, Pages& pages,
                      const Each& each) {
  auto& page = pages[layer.page];
  for (int y = 0; y < patch.window.height; ++y) {
    for (int x = 0; x < patch.window.width; ++x) {
      const int at = y * kPatchSide + x;
      if (patch.roles[at] == TexelRole::kNone) continue;
      each(patch.roles[at], at,
           &page.at(layer.x + patch.window.left - layer.window.left + x,
                    layer.y + patch.window.top - layer.window.top + y));
    }
  }
}

}  // namespace tessera::models
