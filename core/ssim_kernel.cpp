// Fused L1 and SSIM with their gradient, streamed over rows.
//
// Wang et al., "Image Quality Assessment: From Error Visibility to Structural Similarity", 2004.
// Each row of the picture is read once into a ring of 11 rows; the vertical and then the horizontal
// 11-tap filter give the four moments (the sum of both second moments is all that SSIM needs of
// them), hence SSIM and its three derivatives, which go through a second ring and the same filters
// to become the gradient. Everything in flight fits a core's second-level cache. Channels stay
// interleaved: a horizontal neighbor is `channels` floats away.
// SPDX-License-Identifier: MIT
#include "core/ssim_kernel.h"

#include "core/math/pack.h"

namespace tessera::core {
namespace TESSERA_ISA {
namespace {

using math::mul_add;
using math::negative_mul_add;
using math::Pack;
using math::PackMask;
using math::zero_unless;

constexpr int kLanes = math::kPackLanes;

constexpr float kC1 = 0.01F * 0.01F;
constexpr float kC2 = 0.03F * 0.03F;

// The normalized Gaussian of sigma 1.5 at distance 0..5.
constexpr float kTap[kSsimRadius + 1] = {0.26601172F, 0.21300554F, 0.10936069F,
                                         0.03600077F, 0.00759876F, 0.00102838F};

// The rows in flight. Value 0 of the block's own columns stands at `origin`; what lies outside the
// picture is zero.
struct Rows {
  int64_t floats;    // in a row
  int64_t origin;    // of the block's own first value
  int64_t own_end;   // past the block's own last value
  int64_t reach;     // floats from a value to those that need it: 5 pixels, as whole vectors
  int begin, end;    // the columns in flight that the picture has
  int64_t first_in;  // where the first of them stands
  int64_t count_in;  // and how many values they are
  float* own;        // 1 where a value is in the block's own columns and counts, else 0
  float* inside;     // 1 inside the picture: the mask where there is none
  float* zeros;      // a row outside the picture
  float* pixel[kSsimRing][4];       // render, photo, sum of squares, product
  float* derivative[kSsimRing][3];  // of SSIM by the render's mean, its square's and the product's
  float* mask[kSsimRing];
  float* filtered[kSsimGroup][4];  // after the vertical filter; zeros at both sides

  Rows(const SsimTask& task, float* memory) {
    floats = ssim_row_floats(task.column_end - task.column_begin, task.channels);
    origin = ssim_row_origin(task.channels);
    own_end = at(task, task.column_end);
    reach = (int64_t{kSsimRadius} * task.channels + 15) / 16 * 16;
    begin = task.column_begin - 2 * kSsimRadius;
    if (begin < 0) begin = 0;
    end = task.column_end + 2 * kSsimRadius;
    if (end > task.width) end = task.width;
    first_in = at(task, begin);
    count_in = int64_t{end - begin} * task.channels;
    const auto take = [&](int64_t side) {
      float* row = memory + side;
      memory += floats + 2 * side + kSsimSlack;
      return row;
    };
    own = take(0);
    inside = take(0);
    zeros = take(0);
    for (int r = 0; r < kSsimRing; ++r) {
      for (float*& row : pixel[r]) row = take(0);
      for (float*& row : derivative[r]) row = take(0);
      mask[r] = take(0);
    }
    for (auto& fields : filtered) {
      for (float*& row : fields) row = take(kSsimSide);
    }
  }

