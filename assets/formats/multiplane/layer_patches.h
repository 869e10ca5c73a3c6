// Layers as flat pieces of mesh with texture coordinates, for formats that are drawn as meshes.
//
// Far ones come first, by the inverse depth at the middle of the layer's window: a renderer that
// blends them in this order is right wherever layers do not cross.
//
// A texel is a pixel of the reference picture, so over a plane that does not face the camera
// texture coordinates are projective, not affine as renderers take them to be; such a layer is cut
// into cells that are small enough.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/math/vec.h"
#include "core/multiplane_image.h"

namespace tessera::assets {

struct LayerCorner {
  math::Vec3<double> in_camera;  // of the reference: x right, y down, z forward
  double u = 0, v = 0;           // in texels from the page's upper left corner
};

// What is beyond the plane's horizon is cut off.
struct LayerPatch {
  int page = 0;
  double inverse_depth = 0;  // at the middle of the window
  std::vector<LayerCorner> corners;
  std::vector<std::array<uint32_t, 3>> triangles;  // of the corners
};

// Texels that the texture coordinates of meshes may be off.
inline constexpr double kLargestTexelError = 0.125;
// For renderers that divide texture coordinates by the depth in the reference: no cells are needed.
inline constexpr double kProjectiveTexels = std::numeric_limits<double>::infinity();

// Layers without a texel or behind the camera have none. Texture coordinates that are interpolated
// affinely are off by some `largest_error` texels at most. A layer reaches half a texel beyond its
// window if the texels around it are transparent, where a bilinear sample fades to nothing; else it
// ends half a texel within it, where a sample begins to mix what is not its own.
std::vector<LayerPatch> layer_patches(const core::MultiplaneImage& image, double largest_error);

// The range of inverse depth of the corners: what a depth range or a step of a head is set from.
struct InverseDepthRange {
  double farthest = 0;
  double nearest = 0;
};
InverseDepthRange inverse_depth_range(const std::vector<LayerPatch>& patches);

}  // namespace tessera::assets
