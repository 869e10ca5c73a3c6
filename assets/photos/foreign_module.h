// What the module of foreign formats offers to whoever loads it: plain C, so that nothing of OpenCV
// is needed to link.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// Decodes `bytes` into malloc'ed `pixels` ([height][width][channels], channels 1, 3 RGB or 4 RGBA).
// Returns 0, or 1 if there is no whole picture in them.
using TesseraDecodeForeign = int(const uint8_t* bytes, size_t size, int* width, int* height,
                                 int* channels, uint8_t** pixels);

}  // extern "C"
