// SPDX-License-Identifier: MIT
#include "viewer/edit/history.h"

#include <utility>

#include "core/error.h"

namespace tessera::viewer {
namespace {

constexpr size_t kMostSteps = 200;
constexpr size_t kNever = SIZE_MAX;

}  // namespace

void History::add(std::string name, std::vector<SceneItem> before,
                  const std::vector<SceneItem>& after) {
  if (saved_ != kNever && saved_ > at_) saved_ = kNever;  // what was saved is not to come back
  steps_.resize(at_);
  steps_.push_back({std::move(name), std::move(before), after});
  if (steps_.size() > kMostSteps) {
    steps_.erase(steps_.begin());
    saved_ = saved_ == 0 || saved_ == kNever ? kNever : saved_ - 1;
  }
  at_ = steps_.size();
}

const std::vector<SceneItem>& History::undo() {
  if (at_ == 0) throw core::Error("there is nothing to undo");
  return steps_[--at_].before;
}

const std::vector<SceneItem>& History::redo() {
  if (at_ == steps_.size()) throw core::Error("there is nothing to redo");
  return steps_[at_++].after;
}

}  // namespace tessera::viewer
