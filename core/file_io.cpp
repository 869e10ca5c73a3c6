// SPDX-License-Identifier: MIT
#include "core/file_io.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace tessera::core {
namespace fs = std::filesystem;
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kLargestTransfer = size_t{1}
                                    << 30;  // read(2) and write(2) take no more than 2 GiB

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, mode_t mode = 0)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void close() { ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

std::string reason(int error) {
  return std::generic_category().message(error);
}

[[noreturn]] void throw_cannot_read(const fs::path& path, int error) {
  if (error == ENOENT || error == ENOTDIR) throw IoError(path, "there is no such file");
  if (error == EACCES) throw IoError(path, "may not be read; check its permissions");
  if (error == EISDIR) throw IoError(path, "is a folder, but a file is needed");
  throw IoError(path, fmt::format("cannot be read ({})", reason(error)));
}

[[noreturn]] void throw_cannot_write(const fs::path& path, int error, uint64_t written) {
  const double megabytes = static_cast<double>(written) * 1e-6;
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      throw IoError(path, fmt::format("the disk is full after {:.1f} MB of this file; free some "
                                      "space or write to another disk",
                                      megabytes));
    case EFBIG:
      throw IoError(path, fmt::format("the system allows no file larger than {:.1f} MB here; raise "
                                      "the limit (ulimit -f) or write to another disk",
                                      megabytes));
    case ENOENT:
    case ENOTDIR:
      throw IoError(path, "cannot be written, for its folder does not exist; create that first");
    case EACCES:
    case EPERM:
      throw IoError(path, "may not be written; check the folder's permissions");
    case EROFS:
      throw IoError(path, "cannot be written, for the disk is read-only; write to another folder");
    case ELOOP:
      throw IoError(path, fmt::format("cannot be written, for {}.tmp is a link; remove that",
                                      path.filename().string()));
    case EISDIR:
      throw IoError(path, "is a folder, but a file is to be written there");
    default:
      throw IoError(path, fmt::format("cannot be written ({})", reason(error)));
  }
}

// Fills [data, data + size) as far as the file reaches; returns the bytes read.
size_t read_fully(int fd, const fs::path& path, uint8_t* data, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = ::read(fd, data + done, std::min(size - done, kLargestTransfer));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_cannot_read(path, errno);
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return done;
}

[[noreturn]] void throw_too_long(const fs::path& path, uint64_t max_bytes) {
  throw IoError(
      path, fmt::format("is longer than {} bytes, the most that such a file may have", max_bytes));
}

struct stat stat_of(int fd, const fs::path& path) {
  struct stat info = {};
  if (::fstat(fd, &info) != 0) throw_cannot_read(path, errno);
  if (S_ISDIR(info.st_mode)) throw_cannot_read(path, EISDIR);
  return info;
}

// `resize(n)` makes room for n bytes and gives their start, so that a string is filled in place.
template <class Resize>
void read_whole(const fs::path& path, uint64_t max_bytes, Resize resize) {
  const Descriptor file(path, O_RDONLY);
  if (!file.is_open()) throw_cannot_read(path, errno);
  const struct stat info = stat_of(file.get(), path);
  if (S_ISREG(info.st_mode) && static_cast<uint64_t>(info.st_size) > max_bytes) {
    throw_too_long(path, max_bytes);
  }
  // Pipes have no size, nor do files below /proc; one byte more than expected tells the end.
  uint64_t room = info.st_size > 0 ? static_cast<uint64_t>(info.st_size) + 1 : kBufferBytes;
  uint64_t size = 0;
  for (;;) {
    size += read_fully(file.get(), path, resize(room) + size, room - size);
    if (size > max_bytes) throw_too_long(path, max_bytes);
    if (size < room) break;
    room *= 2;
  }
  resize(size);
}

void sync_folder(const fs::path& folder) {
  const Descriptor directory(folder, O_RDONLY | O_DIRECTORY);
  // Some network file systems cannot sync a folder; the rename is done all the same.
  if (directory.is_open() && ::fsync(directory.get()) != 0 && errno != EINVAL) {
    throw_cannot_write(folder, errno, 0);
  }
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

void sync_tree(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory()) {
      sync_folder(entry.path());
    } else if (entry.is_regular_file()) {
      const Descriptor file(entry.path(), O_RDONLY);
      if (!file.is_open() || ::fsync(file.get()) != 0) throw_cannot_write(entry.path(), errno, 0);
    }
  }
  sync_folder(folder);
}

// A symbolic link is followed, so that the file it names is replaced and not the link.
fs::path resolved_target(const fs::path& target) {
  std::error_code error;
  if (!fs::is_symlink(target, error)) return target;
  const fs::path resolved = fs::weakly_canonical(target, error);
  return error ? target : resolved;
}

}  // namespace

uint64_t size_of_file(const fs::path& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) throw_cannot_read(path, errno);
  if (S_ISDIR(info.st_mode)) throw_cannot_read(path, EISDIR);
  return static_cast<uint64_t>(info.st_size);
}

Array<uint8_t> read_file(const fs::path& path, uint64_t max_bytes) {
  Array<uint8_t> bytes;
  read_whole(path, max_bytes, [&](uint64_t size) {
    bytes.resize(static_cast<int64_t>(size));
    return bytes.data();
  });
  return bytes;
}

std::string read_text_file(const fs::path& path, uint64_t max_bytes) {
  std::string text;
  read_whole(path, max_bytes, [&](uint64_t size) {
    text.resize(size);
    return reinterpret_cast<uint8_t*>(text.data());
  });
  return text;
}

