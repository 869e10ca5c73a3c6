// Which photos train and which are held out to measure the result.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
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

// Takes out of `places` the photos of which a mask leaves no pixel. Returns their names.
std::vector<std::string> take_masked_out(const core::PhotoSource& photos, std::vector<int>& places);

// The sentence about them: how many, the first, what follows from it, and what to do if that is not
// meant. `kind` is "held-out photo" or the like.
std::string masked_out_text(const std::vector<std::string>& names, const std::string& kind,
                            const std::string& consequence);

}  // namespace tessera::apps
