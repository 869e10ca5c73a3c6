// SPDX-License-Identifier: MIT
#include "apps/live/detached_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "apps/commands/output_layout.h"
#include "core/error.h"

namespace tessera::apps {
namespace {

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_ = {};
};

}  // namespace

std::filesystem::path program_beside(const char* name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

DetachedProcess::DetachedProcess(const std::vector<std::string>& words,
                                 const std::filesystem::path& output) {
  std::vector<std::string> copies = words;
  std::vector<char*> pointers;
  pointers.reserve(copies.size() + 1);
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  FileActions actions;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!output.empty()) {
    posix_spawn_file_actions_addopen(actions.get(), STDOUT_FILENO, output.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0644);
    posix_spawn_file_actions_adddup2(actions.get(), STDOUT_FILENO, STDERR_FILENO);
  }
  posix_spawnattr_t attributes = {};
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  const int fault = posix_spawn(&process_, words[0].c_str(), actions.get(), &attributes,
                                pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (fault != 0) {
    throw core::IoError(words[0], fmt::format("cannot be started ({})", std::strerror(fault)));
  }
}

std::optional<int> DetachedProcess::exit_code() {
  int status = 0;
  if (!exit_code_ && waitpid(process_, &status, WNOHANG) == process_) {
    exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return exit_code_;
}

DetachedProcess start_training(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments,
                               const std::filesystem::path& output) {
  const OutputLayout layout = output_layout(output);
  make_folders(layout);
  std::vector<std::string> words = {program.string(), "reconstruct"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.insert(words.end(), {"-o", output.string()});
  return {words, layout.console()};
}

}  // namespace tessera::apps
