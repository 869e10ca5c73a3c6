// What the module of the stereo matcher offers to whoever loads it: plain C, so that nothing of
// OpenCV is needed to link.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

extern "C" {

// `left` and `right` are RGB [height][width][3], `disparity` [height][width]: sixteenths of a
// pixel, below zero where there is none. Returns 0, or 1 if the matcher failed.
using TesseraMatchStereo = int(const uint8_t* left, const uint8_t* right, int width, int height,
                               int largest_disparity, int16_t* disparity);

}  // extern "C"
