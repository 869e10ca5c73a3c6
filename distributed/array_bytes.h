// Arrays, one for each rank, as the bytes that all_to_all_v takes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/array.h"

namespace tessera::distributed {

// To be sent; the arrays must outlive it.
template <class T>
std::vector<std::span<const std::byte>> bytes_of(const std::vector<core::Array<T>>& arrays) {
  std::vector<std::span<const std::byte>> spans;
  spans.reserve(arrays.size());
  for (const core::Array<T>& array : arrays) {
    spans.push_back(std::as_bytes(std::span(array.data(), static_cast<size_t>(array.size()))));
  }
  return spans;
}

// To be received into, at the arrays' sizes.
template <class T>
std::vector<std::span<std::byte>> room_of(std::vector<core::Array<T>>& arrays) {
  std::vector<std::span<std::byte>> spans;
  spans.reserve(arrays.size());
  for (core::Array<T>& array : arrays) {
    spans.push_back(
        std::as_writable_bytes(std::span(array.data(), static_cast<size_t>(array.size()))));
  }
  return spans;
}

}  // namespace tessera::distributed
