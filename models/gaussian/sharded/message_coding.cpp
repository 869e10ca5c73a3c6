// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/message_coding.h"

#include <string>

#include "core/error.h"

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
  std::string known;
  for (const MessagePrecision& precision : kPrecisions) {
    if (precision.name == settings.message_precision) {
      return precision.make(format, settings.seed, pool);
    }
    known += (known.empty() ? "" : ", ") + std::string(precision.name);
  }
  throw core::UsageError("--message-precision",
                         "\"" + settings.message_precision + "\" is not one of: " + known);
}

}  // namespace tessera::models
