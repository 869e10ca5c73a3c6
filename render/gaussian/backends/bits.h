// Bit sets as lists. For kernel files.
// SPDX-License-Identifier: MIT
#pragma once

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>

namespace tessera::render {
inline namespace TESSERA_ISA_NAMESPACE {

// The places of the bits that are set in a byte, on end.
struct PlacesOfBits {
  alignas(64) uint8_t places[256][8];

  constexpr PlacesOfBits() : places() {
    for (unsigned bits = 0; bits < 256; ++bits) {
      unsigned count = 0;
      for (unsigned place = 0; place < 8; ++place) {
        if ((bits >> place & 1U) != 0) places[bits][count++] = static_cast<uint8_t>(place);
      }
    }
  }
};
static constexpr PlacesOfBits kPlacesOfBits;

constexpr int kPlacesSlack = 8;  // what append_places may write beyond the end of the list

// Appends the places of the bits set in `bits`, plus `first`, to the list that ends at `end`, and
// returns its new end. Without branches, since those on random bits cannot be predicted.
HWY_INLINE int append_places(uint64_t bits, int first, uint8_t* list, int end) {
  for (int byte = 0; byte < 8; ++byte) {
    const auto eight = static_cast<uint8_t>(bits >> (8 * byte));
    uint64_t places;
    std::memcpy(&places, kPlacesOfBits.places[eight], sizeof(places));
    places += 0x0101010101010101U * static_cast<uint64_t>(first + 8 * byte);
    std::memcpy(list + end, &places, sizeof(places));
    end += __builtin_popcount(eight);
  }
  return end;
}

}  // namespace TESSERA_ISA_NAMESPACE
}  // namespace tessera::render
