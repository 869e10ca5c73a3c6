// SPDX-License-Identifier: MIT
#include "core/ssim.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/isa_kernels.h"
#include "core/ssim_kernel.h"

namespace tessera::core {

TESSERA_DECLARE_KERNEL(void compare_block(const SsimTask& task))

namespace {

constexpr int kMaxComparedChannels = 4;
constexpr int kStripFloats = 1024;
constexpr int kMinBlockRows = 16;

template <class Photo>
void check_sizes(const ImageF& render, const Photo& photo, const Image8& mask) {
  if (render.width != photo.width || render.height != photo.height ||
      render.channels != photo.channels) {
    throw Error(fmt::format(
        "A render of {}x{}x{} cannot be compared with a photo of {}x{}x{}; "
        "both must have the same size.",
        render.width, render.height, render.channels, photo.width, photo.height, photo.channels));
  }
  if (render.channels < 1 || render.channels > kMaxComparedChannels) {
    throw Error(fmt::format("Pictures of {} channels cannot be compared; they may have 1 to {}.",
                            render.channels, kMaxComparedChannels));
  }
  if (!mask.empty() &&
      (mask.channels != 1 || mask.width != render.width || mask.height != render.height)) {
    throw Error(
        fmt::format("A mask of {}x{}x{} does not fit a picture of {}x{}; it must have the "
                    "picture's size and one channel.",
                    mask.width, mask.height, mask.channels, render.width, render.height));
  }
}

SsimTask with_gradient(const ImageF& render, ImageF& gradient) {
  gradient.resize(render.width, render.height, render.channels);
  SsimTask task;
  task.gradient = gradient.data.data();
  return task;
}

void set_photo(SsimTask& task, const Image8& photo) {
  task.photo8 = photo.data.data();
}
void set_photo(SsimTask& task, const ImageF& photo) {
  task.photo = photo.data.data();
}

}  // namespace

int64_t counted_pixels(int width, int height, const Image8& mask, int margin) {
  const int64_t inner_width = std::max(0, width - 2 * margin);
  const int64_t inner_height = std::max(0, height - 2 * margin);
  if (mask.empty()) return inner_width * inner_height;
  int64_t counted = 0;
  for (int y = margin; y < height - margin; ++y) {
    const uint8_t* row = mask.row(y);
    for (int x = margin; x < width - margin; ++x) counted += row[x] >= kMaskThreshold;
  }
  return counted;
}

template <class Photo>
PhotoComparison PhotoComparer::run(const ImageF& render, const Photo& photo, const Image8& mask,
                                   const ComparedPart* part, SsimTask task, float ssim_weight) {
  check_sizes(render, photo, mask);
  PhotoComparison result;
  result.counted_pixels = part != nullptr
                              ? part->counted_pixels
                              : counted_pixels(render.width, render.height, mask, task.margin);
  const PixelWindow own = part != nullptr ? part->own : render.window();
  const double values = static_cast<double>(result.counted_pixels) * render.channels;

  // Strips so narrow that their rows in flight fit the second-level cache; the strips depend on
  // nothing but the width that is compared, as sums over their rows do.
  const int strips = std::max(1, (own.width * render.channels + kStripFloats - 1) / kStripFloats);
  sums_.resize(int64_t{strips} * render.height);
  sums_.fill({});
  task.width = render.width;
  task.height = render.height;
  task.channels = render.channels;
  task.render = render.data.data();
  set_photo(task, photo);
  task.mask = mask.empty() ? nullptr : mask.data.data();
  if (values > 0) {
    task.absolute_gradient = static_cast<float>((1.0 - ssim_weight) / values);
    task.ssim_gradient = static_cast<float>(-ssim_weight / values);
  }

  const int threads = pool_.thread_count();
  // As few blocks as give every thread the same number: a block reads 20 rows beyond its own.
  const int row_blocks =
      std::clamp(threads / std::gcd(threads, strips), 1, std::max(1, own.height / kMinBlockRows));
  const int64_t scratch_size =
      ssim_scratch_size((own.width + strips - 1) / strips, render.channels);
  scratch_.resize(threads * scratch_size);
  const auto compare_block = TESSERA_CHOOSE_KERNEL(isa_, compare_block);
  pool_.parallel_for(int64_t{strips} * row_blocks, 1, [&](int64_t begin, int64_t end, int thread) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t strip = block % strips;
      const int64_t rows = block / strips;
      SsimTask piece = task;
      piece.column_begin = own.left + static_cast<int>(strip * own.width / strips);
      piece.column_end = own.left + static_cast<int>((strip + 1) * own.width / strips);
      piece.row_begin = own.top + static_cast<int>(rows * own.height / row_blocks);
      piece.row_end = own.top + static_cast<int>((rows + 1) * own.height / row_blocks);
      piece.sums = sums_.data() + strip * render.height;
      piece.scratch = scratch_.data() + thread * scratch_size;
      compare_block(piece);
    }
  });

  if (result.counted_pixels == 0) return result;
  double absolute = 0;
  double ssim = 0;
  double structure = 0;
  for (const SsimRowSums& row : sums_) {
    absolute += row.absolute;
    ssim += row.ssim;
    structure += row.structure;
  }
  result.l1 = absolute / values;
  result.ssim = ssim / values;
  result.structure = structure / values;
  return result;
}

PhotoComparison PhotoComparer::compare(const ImageF& render, const Image8& photo,
                                       const Image8& mask, const ComparedPart* part,
                                       float ssim_weight, ImageF& gradient) {
  return run(render, photo, mask, part, with_gradient(render, gradient), ssim_weight);
}

PhotoComparison PhotoComparer::compare(const ImageF& render, const ImageF& photo,
                                       const Image8& mask, const ComparedPart* part,
                                       float ssim_weight, ImageF& gradient) {
  return run(render, photo, mask, part, with_gradient(render, gradient), ssim_weight);
}

PhotoComparison PhotoComparer::compare(const ImageF& render, const ImageF& photo,
                                       const Image8& mask, int margin) {
  SsimTask task;
  task.margin = margin;
  return run(render, photo, mask, nullptr, task, 0.0F);
}

}  // namespace tessera::core
