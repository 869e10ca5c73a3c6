// Programs of ours, and those that outlive the one that starts them: the training that a viewer
// begins, the viewer that a training opens.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera::apps {

inline constexpr const char* kViewerProgram = "tessera-viewer";

// The program of that name beside this one, whether it is there or not.
std::filesystem::path program_beside(const char* name);

// A process in a session of its own, which no Ctrl-C at this terminal reaches.
class DetachedProcess {
 public:
  // `words`: the program's path and its arguments. What it prints is added to `output` if
  // that is named, and goes where our own output goes if not. Throws core::IoError if it cannot be
  // started.
  DetachedProcess(const std::vector<std::string>& words, const std::filesystem::path& output);

  int id() const { return process_; }
  // Its exit code once it has ended, 128 + the signal that ended it. Does not wait.
  std::optional<int> exit_code();

 private:
  int process_ = 0;
  std::optional<int> exit_code_;
};

// `tessera reconstruct` with these arguments and -o `output`, by the given `tessera`: a training
// that goes on when this program ends, to be watched by LiveTraining(output). What it prints is
// added to console.txt in the run's folder. Throws core::IoError, core::UsageError as a run does
// for an output that cannot be written.
DetachedProcess start_training(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments,
                               const std::filesystem::path& output);

}  // namespace tessera::apps
