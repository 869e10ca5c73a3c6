// Comparison of a render with a photo: L1 and SSIM, for the loss (with its gradient, fused) and for
// evaluation, by one definition.
//
// SSIM: Wang et al. 2004, 11x11 Gaussian window of sigma 1.5, zeros outside the picture, C1 =
// 0.01^2, C2 = 0.03^2, mean over all pixels and channels. A mask takes pixels out: they are zero in
// both pictures as those outside the picture are, so that nothing under the mask can matter, and
// the mean is over the pixels that count.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/array.h"
#include "core/image.h"
#include "core/isa.h"
#include "core/pixel_window.h"
#include "core/ssim_kernel.h"
#include "core/thread_pool.h"

namespace tessera::core {

// Means over the values (pixels x channels) that count; if none does, the pictures agree.
struct PhotoComparison {
  double l1 = 0;
  double ssim = 1;
  double structure = 1;  // SSIM without its luminance factor, as MS-SSIM needs it
  int64_t counted_pixels = 0;

  // (1 - ssim_weight) L1 + ssim_weight (1 - SSIM)
  double loss(double ssim_weight) const {
    return (1.0 - ssim_weight) * l1 + ssim_weight * (1.0 - ssim);
  }
};

// What of a comparison counts where the pictures are a part of larger ones that others compare the
// rest of: the values in `own`, which should lie kSsimReach pixels or more from each border that is
// not one of the larger picture's, towards means over `counted_pixels`. The parts' l1 and ssim then
// add up to those of the whole, and gradients have the same bits.
struct ComparedPart {
  PixelWindow own;
  int64_t counted_pixels = 0;
};
inline constexpr int kSsimReach = 2 * kSsimRadius;

// Pixels of a picture of this size that count.
int64_t counted_pixels(int width, int height, const Image8& mask, int margin = 0);

// Compares pictures; keeps its working memory from one to the next. `render` and `photo` have the
// same width, height and 1 to 4 channels; photos of bytes stand for value/255. `mask` has one
// channel, a pixel counts from kMaskThreshold on; empty: all count. Throws core::Error if sizes
// differ. Results are the same bit for bit for any number of threads.
class PhotoComparer {
 public:
  explicit PhotoComparer(ThreadPool& pool, Isa isa = chosen_isa()) : pool_(pool), isa_(isa) {}

  // Also sets `gradient` to d(loss(ssim_weight))/d(render); zero under the mask. `part`: null for
  // all of the pictures; else the gradient outside its own pixels is left as it comes.
  PhotoComparison compare(const ImageF& render, const Image8& photo, const Image8& mask,
                          const ComparedPart* part, float ssim_weight, ImageF& gradient);
  PhotoComparison compare(const ImageF& render, const ImageF& photo, const Image8& mask,
                          const ComparedPart* part, float ssim_weight, ImageF& gradient);
  PhotoComparison compare(const ImageF& render, const Image8& photo, const Image8& mask,
                          float ssim_weight, ImageF& gradient) {
    return compare(render, photo, mask, nullptr, ssim_weight, gradient);
  }
  PhotoComparison compare(const ImageF& render, const ImageF& photo, const Image8& mask,
                          float ssim_weight, ImageF& gradient) {
    return compare(render, photo, mask, nullptr, ssim_weight, gradient);
  }

  // Without gradient. The SSIM of pixels within `margin` of a border does not count.
  PhotoComparison compare(const ImageF& render, const ImageF& photo, const Image8& mask,
                          int margin = 0);

 private:
  template <class Photo>
  PhotoComparison run(const ImageF& render, const Photo& photo, const Image8& mask,
                      const ComparedPart* part, SsimTask task, float ssim_weight);

  ThreadPool& pool_;
  Isa isa_;
  Array<float> scratch_;
  Array<SsimRowSums> sums_;
};

}  // namespace tessera::core
