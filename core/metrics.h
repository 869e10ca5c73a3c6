// How near a render is to a photo, as papers report it: PSNR, SSIM and MS-SSIM.
//
// On values clamped to [0, 1], not quantised, over the pixels that count. SSIM is that of the loss
// (core/ssim.h). MS-SSIM: Wang, Simoncelli and Bovik, "Multi-scale Structural Similarity for Image
// Quality Assessment", 2003: five scales, each half the one before (mean of 2x2 pixels), windows
// wholly inside the picture.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/image.h"
#include "core/thread_pool.h"

namespace tessera::core {

inline constexpr int kMsSsimScales = 5;
// From this many pixels on the shorter side a picture has all five.
inline constexpr int kMsSsimShortestSide = 176;

// Values of 0 to 1.
ImageF unit_floats(const Image8& image);

// Values are taken as they are; all else is as in measure().
double psnr(const ImageF& render, const ImageF& photo, const Image8& mask);

struct ImageMetrics {
  double psnr = 0;  // dB, the peak being 1; infinite if no pixel differs
  double ssim = 0;
  double ms_ssim = 0;
  // Scales that ms_ssim rests on: all from kMsSsimShortestSide on; smaller
  // pictures have fewer, with the weights of those scaled to sum to 1. Below 11 pixels it is ssim.
  int ms_ssim_scales = 0;
  int64_t counted_pixels = 0;  // 0: the picture says nothing and belongs in no mean
};

// `render` and `photo` of one size and 1 to 4 channels; `mask` as for PhotoComparer, may be empty.
// Throws core::Error if sizes differ.
ImageMetrics measure(ImageF render, const Image8& photo, const Image8& mask, ThreadPool& pool);
ImageMetrics measure(ImageF render, const ImageF& photo, const Image8& mask, ThreadPool& pool);

}  // namespace tessera::core
