// The records of one PLY element as columns of numbers, whatever the file's encoding and types.
//
// Binary records of fixed size are transposed block by block, so that a block's rows stay in the
// cache while its columns are written; ASCII and records with lists go row by row.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "assets/formats/ply_header.h"

namespace tessera::assets {

// Where a property's values go: one of the two pointers is set, with room for the element's count.
struct PlyColumn {
  size_t property = 0;
  float* floats = nullptr;
  double* doubles = nullptr;
};

// Holds element `index` against the file's size: throws IoError, with the number of records that
// are there, if the data end before it does. To be called before room is made for its records.
void check_ply_element(Bytes bytes, const PlyHeader& header, size_t index,
                       const std::filesystem::path& path);

// Reads element `index`; the elements before it are skipped. Columns must not name lists.
void read_ply_columns(Bytes bytes, const PlyHeader& header, size_t index,
                      const std::vector<PlyColumn>& columns, const std::filesystem::path& path);

}  // namespace tessera::assets
