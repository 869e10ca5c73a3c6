// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/message_coding.h"

#include "core/table_entry.h"

namespace tessera::models {
namespace {

constexpr MessagePrecision kPrecisions[] = {
    {"float32", make_exact_coding},
    {"compressed", make_compressed_coding},
};

}  // namespace

std::span<const MessagePrecision> message_precisions() {
  return kPrecisions;
}

std::unique_ptr<MessageCoding> make_message_coding(const TrainSettings& settings,
                                                   core::ThreadPool& pool) {
  const render::SplatGradientFormat format(settings.depth_weight > 0, settings.absgrad);
  return core::entry_named(message_precisions(), settings.message_precision, "--message-precision")
      .make(format, settings.seed, pool);
}

}  // namespace tessera::models
