// The two ends of the socket OUT/.live: a run's folder is its address, however long its path.
// Messages are received and sent without waiting.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "apps/live/live_protocol.h"

namespace tessera::apps {

// An open file of the system.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept { *this = std::move(other); }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

// Listens in the folder, in place of a killed run; only this user may connect. The caller sees to
// it that no other run has the folder. Throws core::IoError.
Descriptor listen_in(const std::filesystem::path& folder);
void remove_socket_of(const std::filesystem::path& folder);

// Nothing if no run listens there. Throws core::IoError if it may not be reached.
Descriptor connect_to(const std::filesystem::path& folder);

// Someone who has connected; nothing if there is nobody, or it is another user.
Descriptor accept_from(const Descriptor& listening);

// Messages as they come in.
class MessageReader {
 public:
  // `most_bytes`: of a payload of that kind; throws for a kind that is not taken.
  explicit MessageReader(uint64_t (*most_bytes)(LiveMessage)) : most_bytes_(most_bytes) {}

  using Take = std::function<void(LiveMessage, std::span<const std::byte>)>;
  // Reads what is there, some megabytes at most, and hands on what is whole. False once the other
  // end has hung up. Throws what `most_bytes` and `take` throw, and core::Error.
  bool receive(const Descriptor& socket, const Take& take);

 private:
  uint64_t (*most_bytes_)(LiveMessage);
  LiveHeader header_;
  uint64_t filled_ = 0;         // of header and payload
  core::Array<uint8_t> bytes_;  // of the payload, grown as it comes
};

// Messages on their way out.
class Outbox {
 public:
  void add(std::vector<std::byte> message);
  // The snapshot's Gaussians with color of at most that degree; it is held until it is sent.
  void add(std::shared_ptr<const LiveSnapshot> snapshot, int64_t sh_degree);

  bool empty() const { return parts_.empty(); }
  // Sends what goes at once, some megabytes at most. False once the other end has hung up.
  bool send(const Descriptor& socket);
  uint64_t sent_bytes() const { return sent_; }

 private:
  struct Part {
    std::shared_ptr<const void> holds;
    std::span<const std::byte> bytes;
  };
  std::deque<Part> parts_;
  uint64_t sent_ = 0;
};

}  // namespace tessera::apps
