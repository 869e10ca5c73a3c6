// Files read whole within a limit, and files and folders written so that a reader sees either the
// old content or the new one, never a half.
//
// Writers fill `<name>.tmp` beside the target, sync it, rename it over the target and sync the
// folder that holds it. What is not committed is removed. Every failure is an IoError whose
// sentence says what to do.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/array.h"
#include "core/view.h"

namespace tessera::core {

inline constexpr uint64_t kNoSizeLimit = UINT64_MAX;

// Size in bytes of a regular file. Throws IoError if there is none or it cannot be read.
uint64_t size_of_file(const std::filesystem::path& path);

// The whole file. Throws IoError if it cannot be read or is longer than `max_bytes`.
Array<uint8_t> read_file(const std::filesystem::path& path, uint64_t max_bytes = kNoSizeLimit);
std::string read_text_file(const std::filesystem::path& path, uint64_t max_bytes = kNoSizeLimit);

// At most the first `count` bytes: what a probe looks at.
Array<uint8_t> read_file_start(const std::filesystem::path& path, uint64_t count);

// A file being written. Until commit() the target is as it was; without commit() it stays so and
// the temporary file is removed.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  uint64_t bytes_written() const;
  // Flushes, syncs and renames. Nothing may be written afterwards.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Throws the IoError that writing a file there would give, and leaves nothing behind: for asking
// before long work.
void check_file_can_be_written(const std::filesystem::path& target);

void write_file_atomically(const std::filesystem::path& target, View<const uint8_t> bytes);
void write_file_atomically(const std::filesystem::path& target, std::string_view text);

// A folder being written: fill `path()` (which is `<target>.tmp`, empty at first), then commit().
// A folder that stands at the target is replaced as a whole.
class AtomicFolder {
 public:
  explicit AtomicFolder(const std::filesystem::path& target);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  const std::filesystem::path& path() const { return temporary_; }
  // The path() of whoever writes `target` now, for others that write into it.
  static std::filesystem::path unfinished(const std::filesystem::path& target);
  // Syncs every file below path(), then renames.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  bool committed_ = false;
};

}  // namespace tessera::core
