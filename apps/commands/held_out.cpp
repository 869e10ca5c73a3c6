// SPDX-License-Identifier: MIT
#include "apps/commands/held_out.h"

#include <algorithm>
#include <map>
#include <string>

namespace tessera::apps {

HeldOut hold_out(const core::Capture& capture, bool eval, int test_every) {
  const bool marked = std::any_of(capture.views.begin(), capture.views.end(),
                                  [](const core::CaptureView& view) { return view.is_test; });
  HeldOut split;
  for (int i = 0; i < static_cast<int>(capture.views.size()); ++i) {
    const bool held = marked ? capture.views[i].is_test : eval && i % test_every == 0;
    if (!held) {
      split.train.push_back(i);
    } else if (eval) {
      split.test.push_back(i);
    }
  }
  return split;
}

std::vector<int> places_of(const core::Capture& capture, const std::vector<int>& views,
                           const core::PhotoSource& photos) {
  std::map<std::string, int> places;
  for (int i = 0; i < photos.count(); ++i) places[photos.name(i)] = i;
  std::vector<int> found;
  for (const int view : views) {
    const auto place = places.find(capture.views[view].name);
    if (place != places.end()) found.push_back(place->second);
  }
  return found;
}

}  // namespace tessera::apps
