// SPDX-License-Identifier: MIT
#include "core/file_parts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "core/error.h"
#include "core/file_io.h"

namespace tessera::core {
namespace {

constexpr size_t kLargestTransfer = size_t{1} << 30;  // pread(2) takes no more than 2 GiB

[[noreturn]] void throw_cannot_read(const std::filesystem::path& path, int error) {
  throw IoError(path, fmt::format("cannot be read ({})", std::generic_category().message(error)));
}

}  // namespace

FileParts::FileParts(const std::filesystem::path& path)
    : path_(path),
      size_(size_of_file(path)),
      descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw_cannot_read(path, errno);
}

FileParts::~FileParts() {
  ::close(descriptor_);
}

void FileParts::read(uint64_t offset, void* to, size_t size) const {
  auto* bytes = static_cast<uint8_t*>(to);
  while (size > 0) {
    const ssize_t n =
        ::pread(descriptor_, bytes, std::min(size, kLargestTransfer), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_cannot_read(path_, errno);
    if (n == 0) throw IoError(path_, "ends before what is to be read of it does", offset);
    bytes += n;
    offset += static_cast<uint64_t>(n);
    size -= static_cast<size_t>(n);
  }
}

}  // namespace tessera::core
