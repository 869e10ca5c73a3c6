// SPDX-License-Identifier: MIT
#include "apps/commands/held_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/error.h"

namespace tessera::apps {
namespace {

[[noreturn]] void refuse(const core::Capture& capture) {
  throw core::Error(
      fmt::format("{}: of its {} photos none is left to train on; leave --eval out or add photos.",
                  capture.folder.string(), capture.views.size()));
}

}  // namespace

std::vector<int> views_to_open(const core::Capture& capture, bool eval) {
  std::vector<int> views;
  for (int i = 0; i < static_cast<int>(capture.views.size()); ++i) {
    if (eval || !capture.views[i].is_test) views.push_back(i);
  }
  if (views.empty()) refuse(capture);
  return views;
}

std::vector<int> test_photos(const core::Capture& capture, const core::PhotoSource& photos,
                             int test_every) {
  std::set<std::string> marked;
  for (const core::CaptureView& view : capture.views) {
    if (view.is_test) marked.insert(view.name);
  }
  std::vector<int> test;
  for (int i = 0; i < photos.count(); ++i) {
    if (marked.empty() ? i % test_every == 0 : marked.contains(photos.name(i))) test.push_back(i);
  }
  return test;
}

HeldOut hold_out(const core::Capture& capture, const core::PhotoSource& photos, bool eval,
                 int test_every) {
  HeldOut split;
  if (eval) split.test = test_photos(capture, photos, test_every);
  for (int i = 0; i < photos.count(); ++i) {
    if (!std::binary_search(split.test.begin(), split.test.end(), i)) split.train.push_back(i);
  }
  if (split.train.empty()) refuse(capture);
  return split;
}

}  // namespace tessera::apps
