// Which photos train and which are held out to measure the result.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/capture.h"
#include "core/photo_source.h"

namespace tessera::apps {

// The views to open: all, but without `eval` not those that the capture marks as test views, which
// are never trained on. Indices into capture.views, rising. Throws core::Error if none is left.
std::vector<int> views_to_open(const core::Capture& capture, bool eval);

// The photos that measure: the test views that the capture marks or, if it marks none, every
// `test_every`th by sorted name, beginning with the first. Indices into the photos, rising.
std::vector<int> test_photos(const core::Capture& capture, const core::PhotoSource& photos,
                             int test_every);

struct HeldOut {
  std::vector<int> train;  // indices into the photos, rising
  std::vector<int> test;
};

// With `eval` the test photos are held out. Throws core::Error if nothing is left to train on.
HeldOut hold_out(const core::Capture& capture, const core::PhotoSource& photos, bool eval,
                 int test_every);

}  // namespace tessera::apps
