// SPDX-License-Identifier: MIT
#include "viewer/files/desktop_dialog.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

namespace tessera::viewer {
namespace {

std::vector<std::string> zenity_words(const FileWish& wish) {
  std::vector<std::string> words = {"zenity", "--file-selection", "--title=" + wish.title,
                                    "--filename=" + wish.folder.string() + "/"};
  if (wish.saves) words.insert(words.end(), {"--save", "--confirm-overwrite"});
  return words;
}

std::vector<std::string> kdialog_words(const FileWish& wish) {
  return {"kdialog", "--title", wish.title, wish.saves ? "--getsavefilename" : "--getopenfilename",
          wish.folder.string()};
}

// The process, its output to `output`; 0 if there is no such program.
int spawned(std::vector<std::string> words, int output) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions = {};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  int process = 0;
  const int fault =
      posix_spawnp(&process, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return fault == 0 ? process : 0;
}

}  // namespace

std::unique_ptr<DesktopDialog> DesktopDialog::start(const FileWish& wish) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return nullptr;
  int process = spawned(zenity_words(wish), ends[1]);
  if (process == 0) process = spawned(kdialog_words(wish), ends[1]);
  close(ends[1]);
  if (process == 0) {
    close(ends[0]);
    return nullptr;
  }
  return std::unique_ptr<DesktopDialog>(new DesktopDialog(wish, process, ends[0]));
}

DesktopDialog::~DesktopDialog() {
  close(output_);
  if (process_ == 0) return;
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

std::optional<std::filesystem::path> DesktopDialog::answer() {
  char bytes[4096];
  ssize_t count = 0;
  while ((count = read(output_, bytes, sizeof bytes)) > 0) {
    text_.append(bytes, static_cast<size_t>(count));
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  int status = 0;
  if (process_ == 0 || waitpid(process_, &status, WNOHANG) == 0) return std::nullopt;
  process_ = 0;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::filesystem::path();
  while (!text_.empty() && text_.back() == '\n') text_.pop_back();
  return std::filesystem::path(text_);
}

}  // namespace tessera::viewer
