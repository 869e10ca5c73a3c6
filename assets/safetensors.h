// The weights of networks from and to .safetensors files.
//
// Format: https://github.com/huggingface/safetensors. Eight bytes of length, a header in JSON with
// each tensor's type, shape and place, then the tensors' bytes without gaps.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "core/tensor_map.h"

namespace tessera::assets {

// Throws IoError if the file is missing, cut off or damaged, holds numbers of a type that
// core::TensorType has not, or tensors that overlap, reach beyond the file or leave gaps.
core::TensorMap read_safetensors(const std::filesystem::path& path);

// Whole or not at all. Throws IoError.
void write_safetensors(const std::filesystem::path& path, const core::TensorMap& map);

}  // namespace tessera::assets
