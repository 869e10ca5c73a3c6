// SPDX-License-Identifier: MIT
#include "viewer/edit/history.h"

#include <utility>

#include "core/error.h"

namespace tessera::viewer {
namespace {

constexpr size_t kMostSteps = 200;

}  // namespace

void History::add(ChangeKind kind, std::string name, std::vector<SceneItem> before,
                  const std::vector<SceneItem>& after) {
  const int64_t edit = kind == ChangeKind::kEdit ? ++edits_ : edit_that_stands();
  steps_.resize(at_);
  steps_.push_back({std::move(name), std::move(before), after, edit});
  if (steps_.size() > kMostSteps) {
    first_edit_ = steps_.front().edit;
    steps_.erase(steps_.begin());
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