Array<uint8_t> read_file_start(const fs::path& path, uint64_t count) {
  const Descriptor file(path, O_RDONLY);
  if (!file.is_open()) throw_cannot_read(path, errno);
  stat_of(file.get(), path);
  Array<uint8_t> bytes(static_cast<int64_t>(count));
  bytes.resize(static_cast<int64_t>(read_fully(file.get(), path, bytes.data(), count)));
  return bytes;
}

struct AtomicFile::Impl {
  fs::path target;
  fs::path temporary;
  Descriptor file;
  Array<uint8_t> buffer{static_cast<int64_t>(kBufferBytes)};
  size_t buffered = 0;
  uint64_t flushed = 0;
  bool committed = false;

  explicit Impl(const fs::path& target_)
      : target(resolved_target(target_)),
        temporary(target.string() + ".tmp"),
        file(temporary, O_WRONLY | O_CREAT | O_NOFOLLOW, 0666) {}

  // Two programs that write the same target must not share a temporary file.
  void take_for_ourselves() {
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw IoError(target, "is being written by another program; wait for it or stop it");
    }
    struct stat opened = {};
    struct stat named = {};
    if (::fstat(file.get(), &opened) != 0 || ::stat(temporary.c_str(), &named) != 0 ||
        opened.st_ino != named.st_ino) {
      throw IoError(target, "was being written by another program just now; try again");
    }
    if (::ftruncate(file.get(), 0) != 0) throw_cannot_write(target, errno, 0);
  }

  void put(const uint8_t* data, size_t size) {
    while (size > 0) {
      const ssize_t n = ::write(file.get(), data, std::min(size, kLargestTransfer));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw_cannot_write(target, errno, flushed);
      data += n;
      size -= static_cast<size_t>(n);
      flushed += static_cast<uint64_t>(n);
    }
  }
};

AtomicFile::AtomicFile(const fs::path& target) {
  std::error_code ignored;
  const fs::file_status status = fs::status(target, ignored);
  if (fs::is_directory(status)) throw_cannot_write(target, EISDIR, 0);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw IoError(target, "is a device or a pipe, but an ordinary file is to be written there");
  }
  impl_ = std::make_unique<Impl>(target);
  if (!impl_->file.is_open()) throw_cannot_write(target, errno, 0);
  impl_->take_for_ourselves();
  if (fs::exists(status)) {
    ::fchmod(impl_->file.get(), static_cast<mode_t>(status.permissions()) & 0777);
  }
}

AtomicFile::~AtomicFile() {
  if (!impl_->committed) ::unlink(impl_->temporary.c_str());
}

void AtomicFile::write(const void* data, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  if (impl_->buffered + size > kBufferBytes) {
    impl_->put(impl_->buffer.data(), std::exchange(impl_->buffered, 0));
  }
  if (size >= kBufferBytes) {
    impl_->put(bytes, size);
  } else if (size > 0) {
    std::memcpy(impl_->buffer.data() + impl_->buffered, bytes, size);
    impl_->buffered += size;
  }
}

uint64_t AtomicFile::bytes_written() const {
  return impl_->flushed + impl_->buffered;
}

void AtomicFile::commit() {
  Impl& to = *impl_;
  to.put(to.buffer.data(), std::exchange(to.buffered, 0));
  if (::fsync(to.file.get()) != 0) throw_cannot_write(to.target, errno, to.flushed);
  // Renamed while it is still open, and so still locked.
  if (::rename(to.temporary.c_str(), to.target.c_str()) != 0) {
    throw_cannot_write(to.target, errno, to.flushed);
  }
  to.committed = true;
  to.file.close();
  sync_folder(folder_of(to.target));
}

void check_file_can_be_written(const fs::path& target) {
  const AtomicFile not_committed(target);
}

void write_file_atomically(const fs::path& target, View<const uint8_t> bytes) {
  AtomicFile file(target);
  file.write(bytes.data, static_cast<size_t>(bytes.size));
  file.commit();
}

void write_file_atomically(const fs::path& target, std::string_view text) {
  AtomicFile file(target);
  file.write(text);
  file.commit();
}

fs::path AtomicFolder::unfinished(const fs::path& target) {
  // "scene/" and "scene" are the same folder.
  return (target.has_filename() ? target : target.parent_path()).string() + ".tmp";
}

AtomicFolder::AtomicFolder(const fs::path& target)
    : target_(target), temporary_(unfinished(target)) {
  if (!target_.has_filename()) target_ = target_.parent_path();
  std::error_code error;
  fs::remove_all(temporary_, error);
  if (::mkdir(temporary_.c_str(), 0777) != 0) throw_cannot_write(target_, errno, 0);
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
  sync_tree(temporary_);
  std::error_code error;
  if (fs::is_directory(target_, error)) {
    // The two change places in one step; what stood at the target is then removed. A file system
    // that cannot do so gets the old folder moved aside first.
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) !=
        0) {
      const fs::path aside = target_.string() + ".old";
      fs::remove_all(aside, error);
      if (::rename(target_.c_str(), aside.c_str()) != 0 ||
          ::rename(temporary_.c_str(), target_.c_str()) != 0) {
        throw_cannot_write(target_, errno, 0);
      }
      fs::remove_all(aside, error);
    }
  } else if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    throw_cannot_write(target_, errno, 0);
  }
  committed_ = true;
  fs::remove_all(temporary_, error);
  sync_folder(folder_of(target_));
}

}  // namespace tessera::core
