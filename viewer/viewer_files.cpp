// The viewer asks for files, and remembers which were opened.
// SPDX-License-Identifier: MIT
#include <utility>

#include "core/error.h"
#include "viewer/viewer.h"

namespace tessera::viewer {

void Viewer::remember_in(SettingsFile& file) {
  const Settings& settings = file.settings();
  shown_.dark = settings.dark;
  shown_.font_scale = settings.font_scale;
  recent_ = settings.recent;
  settings_ = &file;
  if (!file.trouble().empty()) say_error(file.trouble());
}

void Viewer::keep_settings(int width, int height) {
  if (settings_ == nullptr) return;
  settings_->keep({shown_.dark, shown_.font_scale, width, height, recent_});
}

std::filesystem::path Viewer::last_folder() const {
  return recent_.empty() ? std::filesystem::current_path() : recent_.front().parent_path();
}

void Viewer::ask_for_file(FileWish wish) {
  if (desktop_dialog_ != nullptr) throw core::Error("a file is being asked for");
  if (use_desktop_dialogs_) desktop_dialog_ = DesktopDialog::start(wish);
  if (desktop_dialog_ == nullptr) {
    std::vector<std::string> extensions = host_.readable_extensions();
    extensions.emplace_back(kSessionExtension);
    file_dialog_ = std::make_unique<FileDialog>(std::move(wish), std::move(extensions));
  }
}

void Viewer::end_file_dialog(const std::filesystem::path& chosen) {
  const std::string command = file_dialog_->wish().command;
  file_dialog_.reset();
  if (!chosen.empty()) run(command + " " + quoted_word(chosen.string()));
}

void Viewer::follow_dialogs() {
  if (desktop_dialog_ != nullptr) {
    if (const auto chosen = desktop_dialog_->answer()) {
      const std::string command = desktop_dialog_->wish().command;
      desktop_dialog_.reset();
      if (!chosen->empty()) act(command + " " + quoted_word(chosen->string()));
    }
  }
  try {
    if (file_dialog_ != nullptr) file_dialog_->update();
  } catch (const core::Error& error) {
    say_error(error.what());
  }
}

bool Viewer::handle_dialog_key(Key key) {
  if (file_dialog_ == nullptr) return false;
  constexpr std::pair<Key, const char*> kKeys[] = {{Key::kUp, "files previous"},
                                                   {Key::kDown, "files next"},
                                                   {Key::kEnter, "files accept"},
                                                   {Key::kEnterOnPad, "files accept"},
                                                   {Key::kEscape, "files cancel"}};
  for (const auto& [its, line] : kKeys) {
    if (its == key) act(line);
  }
  return true;
}

}  // namespace tessera::viewer
