// The files of a glTF: one .glb, or a .gltf with its buffer and pictures beside it.
//
// Those beside are named by their content, so that a .gltf that is replaced keeps its own until the
// new one stands in its place.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/array.h"

namespace tessera::assets {

// What is to be written: `root` without buffers and images.
struct GltfParts {
  nlohmann::json root;
  std::vector<uint8_t> buffer;
  std::vector<std::vector<uint8_t>> pictures;  // PNG

  // Appends the bytes at a multiple of four as a view for `target`; returns the view's index.
  size_t append(const uint8_t* bytes, size_t size, int target);
};

void write_glb_file(const std::filesystem::path& path, GltfParts parts);

// Removes what a file of this program at `path` had beside it and the new one has not.
void write_gltf_files(const std::filesystem::path& path, GltfParts parts);

bool is_glb(const std::filesystem::path& path);

// A file of either kind, read. What stands beside it is read only by plain names of its folder.
class GltfFile {
 public:
  // Throws IoError if it is neither, cut off or no JSON.
  explicit GltfFile(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const nlohmann::json& root() const { return root_; }
  size_t picture_count() const;
  // The bytes of an image. Throws IoError if they are not there.
  core::Array<uint8_t> picture(size_t index) const;

 private:
  core::Array<uint8_t> view_bytes(const nlohmann::json& view) const;

  std::filesystem::path path_;
  nlohmann::json root_;
  core::Array<uint8_t> binary_;  // the second chunk of a .glb
};

}  // namespace tessera::assets
