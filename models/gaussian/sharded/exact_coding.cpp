// Messages of float32: a splat comes from another rank with the bits that it would have here.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "models/gaussian/sharded/message_coding.h"

namespace tessera::models {
namespace {

constexpr int64_t kGrain = 2048;  // splats packed at a time
constexpr int64_t kSplatBytes = sizeof(render::SplatMessage);

class ExactCoding final : public MessageCoding {
 public:
  ExactCoding(const render::SplatGradientFormat& format, core::ThreadPool& pool)
      : format_(format), pool_(pool) {}

  int64_t count_outside(const render::CpuSplatList& /*list*/,
                        const core::PixelWindow& /*window*/) const override {
    return 0;
  }
  int64_t splat_bytes(int64_t splats, int64_t /*outside*/) const override {
    return splats * kSplatBytes;
  }

  void write_splats(const render::CpuSplatList& list, const core::PixelWindow& /*window*/,
                    std::byte* to) const override {
    pool_.parallel_for(list.which.size, kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t k = begin; k < end; ++k) {
        const uint32_t i = list.which[k];
        const render::SplatMessage message = render::message_of(list.splats[i], list.ids[i]);
        std::memcpy(to + k * kSplatBytes, &message, sizeof(message));
      }
    });
  }

  void read_splats(const std::byte* from, int64_t first, int64_t count,
                   const core::PixelWindow& /*window*/, render::CpuSplat* splats,
                   uint64_t* ids) const override {
    pool_.parallel_for(count, kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t k = begin; k < end; ++k) {
        render::SplatMessage message;
        std::memcpy(&message, from + k * kSplatBytes, sizeof(message));
        splats[first + k] = render::splat_of(message);
        ids[first + k] = message.tie_key;
      }
    });
  }

  int64_t gradient_bytes(int64_t splats) const override { return splats * stride(); }

  void write_gradients(std::span<const render::CpuSplatGradient> gradients,
                       const RoundingKey& /*key*/, std::byte* to) const override {
    pool_.parallel_for(static_cast<int64_t>(gradients.size()), kGrain,
                       [&](int64_t begin, int64_t end, int /*thread*/) {
                         for (int64_t k = begin; k < end; ++k) {
                           float values[render::kGradientFloats];
                           format_.pack(gradients[k], values);
                           std::memcpy(to + k * stride(), values, stride());
                         }
                       });
  }

  void add_gradients(const std::byte* from, core::View<const uint32_t> which,
                     render::CpuSplatGradient* gradients) const override {
    // A Gaussian occurs once, so threads never meet at one.
    pool_.parallel_for(which.size, kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t k = begin; k < end; ++k) {
        float values[render::kGradientFloats];
        std::memcpy(values, from + k * stride(), stride());
        format_.add(values, gradients[which[k]]);
      }
    });
  }

 private:
  int64_t stride() const { return format_.floats() * static_cast<int64_t>(sizeof(float)); }

  const render::SplatGradientFormat format_;
  core::ThreadPool& pool_;
};

}  // namespace

std::unique_ptr<MessageCoding> make_exact_coding(const render::SplatGradientFormat& format,
                                                 uint64_t /*seed*/, core::ThreadPool& pool) {
  return std::make_unique<ExactCoding>(format, pool);
}

}  // namespace tessera::models
