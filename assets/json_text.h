// JSON out of files that anyone may have written.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

namespace tessera::assets {

// Throws IoError, naming `path`, if the text is not JSON or nests deeper than 64 levels, which no
// file that is read here needs and which would take many times the text's memory.
nlohmann::json parse_json(std::string_view text, const std::filesystem::path& path);

}  // namespace tessera::assets
