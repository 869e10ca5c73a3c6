// A file of which parts are read.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace tessera::core {

class FileParts {
 public:
  // Throws IoError if there is no such file or it cannot be read.
  explicit FileParts(const std::filesystem::path& path);
  ~FileParts();
  FileParts(const FileParts&) = delete;
  FileParts& operator=(const FileParts&) = delete;

  uint64_t size() const { return size_; }  // when it was opened
  // Throws IoError if the file ends before [offset, offset + size) does.
  void read(uint64_t offset, void* to, size_t size) const;

 private:
  std::filesystem::path path_;
  uint64_t size_;
  int descriptor_;
};

}  // namespace tessera::core