  // Where the pixel's first channel stands in a row.
  int64_t at(const SsimTask& task, int column) const {
    return origin + int64_t{column - task.column_begin} * task.channels;
  }
};

void clear_row(float* row, int64_t floats) {
  __builtin_memset(row, 0, sizeof(float) * floats);
}

void set_ones(float* row, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) row[i] = 1.0F;
}

void prepare(const SsimTask& task, const Rows& rows) {
  clear_row(rows.zeros, rows.floats);
  clear_row(rows.own, rows.floats);
  clear_row(rows.inside, rows.floats + kSsimSlack);
  set_ones(rows.inside, rows.first_in, rows.first_in + rows.count_in);
  const int first = task.column_begin < task.margin ? task.margin : task.column_begin;
  const int last =
      task.column_end > task.width - task.margin ? task.width - task.margin : task.column_end;
  set_ones(rows.own, rows.at(task, first), rows.at(task, last));
  for (int r = 0; r < kSsimRing; ++r) {
    for (float* row : rows.pixel[r]) clear_row(row, rows.floats);
    for (float* row : rows.derivative[r]) clear_row(row, rows.floats);
    clear_row(rows.mask[r], rows.floats + kSsimSlack);
  }
  for (const auto& fields : rows.filtered) {
    for (float* row : fields) clear_row(row - kSsimSide, rows.floats + 2 * kSsimSide);
  }
}

int ring_index(int y) {
  return (y + kSsimRing) % kSsimRing;  // y >= -10
}

const float* mask_row(const SsimTask& task, const Rows& rows, int y) {
  return task.mask == nullptr ? rows.inside : rows.mask[ring_index(y)];
}

Pack load_bytes(const uint8_t* from) {
  namespace hn = math::hn;
  const hn::Rebind<uint8_t, math::PackTag> du;
  const auto wide = hn::PromoteTo(math::PackIntTag(), hn::LoadU(du, from));
  return Pack(hn::ConvertTo(math::PackTag(), wide)) * Pack(1.0F / 255.0F);
}

// Which values of row y count: 1 or 0 each.
void load_mask(const SsimTask& task, const Rows& rows, int y) {
  if (task.mask == nullptr) return;
  const uint8_t* mask = task.mask + int64_t{y} * task.width;
  float* to = rows.mask[ring_index(y)] + rows.first_in;
  for (int x = rows.begin; x < rows.end; ++x) {
    const float counts = mask[x] >= kMaskThreshold ? 1.0F : 0.0F;
    for (int c = 0; c < task.channels; ++c) *to++ = counts;
  }
}

// One vector of both pictures and of their products. What is under the mask is zero in both, as
// what is outside the picture is, whatever stands there.
HWY_INLINE void put_pixels(Pack render, Pack photo, const float* mask, float* const (&fields)[4],
                           int64_t i) {
  const PackMask counts = Pack::load(mask + i) > Pack(0.0F);
  const Pack a = zero_unless(counts, render);
  const Pack b = zero_unless(counts, photo);
  a.store(fields[0] + i);
  b.store(fields[1] + i);
  mul_add(a, a, b * b).store(fields[2] + i);
  (a * b).store(fields[3] + i);
}

void load_row(const SsimTask& task, const Rows& rows, int y) {
  load_mask(task, rows, y);
  const float* mask = mask_row(task, rows, y);
  float* const(&fields)[4] = rows.pixel[ring_index(y)];
  const int64_t first = (int64_t{y} * task.width + rows.begin) * task.channels;
  const float* render = task.render + first;
  int64_t i = 0;
  if (task.photo != nullptr) {
    const float* photo = task.photo + first;
    for (; i + kLanes <= rows.count_in; i += kLanes) {
      put_pixels(Pack::load(render + i), Pack::load(photo + i), mask, fields, rows.first_in + i);
    }
  } else {
    const uint8_t* photo = task.photo8 + first;
    for (; i + kLanes <= rows.count_in; i += kLanes) {
      put_pixels(Pack::load(render + i), load_bytes(photo + i), mask, fields, rows.first_in + i);
    }
  }
  // The rest, fewer than a vector. Rows have room past their end, and the mask is 0 there.
  float last_render[16] = {}, last_photo[16] = {};
  uint8_t last_bytes[16] = {};
  const int64_t rest = rows.count_in - i;
  if (rest == 0) return;
  __builtin_memcpy(last_render, render + i, sizeof(float) * rest);
  if (task.photo != nullptr) {
    __builtin_memcpy(last_photo, task.photo + first + i, sizeof(float) * rest);
  } else {
    __builtin_memcpy(last_bytes, task.photo8 + first + i, rest);
    load_bytes(last_bytes).store(last_photo);
  }
  put_pixels(Pack::load(last_render), Pack::load(last_photo), mask, fields, rows.first_in + i);
}

// Filters rows [first, first + kSsimGroup) of each field of a ring, values [begin, end).
template <int kFields>
void vertical_filter(const Rows& rows, float* const (&ring)[kSsimRing][kFields], int first,
                     int height, int64_t begin, int64_t end) {
  for (int f = 0; f < kFields; ++f) {
    const float* from[kSsimRing];
    for (int k = 0; k < kSsimRing; ++k) {
      const int y = first + k - kSsimRadius;
      from[k] = y < 0 || y >= height ? rows.zeros : ring[ring_index(y)][f];
    }
    for (int64_t i = begin; i < end; i += kLanes) {
      static_assert(kSsimGroup == 4);
      Pack sum0(0.0F), sum1(0.0F), sum2(0.0F), sum3(0.0F);
#pragma GCC unroll 14
      for (int k = 0; k < kSsimRing; ++k) {
        const Pack value = Pack::load_aligned(from[k] + i);
        const auto add = [&](Pack& sum, int tap) {
          if (tap >= -kSsimRadius && tap <= kSsimRadius) {
            sum = mul_add(Pack(kTap[tap < 0 ? -tap : tap]), value, sum);
          }
        };
        add(sum0, k - kSsimRadius);
        add(sum1, k - kSsimRadius - 1);
        add(sum2, k - kSsimRadius - 2);
        add(sum3, k - kSsimRadius - 3);
      }
      sum0.store_aligned(rows.filtered[0][f] + i);
      sum1.store_aligned(rows.filtered[1][f] + i);
      sum2.store_aligned(rows.filtered[2][f] + i);
      sum3.store_aligned(rows.filtered[3][f] + i);
    }
  }
}

HWY_INLINE Pack horizontal_filter(const float* row, int64_t i, int64_t channels) {
  Pack sum = Pack(kTap[0]) * Pack::load_aligned(row + i);
#pragma GCC unroll 5
  for (int k = 1; k <= kSsimRadius; ++k) {
    const Pack pair = Pack::load(row + i - k * channels) + Pack::load(row + i + k * channels);
    sum = mul_add(Pack(kTap[k]), pair, sum);
  }
  return sum;
}

// SSIM of row y from its vertically filtered moments: sums, and derivatives into their ring.
void compare_row(const SsimTask& task, const Rows& rows, float* const (&moments)[4], int y) {
  const Pack c1(kC1), c2(kC2), two(2.0F);
  float* const* derivative = rows.derivative[ring_index(y)];
  const float* const* pixel = rows.pixel[ring_index(y)];
  const float* mask = mask_row(task, rows, y);
  Pack absolute_sum(0.0F), ssim_sum(0.0F), structure_sum(0.0F);
  for (int64_t i = rows.origin - rows.reach; i < rows.own_end + rows.reach; i += kLanes) {
    const Pack mean_a = horizontal_filter(moments[0], i, task.channels);
    const Pack mean_b = horizontal_filter(moments[1], i, task.channels);
    const Pack squares = horizontal_filter(moments[2], i, task.channels);
    const Pack product = horizontal_filter(moments[3], i, task.channels);
    const Pack mask_value = Pack::load_aligned(mask + i);
    const PackMask counts = mask_value > Pack(0.0F);
    const Pack weight = mask_value * Pack::load_aligned(rows.own + i);

    const Pack mean_ab = mean_a * mean_b;
    const Pack mean_squares = mul_add(mean_a, mean_a, mean_b * mean_b);
    // Rounding may leave a negative variance where values are large.
    const Pack variance = max(squares - mean_squares, Pack(0.0F));
    const Pack n1 = mul_add(two, mean_ab, c1);
    const Pack n2 = mul_add(two, product - mean_ab, c2);
    const Pack d1 = mean_squares + c1;
    const Pack d2 = variance + c2;
    const Pack inverse = Pack(1.0F) / (d1 * d2);
    const Pack inverse1 = inverse * d2;
    const Pack inverse2 = inverse * d1;
    const Pack ssim = n1 * n2 * inverse;
    const Pack difference = Pack::load_aligned(pixel[0] + i) - Pack::load_aligned(pixel[1] + i);
    absolute_sum = mul_add(abs(difference), weight, absolute_sum);
    ssim_sum = mul_add(ssim, weight, ssim_sum);
    structure_sum = mul_add(n2 * inverse2, weight, structure_sum);

    const Pack by_product = two * n1 * inverse;
    const Pack by_square = -(ssim * inverse2);
    const Pack by_mean =
        two * negative_mul_add(mean_a * ssim, inverse1 - inverse2, mean_b * (n2 - n1) * inverse);
    zero_unless(counts, by_mean).store_aligned(derivative[0] + i);
    zero_unless(counts, by_square).store_aligned(derivative[1] + i);
    zero_unless(counts, by_product).store_aligned(derivative[2] + i);
  }
  if (y < task.row_begin || y >= task.row_end) return;
  task.sums[y].absolute = sum_of_lanes(absolute_sum);
  task.sums[y].ssim = sum_of_lanes(ssim_sum);
  task.sums[y].structure = sum_of_lanes(structure_sum);
}

// The gradient of row y from the filtered derivatives of SSIM.
void write_gradient(const SsimTask& task, const Rows& rows, float* const (&derivative)[4], int y) {
  const float* const* pixel = rows.pixel[ring_index(y)];
  const float* mask = mask_row(task, rows, y);
  const Pack ssim_gradient(task.ssim_gradient), zero(0.0F);
  const Pack up(task.absolute_gradient), down(-task.absolute_gradient);
  float* to = task.gradient + (int64_t{y} * task.width + task.column_begin) * task.channels;
  for (int64_t i = rows.origin; i < rows.own_end; i += kLanes) {
    const Pack a = Pack::load_aligned(pixel[0] + i);
    const Pack b = Pack::load_aligned(pixel[1] + i);
    const Pack by_mean = horizontal_filter(derivative[0], i, task.channels);
    const Pack by_square = horizontal_filter(derivative[1], i, task.channels);
    const Pack by_product = horizontal_filter(derivative[2], i, task.channels);
    const Pack by_ssim = mul_add(a + a, by_square, mul_add(b, by_product, by_mean));
    const Pack by_absolute = select(a > b, up, zero_unless(a < b, down));
    const PackMask counts = Pack::load_aligned(mask + i) > zero;
    const Pack gradient = zero_unless(counts, mul_add(ssim_gradient, by_ssim, by_absolute));
    const int64_t left = rows.own_end - i;
    if (left >= kLanes) {
      gradient.store(to + (i - rows.origin));
    } else {
      float last[16];
      gradient.store(last);
      __builtin_memcpy(to + (i - rows.origin), last, sizeof(float) * left);
    }
  }
}

}  // namespace

void compare_block(const SsimTask& task) {
  const Rows rows(task, task.scratch);
  prepare(task, rows);
  // Derivatives are needed 5 rows around the block's own, pixels another 5 around these.
  const int reach = task.gradient == nullptr ? 0 : kSsimRadius;
  int loaded = task.row_begin - reach - kSsimRadius;
  for (int y = task.row_begin - reach; y < task.row_end + reach; y += kSsimGroup) {
    for (; loaded < y + kSsimGroup + kSsimRadius; ++loaded) {
      if (loaded >= 0 && loaded < task.height) load_row(task, rows, loaded);
    }
    vertical_filter(rows, rows.pixel, y, task.height, 0, rows.floats);
    for (int r = 0; r < kSsimGroup; ++r) {
      const bool counts = y + r >= task.margin && y + r < task.height - task.margin;
      if (counts) compare_row(task, rows, rows.filtered[r], y + r);
    }
    const int finished = y - kSsimRadius;
    if (task.gradient == nullptr || finished + kSsimGroup <= task.row_begin) continue;
    vertical_filter(rows, rows.derivative, finished, task.height, rows.origin - rows.reach,
                    rows.own_end + rows.reach);
    for (int r = 0; r < kSsimGroup; ++r) {
      const bool own = finished + r >= task.row_begin && finished + r < task.row_end;
      if (own) write_gradient(task, rows, rows.filtered[r], finished + r);
    }
  }
}

}  // namespace TESSERA_ISA
}  // namespace tessera::core
