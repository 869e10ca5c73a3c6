// SPDX-License-Identifier: MIT
#include "apps/live/live_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/error.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = ".live";
constexpr size_t kMostAtOnce = 4 << 20;  // bytes of one call, so that others have their turn
constexpr int kWaitingToConnect = 8;

[[noreturn]] void refuse(const fs::path& folder, const char* what) {
  throw core::IoError(folder / kName, fmt::format("{} ({})", what, std::strerror(errno)));
}

// An address has 108 letters at most; the open folder's name among this process's is short.
sockaddr_un address_in(const Descriptor& folder) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = fmt::format("/proc/self/fd/{}/{}", folder.get(), kName);
  std::copy(path.begin(), path.end(), std::begin(address.sun_path));
  return address;
}

Descriptor open_folder(const fs::path& folder) {
  return Descriptor(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

Descriptor new_socket() {
  return Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// Root may watch anyone's.
bool is_own_user(const Descriptor& socket) {
  ucred other = {};
  socklen_t size = sizeof(other);
  if (getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &other, &size) != 0) return false;
  return other.uid == geteuid() || other.uid == 0 || geteuid() == 0;
}

void remove_socket(const Descriptor& folder) {
  struct stat found = {};
  if (fstatat(folder.get(), kName, &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (S_ISSOCK(found.st_mode)) unlinkat(folder.get(), kName, 0);
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

Descriptor listen_in(const fs::path& folder) {
  const Descriptor open = open_folder(folder);
  if (!open) refuse(folder, "cannot be made");
  remove_socket(open);
  Descriptor listening = new_socket();
  const sockaddr_un address = address_in(open);
  // The file takes the socket's own permissions when it is bound, so nobody slips in before.
  if (!listening || fchmod(listening.get(), S_IRWXU) != 0 ||
      bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(listening.get(), kWaitingToConnect) != 0) {
    refuse(folder, "cannot be listened to");
  }
  return listening;
}

void remove_socket_of(const fs::path& folder) {
  if (const Descriptor open = open_folder(folder)) remove_socket(open);
}

Descriptor connect_to(const fs::path& folder) {
  const Descriptor open = open_folder(folder);
  if (!open) return {};
  Descriptor socket = new_socket();
  if (!socket) refuse(folder, "cannot be connected to");
  const sockaddr_un address = address_in(open);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    if (errno == ENOENT || errno == ECONNREFUSED || errno == EAGAIN) return {};
    refuse(folder, "cannot be connected to");
  }
  if (!is_own_user(socket)) {
    throw core::IoError(folder / kName, "belongs to another user's program");
  }
  return socket;
}

Descriptor accept_from(const Descriptor& listening) {
  Descriptor socket(accept4(listening.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket && !is_own_user(socket)) return {};
  return socket;
}

bool MessageReader::receive(const Descriptor& socket, const Take& take) {
  for (size_t left = kMostAtOnce; left > 0;) {
    const bool in_header = filled_ < sizeof(header_);
    uint64_t place = filled_;
    uint64_t size = sizeof(header_);
    auto* to = reinterpret_cast<uint8_t*>(&header_);
    if (!in_header) {
      place = filled_ - sizeof(header_);
      size = header_.bytes;
    }
    if (place < size) {
      const uint64_t wanted = std::min<uint64_t>(size - place, left);
      if (!in_header) {
        bytes_.resize(static_cast<int64_t>(place + wanted));
        to = bytes_.data();
      }
      const ssize_t count = recv(socket.get(), to + place, wanted, 0);
      if (count == 0) return false;
      if (count < 0) return errno == EAGAIN || errno == EINTR;
      filled_ += static_cast<uint64_t>(count);
      left -= static_cast<size_t>(count);
      if (in_header && filled_ == sizeof(header_) && header_.bytes > most_bytes_(header_.message)) {
        throw core::Error("What came from the other end is longer than any message.");
      }
    }
    if (filled_ < sizeof(header_) || filled_ < sizeof(header_) + header_.bytes) continue;
    filled_ = 0;
    take(header_.message, std::as_bytes(std::span(bytes_.data(), header_.bytes)));
  }
  return true;
}

void Outbox::add(std::vector<std::byte> message) {
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(message));
  parts_.push_back({kept, *kept});
}

void Outbox::add(std::shared_ptr<const LiveSnapshot> snapshot, int64_t sh_degree) {
  LiveSnapshotHeader header = snapshot->header;
  header.sh_degree = std::min(header.sh_degree, sh_degree);
  // Color of a lower degree is the first of the planes.
  const std::span<const float> planes(
      snapshot->planes.data(),
      header.gaussians * core::plane_count(static_cast<int>(header.sh_degree)));
  const std::span<const uint16_t> owners(snapshot->owners.data(), snapshot->owners.size());
  std::vector<std::byte> head = live_message(LiveMessage::kSnapshot, header);
  const LiveHeader frame = {LiveMessage::kSnapshot,
                            sizeof(header) + planes.size_bytes() + owners.size_bytes()};
  std::memcpy(head.data(), &frame, sizeof(frame));
  add(std::move(head));
  for (const std::span<const std::byte> bytes : {std::as_bytes(planes), std::as_bytes(owners)}) {
    if (!bytes.empty()) parts_.push_back({snapshot, bytes});
  }
}

bool Outbox::send(const Descriptor& socket) {
  for (size_t left = kMostAtOnce; left > 0 && !parts_.empty();) {
    Part& part = parts_.front();
    const ssize_t count = ::send(socket.get(), part.bytes.data(), std::min(part.bytes.size(), left),
                                 MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    sent_ += static_cast<uint64_t>(count);
    left -= static_cast<size_t>(count);
    part.bytes = part.bytes.subspan(static_cast<size_t>(count));
    if (part.bytes.empty()) parts_.pop_front();
  }
  return true;
}

}  // namespace tessera::apps
