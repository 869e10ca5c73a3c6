// Undo and redo of all that changes what is open.
//
// A step keeps the list of items before and after. Their contents are shared and never changed in
// place, so a step costs what it made anew, and undo gives the same bytes.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "viewer/scene/scene_item.h"

namespace tessera::viewer {

// Whether a change is of what files hold, or only of what is chosen, named and in which order.
enum class ChangeKind { kEdit, kArrangement };

class History {
 public:
  // What stood before a change; `name` is for menus: "delete 12 splats".
  void add(ChangeKind kind, std::string name, std::vector<SceneItem> before,
           const std::vector<SceneItem>& after);
  // The name of what would be undone or redone; empty: nothing.
  std::string undo_name() const { return at_ == 0 ? "" : steps_[at_ - 1].name; }
  std::string redo_name() const { return at_ == steps_.size() ? "" : steps_[at_].name; }
  // What stood before the last change, or after the next one. Throws core::Error if there is none.
  const std::vector<SceneItem>& undo();
  const std::vector<SceneItem>& redo();
  // Whether other edits stand than when saved() was called last.
  bool unsaved() const { return edit_that_stands() != saved_edit_; }
  void saved() { saved_edit_ = edit_that_stands(); }
  // What stands is not saved, though no step made it.
  void set_unsaved() { saved_edit_ = -1; }
  // A number of the edit that stands.
  int64_t edit() const { return edit_that_stands(); }

 private:
  struct Step {
    std::string name;
    std::vector<SceneItem> before, after;
    int64_t edit = 0;  // number of the last edit that stands after it
  };

  int64_t edit_that_stands() const { return at_ == 0 ? first_edit_ : steps_[at_ - 1].edit; }

  std::vector<Step> steps_;
  size_t at_ = 0;           // steps that stand
  int64_t edits_ = 0;       // numbers that were given
  int64_t first_edit_ = 0;  // what stood before the first step
  int64_t saved_edit_ = 0;
};

}  // namespace tessera::viewer
