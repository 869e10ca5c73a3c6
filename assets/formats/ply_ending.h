// Whether an ASCII PLY ends within its last number: "0.707" may be what is left of "0.70710678".
//
// A line end shows that the number is whole. Files may lack the last one, so where there is none
// the numbers above decide, if they were all printed with as many decimals; else nobody can tell.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "assets/formats/ply_header.h"

namespace tessera::assets {

// For a file whose element `index` was read to its last record. Throws IoError if it was cut within
// the last number; gives a note if that cannot be told, nothing if the number is whole.
std::optional<std::string> ply_ending_note(Bytes bytes, const PlyHeader& header, size_t index,
                                           const std::filesystem::path& path);

}  // namespace tessera::assets
