// The built `tessera` run as users run it: a process with arguments, output and an exit code.
// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace tessera::test {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct ProgramEnd {
  int exit_code = -1;  // -1 if a signal ended it
  int signal = 0;
  std::string out;
  std::string err;
};

// A started program. Its output goes into files, so that nothing has to read while it runs.
class Program {
 public:
  explicit Program(std::vector<std::string> arguments,
                   std::optional<uint64_t> largest_file = std::nullopt,
                   std::optional<std::string> path_variable = std::nullopt,
                   std::optional<uint64_t> address_space = std::nullopt) {
    arguments.insert(arguments.begin(), TESSERA_PROGRAM);
    const std::string out = (folder_.path() / "out").string();
    const std::string err = (folder_.path() / "err").string();
    process_ = fork();
    if (process_ != 0) return;
    if (largest_file) {
      const rlimit limit = {*largest_file, *largest_file};
      setrlimit(RLIMIT_FSIZE, &limit);
    }
    if (address_space) {
      const rlimit limit = {*address_space, *address_space};
      setrlimit(RLIMIT_AS, &limit);
    }
    // What programs remember of their users is theirs.
    setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1);
    if (path_variable) setenv("PATH", path_variable->c_str(), 1);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
    std::vector<char*> words;
    words.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(127);
  }
  ~Program() {
    if (process_ > 0) {
      send(SIGKILL);
      wait();
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(int signal) const { kill(process_, signal); }
  std::string out() const { return text_of(folder_.path() / "out"); }
  // Waits until its output holds `words`; false if it ended without.
  bool says(const std::string& words) {
    while (out().find(words) == std::string::npos) {
      if (ended_already()) return out().find(words) != std::string::npos;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }
  ProgramEnd wait() {
    if (process_ > 0) {
      waitpid(process_, &status_, 0);
      process_ = -1;
    }
    ProgramEnd end;
    end.exit_code = WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
    end.signal = WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
    end.out = out();
    end.err = text_of(folder_.path() / "err");
    return end;
  }

 private:
  bool ended_already() {
    if (process_ < 0) return true;
    if (waitpid(process_, &status_, WNOHANG) == 0) return false;
    process_ = -1;
    return true;
  }

  TemporaryFolder folder_;
  pid_t process_ = -1;
  int status_ = 0;
};

inline ProgramEnd run_program(std::vector<std::string> arguments) {
  return Program(std::move(arguments)).wait();
}

}  // namespace tessera::test
