// Which checkpoint a run goes on from, and what can be done if that one is damaged.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/error.h"

namespace tessera::apps {

// The one of `step` in `folder`, or the newest; nothing if none is asked for and there is none.
// Throws core::UsageError naming those that are there if the one asked for is not.
std::optional<std::filesystem::path> checkpoint_to_resume(const std::filesystem::path& folder,
                                                          std::optional<int64_t> step);

// Throws `fault`, met in reading `checkpoint`, again: with what the run can go on from instead.
[[noreturn]] void refuse_damaged(const core::IoError& fault,
                                 const std::filesystem::path& checkpoint);

// What `read` gives; an IoError of it is refused so.
template <class Read>
auto or_refuse_damaged(const std::filesystem::path& checkpoint, const Read& read) {
  try {
    return read();
  } catch (const core::IoError& fault) {
    refuse_damaged(fault, checkpoint);
  }
}

}  // namespace tessera::apps
