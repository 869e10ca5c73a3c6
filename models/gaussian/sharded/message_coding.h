// How splats and their gradients are written into the messages between ranks: a table of codings by
// precision.
//
// A message is the splats, or the gradients, that one rank has for one window of another. Sizes
// follow from what both ranks know, so nothing in a message is a count.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/pixel_window.h"
#include "core/thread_pool.h"
#include "core/view.h"
#include "models/gaussian/settings.h"
#include "render/gaussian/backends/cpu_blending.h"
#include "render/gaussian/splat_message.h"

namespace tessera::models {

// Which random numbers round a message's gradients: no two messages of a run have the same.
struct RoundingKey {
  uint32_t step = 0;     // photos seen before it
  uint32_t message = 0;  // of the step; below 2^24
};

class MessageCoding {
 public:
  virtual ~MessageCoding() = default;

  // How many splats need room besides that of each, for a center far from the window.
  virtual int64_t count_outside(const render::CpuSplatList& list,
                                const core::PixelWindow& window) const = 0;
  virtual int64_t splat_bytes(int64_t splats, int64_t outside) const = 0;
  virtual void write_splats(const render::CpuSplatList& list, const core::PixelWindow& window,
                            std::byte* to) const = 0;
  // Sets splats[k] and ids[k] (tie keys) for k in [first, first + count) of what a window gets.
  virtual void read_splats(const std::byte* from, int64_t first, int64_t count,
                           const core::PixelWindow& window, render::CpuSplat* splats,
                           uint64_t* ids) const = 0;

  virtual int64_t gradient_bytes(int64_t splats) const = 0;
  virtual void write_gradients(std::span<const render::CpuSplatGradient> gradients,
                               const RoundingKey& key, std::byte* to) const = 0;
  // Adds the gradient of the k-th splat to gradients[which[k]].
  virtual void add_gradients(const std::byte* from, core::View<const uint32_t> which,
                             render::CpuSplatGradient* gradients) const = 0;
};

struct MessagePrecision {
  std::string_view name;
  // `pool` must outlive it.
  std::unique_ptr<MessageCoding> (*make)(const render::SplatGradientFormat& format, uint64_t seed,
                                         core::ThreadPool& pool);
};
std::span<const MessagePrecision> message_precisions();

// That of settings.message_precision. Throws core::UsageError naming the known ones if there is
// none of that name. `pool` must outlive it.
std::unique_ptr<MessageCoding> make_message_coding(const TrainSettings& settings,
                                                   core::ThreadPool& pool);

// 44 bytes a splat and 4 a float of its gradient.
std::unique_ptr<MessageCoding> make_exact_coding(const render::SplatGradientFormat& format,
                                                 uint64_t seed, core::ThreadPool& pool);
// 22 bytes a splat and 8 more for a center outside; 2 bytes a float of its gradient and, in each
// message that is not empty, 4 more for its scale.
std::unique_ptr<MessageCoding> make_compressed_coding(const render::SplatGradientFormat& format,
                                                      uint64_t seed, core::ThreadPool& pool);

}  // namespace tessera::models
