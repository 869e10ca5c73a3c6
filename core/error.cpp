// SPDX-License-Identifier: MIT
#include "core/error.h"

#include <fmt/format.h>

namespace tessera::core {

IoError::IoError(const std::filesystem::path& path, const std::string& what,
                 std::optional<uint64_t> byte_offset)
    : Error(byte_offset ? fmt::format("{}: {} (at byte {})", path.string(), what, *byte_offset)
                        : fmt::format("{}: {}", path.string(), what)),
      path_(path),
      byte_offset_(byte_offset) {}

UsageError::UsageError(const std::string& field, const std::string& what)
    : Error(fmt::format("{}: {}", field, what)), field_(field) {}

}  // namespace tessera::core
