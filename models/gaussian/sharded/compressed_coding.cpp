// Messages of about half the bytes: splats as render/gaussian/compressed_splat.h has them,
// gradients in half precision.
//
// Each float of a gradient (a color's, a moment's) has a scale per message, a power of two by which
// the largest fills half precision. Gradients are rounded at random, so that their means over many
// steps are right however small they are; forward, where an error stays the same from step to step
// anyway, to the nearest.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/math/half.h"
#include "models/gaussian/sharded/message_coding.h"
#include "render/gaussian/compressed_splat.h"

namespace tessera::models {
namespace {

constexpr int64_t kGrain = 2048;  // splats packed at a time
constexpr int64_t kSplatBytes = sizeof(render::CompressedSplat);
constexpr int64_t kCenterBytes = 2 * sizeof(float);
constexpr int kFloats = render::kGradientFloats;

// A power of two; values up to `largest` are less than 2^15 times it.
float unit_for(float largest) {
  constexpr int kLeastExponent = -110;  // its inverse is finite, too
  if (!(largest > 0)) return 1;
  return std::ldexp(1.0F, std::max(std::ilogb(largest), kLeastExponent) - 14);
}

class CompressedCoding final : public MessageCoding {
 public:
  CompressedCoding(const render::SplatGradientFormat& format, uint64_t seed, core::ThreadPool& pool)
      : format_(format), floats_(format.floats()), seed_(seed), pool_(pool) {}

  int64_t count_outside(const render::CpuSplatList& list,
                        const core::PixelWindow& window) const override {
    const render::CenterGrid grid(window);
    return std::count_if(list.which.begin(), list.which.end(),
                         [&](uint32_t i) { return !grid.holds(list.splats[i]); });
  }
  int64_t splat_bytes(int64_t splats, int64_t outside) const override {
    return splats * kSplatBytes + outside * kCenterBytes;
  }

  // The centers outside follow the splats, in their order.
  void write_splats(const render::CpuSplatList& list, const core::PixelWindow& window,
                    std::byte* to) const override {
    const render::CenterGrid grid(window);
    const int64_t count = list.which.size;
    pool_.parallel_for(count, kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t k = begin; k < end; ++k) {
        const render::CompressedSplat message = compressed(list.splats[list.which[k]], grid);
        std::memcpy(to + k * kSplatBytes, &message, sizeof(message));
      }
    });
    std::byte* centers = to + count * kSplatBytes;
    for (int64_t k = 0; k < count; ++k) {
      if (!is_outside(to + k * kSplatBytes)) continue;
      std::memcpy(centers, &list.splats[list.which[k]].mean_x, kCenterBytes);
      centers += kCenterBytes;
    }
  }

