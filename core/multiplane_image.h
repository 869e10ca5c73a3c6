// A multiplane image: a scene as textured pieces of planes in front of a reference camera.
//
// Tucker and Snavely, "Single-View View Synthesis with Multiplane Images", 2020; in tiles as in
// Khan, Xiao and Lanman, "Tiled Multiplane Images for Practical 3D Photography", 2023. Planes are
// written by their inverse depth, which is linear over a picture: a point X before the reference
// camera (x right, y down, z forward) lies on plane n if dot(n, X) = 1, so (0, 0, 1/z) faces the
// camera at depth z, and 1/z at a pixel is dot(n, direction of the pixel's ray with z = 1).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/camera.h"
#include "core/image.h"
#include "core/math/vec.h"
#include "core/pixel_window.h"

namespace tessera::core {

// Texels that stay transparent around each layer: bilinear samples fade to nothing there, and
// atlases that are read by others do not mix layers.
inline constexpr int kLayerGutter = 2;
// GPUs of any kind take pages up to this size.
inline constexpr int kLargestPage = 4096;

// A piece of a plane. A texel stands for one pixel of the reference picture, at the pixel's center.
struct MultiplaneLayer {
  math::Vec3<float> plane;  // n, in 1 / units of the scene
  PixelWindow window;       // in the reference picture; may reach beyond it
  int page = 0;             // where its texels are: page, and place of the window's corner in it
  int x = 0;
  int y = 0;

  friend bool operator==(const MultiplaneLayer&, const MultiplaneLayer&) = default;
};

// T is uint8_t (0..255) where scenes are kept and shown, float (0..1) where they are fitted.
template <class T>
struct BasicMultiplaneImage {
  PosedCamera camera;                   // the reference, a pinhole
  std::vector<MultiplaneLayer> layers;  // in any order; their texels do not overlap
  std::vector<BasicImage<T>> pages;     // RGBA, premultiplied, sRGB values
  bool metric = false;                  // whether a unit is a meter
};

using MultiplaneImage = BasicMultiplaneImage<uint8_t>;
using MultiplaneImageF = BasicMultiplaneImage<float>;

// Of the layer's plane at the middle of its window, along the reference camera's axis; not above
// zero if the plane lies behind it.
double inverse_depth_at_middle(const MultiplaneLayer& layer, const Camera& camera);
// Of all layers, without gutters.
int64_t texel_count(std::span<const MultiplaneLayer> layers);

// Throws Error, naming the camera by `which` ("reference"), unless its picture has pixels, its
// focal lengths are positive and it has no distortion.
void check_pinhole(const Camera& camera, std::string_view which);

// Throws Error unless the reference is such a pinhole, pages are RGBA, planes finite, and each
// layer with texels lies on its page.
template <class T>
void check_multiplane_image(const BasicMultiplaneImage<T>& image);
extern template void check_multiplane_image(const MultiplaneImage& image);
extern template void check_multiplane_image(const MultiplaneImageF& image);

}  // namespace tessera::core
