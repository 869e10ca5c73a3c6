// Stable radix sort of 32-bit keys with a 32-bit payload.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/array.h"

namespace tessera::render {

struct SortItem {
  uint32_t key;
  uint32_t value;

  friend bool operator==(const SortItem&, const SortItem&) = default;
};

// Sorts `items` by key, keeping the order of equal keys. `scratch` is resized as needed.
void radix_sort(core::Array<SortItem>& items, core::Array<SortItem>& scratch);

}  // namespace tessera::render
