// A display without a screen: Xvfb, for as long as this lives.
// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>

namespace tessera::test {

class XServer {
 public:
  XServer() {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) {
      const int nowhere = open("/dev/null", O_WRONLY);
      dup2(nowhere, STDERR_FILENO);
      const std::string number = std::to_string(ends[1]);
      execlp("Xvfb", "Xvfb", "-displayfd", number.c_str(), "-screen", "0", "1400x900x24",
             "-nolisten", "tcp", nullptr);
      _exit(127);
    }
    close(ends[1]);
    // It writes the number that it took, and a new line, once it listens.
    char letter = 0;
    while (read(ends[0], &letter, 1) == 1 && letter != '\n') display_ += letter;
    close(ends[0]);
    if (display_.size() < 2) throw std::runtime_error("Xvfb did not start");
  }
  ~XServer() {
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
  }
  XServer(const XServer&) = delete;
  XServer& operator=(const XServer&) = delete;

  const std::string& display() const { return display_; }

 private:
  pid_t process_ = -1;
  std::string display_ = ":";
};

}  // namespace tessera::test
