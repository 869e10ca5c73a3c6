// SPDX-License-Identifier: MIT
#include "apps/commands/photo_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "core/error.h"
#include "core/nearest_name.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShown = 5;

std::string stem_of(const std::string& name) {
  return fs::path(name).stem().string();
}

// Whether the names agree as far as the one with fewer folders goes.
bool same_ending(const fs::path& a, const fs::path& b) {
  const std::vector<fs::path> parts_a(a.begin(), a.end());
  const std::vector<fs::path> parts_b(b.begin(), b.end());
  const size_t count = std::min(parts_a.size(), parts_b.size());
  return std::equal(parts_a.end() - count, parts_a.end(), parts_b.end() - count);
}

std::vector<size_t> places_ending_so(const std::vector<std::string>& names,
                                     const std::string& typed, bool extension_counts) {
  const auto shortened = [&](const std::string& name) {
    const fs::path path = fs::path(name).lexically_normal();
    return extension_counts ? path : path.parent_path() / path.stem();
  };
  std::vector<size_t> places;
  for (size_t i = 0; i < names.size(); ++i) {
    if (same_ending(shortened(names[i]), shortened(typed))) places.push_back(i);
  }
  return places;
}

std::string hint(const std::vector<std::string>& names, const std::string& typed) {
  if (const auto nearest = core::nearest_name(typed, names)) {
    return fmt::format("did you mean {}?", *nearest);
  }
  std::vector<std::string> stems(names.size());
  std::transform(names.begin(), names.end(), stems.begin(), stem_of);
  if (const auto nearest = core::nearest_name(stem_of(typed), stems)) {
    const size_t place = std::find(stems.begin(), stems.end(), *nearest) - stems.begin();
    return fmt::format("did you mean {}?", names[place]);
  }
  return fmt::format("they go from {} to {}", names.front(), names.back());
}

}  // namespace

size_t photo_named(const std::vector<std::string>& names, const std::string& typed,
                   const std::string& field) {
  const auto whole = std::find(names.begin(), names.end(), typed);
  if (whole != names.end()) return whole - names.begin();
  for (const bool extension_counts : {true, false}) {
    const std::vector<size_t> places = places_ending_so(names, typed, extension_counts);
    if (places.size() == 1) return places.front();
    if (places.empty()) continue;
    std::vector<std::string> meant;
    for (size_t i = 0; i < std::min(kShown, places.size()); ++i) meant.push_back(names[places[i]]);
    throw core::UsageError(field, fmt::format("\"{}\" may be any of {} photos, {}{}; give more of "
                                              "the name",
                                              typed, places.size(), fmt::join(meant, ", "),
                                              places.size() > kShown ? " and so on" : ""));
  }
  throw core::UsageError(
      field, fmt::format("\"{}\" is neither a position and a target such as 0,-1,-3,0,0,0 nor one "
                         "of the capture's {} photos; {}",
                         typed, names.size(), hint(names, typed)));
}

}  // namespace tessera::apps
