// Commands of captures' photos.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "viewer/ui/command_words.h"
#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

void view(Viewer& viewer, const Words& words) {
  const std::string& name = word(words, 1, "a photo");
  const auto place = photo_named(viewer.items(), name);
  if (!place) throw core::UsageError("view", "no capture that is open has a photo " + name);
  viewer.go_to(*place);
}

// Around the end.
void photo(Viewer& viewer, const Words& words) {
  const std::string& which = word(words, 1, "next or previous");
  if (which != "next" && which != "previous") {
    throw core::UsageError("photo", "is next or previous, not " + which);
  }
  const std::vector<PhotoPlace> all = photos_of(viewer.items());
  if (all.empty()) throw core::Error("no photos are open");
  size_t at = which == "next" ? 0 : all.size() - 1;
  if (const auto now = viewer.photo()) {
    const auto found = std::find(all.begin(), all.end(), *now);
    const size_t step = which == "next" ? 1 : all.size() - 1;
    at = (static_cast<size_t>(found - all.begin()) + step) % all.size();
  }
  viewer.go_to(all[at]);
}

void compare(Viewer& viewer, const Words& words) {
  const std::string& how = word(words, 1, "off, side, split, difference or error");
  const auto* entry = std::find_if(std::begin(kComparisons), std::end(kComparisons),
                                   [&how](const ComparisonEntry& e) { return e.name == how; });
  if (entry == std::end(kComparisons)) {
    throw core::UsageError("compare", "is off, side, split, difference or error, not " + how);
  }
  if (words.size() > 2) viewer.set_split(std::clamp(number(words, 2), 0.0, 1.0));
  viewer.compare(entry->comparison);
}

constexpr CommandEntry kCommands[] = {
    {"view", "NAME", "stand where a photo was taken", view},
    {"photo", "next|previous", "stand where the next photo was taken, or the one before", photo},
    {"compare", "off|side|split [AT]|difference|error",
     "show the photo beside what is drawn from its camera", compare},
};

template <Comparison kComparison>
bool compares(const Viewer& viewer) {
  return viewer.comparison() == kComparison;
}

constexpr ActionEntry kActions[] = {
    {"Photos", "Next photo", "photo next", "]"},
    {"Photos", "Previous photo", "photo previous", "["},
    {"Photos", "The scene alone", "compare off", "", compares<Comparison::kOff>},
    {"Photos", "Side by side", "compare side", "", compares<Comparison::kSideBySide>},
    {"Photos", "Split", "compare split", "", compares<Comparison::kSplit>},
    {"Photos", "Difference", "compare difference", "", compares<Comparison::kDifference>},
    {"Photos", "Error map", "compare error", "", compares<Comparison::kError>},
};

}  // namespace

std::span<const CommandEntry> photo_commands() {
  return kCommands;
}

std::span<const ActionEntry> photo_actions() {
  return kActions;
}

}  // namespace tessera::viewer
