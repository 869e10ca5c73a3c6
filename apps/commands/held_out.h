// Which photos train and which are held out to measure the result.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/capture.h"
#include "core/photo_source.h"

namespace tessera::apps {

// Indices into capture.views, rising.
struct HeldOut {
  std::vector<int> train;
  std::vector<int> test;
};

// With `eval` the test views are those that the capture marks or, if it marks none, every
// `test_every`th by sorted name of the photos that exist, beginning with the first. Without it
// there are none; what the capture marks is not trained on either way.
HeldOut hold_out(const core::Capture& capture, bool eval, int test_every);

// The places among `photos` of those of `views` that could be read.
std::vector<int> places_of(const core::Capture& capture, const std::vector<int>& views,
                           const core::PhotoSource& photos);

}  // namespace tessera::apps