  // Splats of the same bits, whose ids did not cross, are ordered as they came.
  void read_splats(const std::byte* from, int64_t first, int64_t count,
                   const core::PixelWindow& window, render::CpuSplat* splats,
                   uint64_t* ids) const override {
    const render::CenterGrid grid(window);
    pool_.parallel_for(count, kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t k = begin; k < end; ++k) {
        render::CompressedSplat message;
        std::memcpy(&message, from + k * kSplatBytes, sizeof(message));
        render::CpuSplat& splat = splats[first + k];
        splat = render::splat_of(message);
        const math::Vec2<float> center = grid.decode(message.center);
        splat.mean_x = center.x;
        splat.mean_y = center.y;
        ids[first + k] = static_cast<uint64_t>(first + k);
      }
    });
    const std::byte* centers = from + count * kSplatBytes;
    for (int64_t k = 0; k < count; ++k) {
      if (!is_outside(from + k * kSplatBytes)) continue;
      std::memcpy(&splats[first + k].mean_x, centers, kCenterBytes);
      centers += kCenterBytes;
    }
  }

  int64_t gradient_bytes(int64_t splats) const override {
    return splats == 0 ? 0 : floats_ * (sizeof(float) + splats * sizeof(uint16_t));
  }

  void write_gradients(std::span<const render::CpuSplatGradient> gradients, const RoundingKey& key,
                       std::byte* to) const override {
    if (gradients.empty()) return;
    float units[kFloats] = {}, per_unit[kFloats] = {};
    find_units(gradients, units);
    for (int f = 0; f < floats_; ++f) per_unit[f] = 1 / units[f];
    std::memcpy(to, units, floats_ * sizeof(float));
    std::byte* rows = to + floats_ * sizeof(float);
    pool_.parallel_for(static_cast<int64_t>(gradients.size()), kGrain,
                       [&](int64_t begin, int64_t end, int /*thread*/) {
                         for (int64_t k = begin; k < end; ++k) {
                           float values[kFloats];
                           uint16_t halves[kFloats];
                           format_.pack(gradients[k], values);
                           round(values, per_unit, key, k, halves);
                           std::memcpy(rows + k * row_bytes(), halves, row_bytes());
                         }
                       });
  }

  void add_gradients(const std::byte* from, core::View<const uint32_t> which,
                     render::CpuSplatGradient* gradients) const override {
    if (which.empty()) return;
    float units[kFloats] = {};
    std::memcpy(units, from, floats_ * sizeof(float));
    const std::byte* rows = from + floats_ * sizeof(float);
    // A Gaussian occurs once, so threads never meet at one.
    pool_.parallel_for(which.size, kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t k = begin; k < end; ++k) {
        uint16_t halves[kFloats];
        float values[kFloats];
        std::memcpy(halves, rows + k * row_bytes(), row_bytes());
        for (int f = 0; f < floats_; ++f) values[f] = units[f] * math::float_from_half(halves[f]);
        format_.add(values, gradients[which[k]]);
      }
    });
  }

 private:
  int64_t row_bytes() const { return floats_ * static_cast<int64_t>(sizeof(uint16_t)); }

  static bool is_outside(const std::byte* message) {
    uint16_t code = 0;
    std::memcpy(&code, message + offsetof(render::CompressedSplat, center), sizeof(code));
    return code == render::CenterGrid::kOutside;
  }

  void find_units(std::span<const render::CpuSplatGradient> gradients,
                  float (&units)[kFloats]) const {
    const int threads = pool_.thread_count();
    std::vector<float> largest(static_cast<size_t>(threads) * kFloats, 0.0F);
    pool_.parallel_for(static_cast<int64_t>(gradients.size()), kGrain,
                       [&](int64_t begin, int64_t end, int thread) {
                         float* found = &largest[static_cast<size_t>(thread) * kFloats];
                         for (int64_t k = begin; k < end; ++k) {
                           float values[kFloats];
                           format_.pack(gradients[k], values);
                           for (int f = 0; f < floats_; ++f) {
                             const float size = std::fabs(values[f]);
                             if (size > found[f] && std::isfinite(size)) found[f] = size;
                           }
                         }
                       });
    for (int f = 0; f < floats_; ++f) {
      float all = 0;
      for (int t = 0; t < threads; ++t) all = std::max(all, largest[t * kFloats + f]);
      units[f] = unit_for(all);
    }
  }

  void round(const float (&values)[kFloats], const float (&per_unit)[kFloats],
             const RoundingKey& key, int64_t splat, uint16_t (&halves)[kFloats]) const {
    math::Random4 bits = {};
    for (int f = 0; f < floats_; ++f) {
      if (f % 4 == 0) {
        const uint64_t id = uint64_t{key.message} << 40 | static_cast<uint64_t>(splat * 4 + f / 4);
        bits = math::random_bits(seed_, math::RandomStream::kMessageRounding, key.step, id);
      }
      halves[f] = math::half_at_random(values[f] * per_unit[f], bits.v[f % 4]);
    }
  }

  const render::SplatGradientFormat format_;
  const int floats_;
  const uint64_t seed_;
  core::ThreadPool& pool_;
};

}  // namespace

std::unique_ptr<MessageCoding> make_compressed_coding(const render::SplatGradientFormat& format,
                                                      uint64_t seed, core::ThreadPool& pool) {
  return std::make_unique<CompressedCoding>(format, seed, pool);
}

}  // namespace tessera::models
