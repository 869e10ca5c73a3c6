// Commands that open files, and those of the file dialog.
// SPDX-License-Identifier: MIT
#include "core/error.h"
#include "viewer/ui/command_words.h"
#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

void open(Viewer& viewer, const Words& words) {
  if (words.size() < 2) {
    viewer.ask_for_file({"open", "Open", false, viewer.last_folder()});
    return;
  }
  for (size_t i = 1; i < words.size(); ++i) viewer.open(words[i]);
}

void sample(Viewer& viewer, const Words& /*words*/) {
  viewer.open(viewer.host().sample());
}

void files(Viewer& viewer, const Words& words) {
  const std::string& what = word(words, 1, "what to do");
  FileDialog* dialog = viewer.file_dialog();
  if (dialog == nullptr) throw core::Error("no file is asked for; Ctrl+O opens one");
  if (what == "go") {
    dialog->go(dialog->folder() / word(words, 2, "a folder"));
  } else if (what == "type") {
    dialog->type(word(words, 2, "a name"));
  } else if (what == "mark") {
    dialog->mark(static_cast<int>(number(words, 2)) - 1);
  } else if (what == "next") {
    dialog->mark(dialog->marked() + 1);
  } else if (what == "previous") {
    dialog->mark(dialog->marked() - 1);
  } else if (what == "all") {
    Words rest = words;
    rest.erase(rest.begin());
    dialog->show_all(on_or_off(rest, dialog->shows_all()));
  } else if (what == "accept") {
    if (const auto path = dialog->accept()) viewer.end_file_dialog(*path);
  } else if (what == "folder") {
    viewer.end_file_dialog(dialog->folder());
  } else if (what == "cancel") {
    viewer.end_file_dialog({});
  } else {
    throw core::UsageError("files",
                           "is by go, type, mark, next, previous, all, accept, folder or cancel, "
                           "not " +
                               what);
  }
}

void session(Viewer& viewer, const Words& words) {
  const std::string& what = word(words, 1, "save");
  if (what != "save") throw core::UsageError("session", "is by save FILE, not " + what);
  if (words.size() < 3) {
    viewer.ask_for_file({"session save", "Save session", true, viewer.last_folder()});
    return;
  }
  std::filesystem::path file = words[2];
  if (file.extension() != kSessionExtension) file += kSessionExtension;
  viewer.save_session(file);
  viewer.say("Saved the session to " + file.string());
}

void recover(Viewer& viewer, const Words& words) {
  const bool discard = words.size() > 1 && words[1] == "discard";
  if (words.size() > 1 && !discard) throw core::UsageError("recover", "takes discard or nothing");
  viewer.recover(!discard);
}

constexpr CommandEntry kCommands[] = {
    {"session", "save [FILE]", "save what is open and how it is seen, to be opened again", session},
    {"recover", "[discard]", "open what an earlier run left unsaved, or throw it away", recover},
    {"open", "[FILE...]", "open files or folders; without one, ask for it", open},
    {"sample", "", "open the sample scene, photos of bananas", sample},
    {"files",
     "go FOLDER | type NAME | mark N | next | previous | all [on|off] | accept | folder | cancel",
     "the file dialog: where it looks, what it takes", files},
};

constexpr ActionEntry kActions[] = {
    {"File", "Open ...", "open", "Ctrl+O"},
    {"File", "Sample scene", "sample", ""},
    {"File", "Save as ...", "save", "Ctrl+Shift+S"},
    {"File", "Save session ...", "session save", "Ctrl+S"},
};

}  // namespace

std::span<const CommandEntry> file_commands() {
  return kCommands;
}

std::span<const ActionEntry> file_actions() {
  return kActions;
}

}  // namespace tessera::viewer
