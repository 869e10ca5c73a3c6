// The viewer's sessions: written to a file, read from one, and kept while work is not saved.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/file_io.h"
#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

constexpr double kSecondsBetweenWrites = 5;
constexpr uint64_t kMostBytes = uint64_t{1} << 30;

}  // namespace

Session Viewer::session() const {
  Session session;
  for (const SceneItem& item : items_) {
    SessionScene scene;
    scene.path = std::filesystem::absolute(item.path).lexically_normal();
    scene.name = item.name;
    scene.visible = item.visible;
    scene.placement = item.placement;
    if (const auto* content = std::get_if<SplatContent>(&item.content)) {
      scene.runs = runs_of(*content->states);
    }
    if (item.id == current_id_) session.current = static_cast<int>(session.scenes.size());
    session.scenes.push_back(std::move(scene));
  }
  session.camera = camera_.target();
  session.up = camera_.up();
  session.bookmarks = bookmarks_;
  session.style = style_;
  session.path = path_;
  return session;
}

void Viewer::save_session(const std::filesystem::path& file) {
  const std::filesystem::path folder =
      std::filesystem::absolute(file).lexically_normal().parent_path();
  core::write_file_atomically(file, session_text(session(), folder));
  history_.saved();
}

void Viewer::open(const std::filesystem::path& path) {
  if (path.extension() != kSessionExtension) {
    loader_.open(path);
    return;
  }
  try {
    open_session(path, false);
  } catch (const core::Error& error) {
    say_error(error.what());
  }
}

void Viewer::open_session(const std::filesystem::path& file, bool unsaved) {
  Session session = parsed_session(core::read_text_file(file, kMostBytes), file);
  if (restoring_) throw core::Error("a session is being opened");
  if (history_.unsaved()) {
    throw core::Error("the edits of what is open are not saved; save them, or close them without");
  }
  items_.clear();
  history_ = {};
  home_.reset();
  restoring_ = Restoring{std::move(session), 0, 0, unsaved};
  for (const SessionScene& scene : restoring_->session.scenes) loader_.open(scene.path);
  if (restoring_->session.scenes.empty()) end_restoring();
}

// Files are opened in the order in which they were asked for.
bool Viewer::restore(Loader::Result& result) {
  if (!restoring_ || result.path != restoring_->session.scenes[restoring_->next].path) return false;
  const int place = restoring_->next++;
  const SessionScene& scene = restoring_->session.scenes[place];
  if (result.error.empty()) {
    SceneItem& item = *find_item(add(std::move(result.item)));
    item.name = scene.name;
    item.visible = scene.visible;
    item.placement = scene.placement;
    if (auto* content = std::get_if<SplatContent>(&item.content)) {
      const auto states = states_of(scene.runs, content->states->size());
      if (states != nullptr) {
        content->states = states;
      } else {
        say_error(
            fmt::format("{}: the file is not the one that was edited, so what was chosen, "
                        "hidden and deleted is left out",
                        item.path.string()));
      }
    }
    if (place == restoring_->session.current) restoring_->current_id = item.id;
  } else {
    say_error(result.error);
  }
  if (restoring_->next == static_cast<int>(restoring_->session.scenes.size())) end_restoring();
  return true;
}

void Viewer::end_restoring() {
  const Restoring restored = std::move(*restoring_);
  restoring_.reset();
  if (restored.current_id != 0) current_id_ = restored.current_id;
  extent_ = extent_of(items_);
  camera_.set_up(restored.session.up);
  camera_.jump_to(restored.session.camera);
  bookmarks_ = restored.session.bookmarks;
  style_ = restored.session.style;
  path_ = restored.session.path;
  if (restored.unsaved) {
    history_.set_unsaved();
    kept_edit_ = history_.edit();  // by the file that was just read
  }
}

SceneItem* Viewer::find_item(int id) {
  const auto found = std::find_if(items_.begin(), items_.end(),
                                  [id](const SceneItem& item) { return item.id == id; });
  return found == items_.end() ? nullptr : &*found;
}

void Viewer::recover_in(Recovery& recovery) {
  recovery_ = &recovery;
  shown_.recovery = recovery.left().has_value();
}

void Viewer::recover(bool wanted) {
  if (recovery_ == nullptr) throw core::Error("nothing is kept between runs");
  shown_.recovery = false;
  if (!wanted) {
    recovery_->throw_away();
    return;
  }
  if (!recovery_->left()) throw core::Error("no earlier run left anything");
  open_session(*recovery_->left(), true);
  recovery_->take_over();
}

int64_t Viewer::edit_to_keep() const {
  return history_.unsaved() ? history_.edit() : kNothingKept;
}

bool Viewer::is_kept() const {
  return recovery_ == nullptr || kept_edit_ == edit_to_keep();
}

// What stands is written some seconds after it changed; when it is saved nothing is left.
void Viewer::keep_unsaved(double seconds) {
  seconds_since_write_ += seconds;
  if (recovery_ != nullptr) {
    const std::string trouble = recovery_->trouble();
    if (!trouble.empty()) say_error(trouble);
  }
  if (restoring_ || is_kept()) return;
  const int64_t stands = edit_to_keep();
  if (stands == kNothingKept) {
    recovery_->clear();
    kept_edit_ = stands;
    return;
  }
  if (seconds_since_write_ < kSecondsBetweenWrites) return;
  const auto now = std::make_shared<const Session>(session());
  if (!recovery_->write([now] { return session_text(*now, {}); })) return;
  kept_edit_ = stands;
  seconds_since_write_ = 0;
}

}  // namespace tessera::viewer
