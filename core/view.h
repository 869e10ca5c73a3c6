// A pointer and a length: what kernels see of an array. Unlike std::span it is a plain aggregate of
// two words, so .cu files and CPU kernel files (which use no standard container) can take it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tessera::core {

template <class T>
struct View {
  T* data = nullptr;
  int64_t size = 0;

  T& operator[](int64_t i) const { return data[i]; }
  T* begin() const { return data; }
  T* end() const { return data + size; }
  bool empty() const { return size == 0; }
  operator View<const T>() const { return {data, size}; }
};

}  // namespace tessera::core
