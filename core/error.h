// The errors that a user may see. Each carries one clear sentence: what is wrong, where, what to
// do.
//
// They are caught only where something else is done instead: in the mains, in the viewer's command
// loop, by --skip-bad-images and at the end of a thread. What is not one of these is our own fault
// (exit code 1); these are the input's, the options' or the environment's (exit code 2).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace tessera::core {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file or folder that cannot be read, understood or written. The message names the path, and the
// byte offset where one is known.
class IoError : public Error {
 public:
  IoError(const std::filesystem::path& path, const std::string& what,
          std::optional<uint64_t> byte_offset = std::nullopt);

  const std::filesystem::path& path() const { return path_; }
  std::optional<uint64_t> byte_offset() const { return byte_offset_; }

 private:
  std::filesystem::path path_;
  std::optional<uint64_t> byte_offset_;
};

// An option or argument that cannot be meant. `field` is the option as the user typed it.
class UsageError : public Error {
 public:
  UsageError(const std::string& field, const std::string& what);

  const std::string& field() const { return field_; }

 private:
  std::string field_;
};

// The user asked to stop (Ctrl-C, SIGTERM) and the work was saved: exit code 130.
class Interrupted : public Error {
 public:
  using Error::Error;
};

}  // namespace tessera::core
