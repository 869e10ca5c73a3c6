// An owned array of plain values, aligned for the widest vectors, whose new elements are not
// initialised unless asked: buffers of a training step grow once and are written whole each time.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "core/view.h"

namespace tessera::core {

inline constexpr int64_t kArrayAlignment = 64;  // bytes: one AVX-512 vector, one cache line

// Uninitialised memory at that alignment, to be given to std::free; large pieces ask the system for
// huge pages. Throws std::bad_alloc.
void* allocate_array(int64_t bytes);

template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  explicit Array(int64_t size) { resize(size); }
  Array(int64_t size, T value) {
    resize(size);
    fill(value);
  }
  Array(const Array& other) { *this = other; }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(const Array& other) {
    if (this != &other) {
      resize(other.size_);
      if (size_ > 0) std::memcpy(static_cast<void*>(data_), other.data_, size_ * sizeof(T));
    }
    return *this;
  }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() { std::free(data_); }

  // Keeps the first min(old, new) elements; further ones are uninitialised.
  void resize(int64_t size) {
    if (size > capacity_) reserve(std::max(size, capacity_ + capacity_ / 2));
    size_ = size;
  }
  void reserve(int64_t capacity) {
    if (capacity <= capacity_) return;
    T* grown = static_cast<T*>(allocate_array(capacity * static_cast<int64_t>(sizeof(T))));
    if (size_ > 0) std::memcpy(static_cast<void*>(grown), data_, size_ * sizeof(T));
    std::free(data_);
    data_ = grown;
    capacity_ = capacity;
  }
  void clear() { size_ = 0; }
  void fill(T value) { std::fill(begin(), end(), value); }
  void push_back(T value) {
    resize(size_ + 1);
    data_[size_ - 1] = value;
  }
  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](int64_t i) { return data_[i]; }
  const T& operator[](int64_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  View<T> view() { return {data_, size_}; }
  View<const T> view() const { return {data_, size_}; }

  friend bool operator==(const Array& a, const Array& b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }

 private:
  T* data_ = nullptr;
  int64_t size_ = 0;
  int64_t capacity_ = 0;
};

}  // namespace tessera::core
