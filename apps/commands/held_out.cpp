// SPDX-License-Identifier: MIT
#include "apps/commands/held_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "apps/commands/progress.h"

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

std::vector<std::string> take_masked_out(const core::PhotoSource& photos,
                                         std::vector<int>& places) {
  std::vector<std::string> names;
  std::vector<int> left;
  for (const int place : places) {
    if (photos.is_masked_out(place)) {
      names.push_back(photos.name(place));
    } else {
      left.push_back(place);
    }
  }
  places = std::move(left);
  return names;
}

std::string masked_out_text(const std::vector<std::string>& names, const std::string& kind,
                            const std::string& consequence) {
  return fmt::format(
      "Masks leave no pixel of {} (the first is {}): {} (white keeps, and "
      "--invert-masks turns that round).",
      plural(static_cast<int64_t>(names.size()), kind), names.front(), consequence);
}

}  // namespace tessera::apps
