// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::tests {

// The JPEG with an EXIF block that states an orientation.
inline std::vector<uint8_t> with_exif_orientation(std::vector<uint8_t> jpeg, uint8_t orientation) {
  const uint8_t block[] = {0xFF, 0xE1, 0, 34, 'E',         'x', 'i', 'f', 0,    0,    'I', 'I',
                           '*',  0,    8, 0,  0,           0,   1,   0,   0x12, 0x01, 3,   0,
                           1,    0,    0, 0,  orientation, 0,   0,   0,   0,    0,    0,   0};
  jpeg.insert(jpeg.begin() + 2, block, block + sizeof(block));
  return jpeg;
}

}  // namespace tessera::tests
