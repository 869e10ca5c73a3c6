// The disparity of a rectified stereo pair, by OpenCV's semi-global matcher in a module that is
// loaded when asked for: linking it would load its libraries whenever a program starts.
//
// Hirschmueller, "Stereo Processing by Semiglobal Matching and Mutual Information", 2008.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/image.h"

namespace tessera::models {

// Of the left picture [height][width][1], in pixels, in steps of 1/16; 0 where the pictures do not
// agree, or only small pieces do that seem to float before all else. `left` and `right` are RGB, of
// one size; a point moves left by 0 to `largest_disparity` pixels from the left picture to the
// right one. Throws core::Error if sizes differ or the module is not installed.
core::ImageF match_stereo(const core::Image8& left, const core::Image8& right,
                          int largest_disparity);

}  // namespace tessera::models
