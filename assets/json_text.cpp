// SPDX-License-Identifier: MIT
#include "assets/json_text.h"

#include <fmt/format.h>

#include "core/error.h"

namespace tessera::assets {

using nlohmann::json;

json parse_json(std::string_view text, const std::filesystem::path& path) {
  constexpr int kMaxDepth = 64;
  const auto check_depth = [&](int depth, json::parse_event_t, json&) {
    if (depth > kMaxDepth) {
      throw core::IoError(path, fmt::format("is JSON that nests deeper than {} levels", kMaxDepth));
    }
    return true;
  };
  try {
    return json::parse(text, check_depth);
  } catch (const json::exception& error) {
    throw core::IoError(path, fmt::format("is not valid JSON ({})", error.what()));
  }
}

}  // namespace tessera::assets
