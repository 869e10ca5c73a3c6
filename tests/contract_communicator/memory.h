// Buffers in whichever memory a backend sends from, filled and read by the host.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tessera::distributed::test {

// The host's own; a backend of a device derives from it.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual std::byte* allocate(size_t size) { return new std::byte[size]; }
  virtual void release(std::byte* bytes) { delete[] bytes; }
  virtual void upload(std::byte* to, const void* from, size_t size) { std::memcpy(to, from, size); }
  virtual void download(void* to, const std::byte* from, size_t size) {
    std::memcpy(to, from, size);
  }
};

class Buffer {
 public:
  Buffer(Memory& memory, const std::vector<uint8_t>& values)
      : memory_(memory), size_(values.size()), bytes_(memory.allocate(size_)) {
    if (size_ > 0) memory.upload(bytes_, values.data(), size_);
  }
  Buffer(Memory& memory, size_t size) : Buffer(memory, std::vector<uint8_t>(size, 0xEE)) {}
  ~Buffer() { memory_.release(bytes_); }
  Buffer(Buffer&& other) noexcept
      : memory_(other.memory_), size_(other.size_), bytes_(other.bytes_) {
    other.bytes_ = nullptr;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer& operator=(Buffer&&) = delete;

  std::span<std::byte> bytes() const { return {bytes_, size_}; }
  std::vector<uint8_t> values() const {
    std::vector<uint8_t> copy(size_);
    if (size_ > 0) memory_.download(copy.data(), bytes_, size_);
    return copy;
  }

 private:
  Memory& memory_;
  size_t size_;
  std::byte* bytes_;
};

}  // namespace tessera::distributed::test
