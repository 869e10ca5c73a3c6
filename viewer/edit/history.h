// Undo and redo of all that changes what is open.
//
// A step keeps the list of items before and after. Their contents are shared and never changed in
// place, so a step costs what it made anew, and undo gives the same bytes.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "viewer/scene/scene_item.h"

namespace tessera::viewer {

class History {
 public:
  // What stood before a change; `name` is for menus: "delete 12 splats".
  void add(std::string name, std::vector<SceneItem> before, const std::vector<SceneItem>& after);
  // The name of what would be undone or redone; empty: nothing.
  std::string undo_name() const { return at_ == 0 ? "" : steps_[at_ - 1].name; }
  std::string redo_name() const { return at_ == steps_.size() ? "" : steps_[at_].name; }
  // What stood before the last change, or after the next one. Throws core::Error if there is none.
  const std::vector<SceneItem>& undo();
  const std::vector<SceneItem>& redo();
  // Whether there are changes since the last call of saved().
  bool unsaved() const { return at_ != saved_; }
  void saved() { saved_ = at_; }

 private:
  struct Step {
    std::string name;
    std::vector<SceneItem> before, after;
  };

  std::vector<Step> steps_;
  size_t at_ = 0;     // steps that stand
  size_t saved_ = 0;  // of these when it was saved
};

}  // namespace tessera::viewer
