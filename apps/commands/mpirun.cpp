// SPDX-License-Identifier: MIT
#include "apps/commands/mpirun.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

#include "apps/commands/launcher_messages.h"
#include "core/error.h"
#include "distributed/backends/mpi.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

// The variable that tells a process that this program, not the user, had mpirun start it, and where
// standard output goes.
constexpr const char* kStartedHere = "TESSERA_RANKS_WRITE_TO";
constexpr const char* kTerminal = "terminal";
constexpr int kCannotStart = 127;

// A name in a folder of its own, where nothing is until ranks shall stop.
class StopFile {
 public:
  StopFile() {
    std::string name = (fs::temp_directory_path() / "tessera-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw core::IoError(name, fmt::format("cannot be made ({})", std::strerror(errno)));
    }
    folder_ = name;
    path_ = folder_ / "stop";
  }
  ~StopFile() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  StopFile(const StopFile&) = delete;
  StopFile& operator=(const StopFile&) = delete;

  const fs::path& path() const { return path_; }
  void create() const { std::ofstream{path_}; }

 private:
  fs::path folder_;
  fs::path path_;
};

[[noreturn]] void refuse_process() {
  throw core::Error(fmt::format("no process: {}", std::strerror(errno)));
}

// Waits a moment for what a launcher writes; false if nothing came.
bool take_some(int from, LauncherMessages& messages) {
  constexpr int kLongest_ms = 20;
  pollfd ready = {from, POLLIN, 0};
  if (poll(&ready, 1, kLongest_ms) <= 0) return false;
  std::array<char, 4096> bytes{};
  const ssize_t count = read(from, bytes.data(), bytes.size());
  if (count <= 0) return false;
  messages.take({bytes.data(), static_cast<size_t>(count)});
  return true;
}

}  // namespace

bool has_mpirun() {
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path != nullptr ? path : ""; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (access((fs::path(rest.substr(0, end)) / "mpirun").c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

bool started_by_run_mpirun() {
  return std::getenv(kStartedHere) != nullptr;
}

bool writes_to_terminal() {
  if (!distributed::started_by_mpi()) return isatty(STDOUT_FILENO) != 0;
  const char* told = std::getenv(kStartedHere);
  return told != nullptr && std::string_view(told) == kTerminal;
}

// Open MPI's settings go by variables, which other libraries do not mind.
//
// mpirun answers Ctrl-C and SIGTERM by killing the ranks a second later, and a signal that it hands
// on may come before a rank is ready for it: so it is kept out of the terminal's reach, and a file
// tells the ranks to stop.
int run_mpirun(int ranks, const std::vector<std::string>& arguments,
               const InterruptGuard& interrupt) {
  std::vector<std::string> words = {"mpirun", "-n", std::to_string(ranks),
                                    fs::read_symlink("/proc/self/exe").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const StopFile stop;
  const std::pair<const char*, const char*> settings[] = {
      {kStopFileVariable, stop.path().c_str()},
      {kStartedHere, isatty(STDOUT_FILENO) != 0 ? kTerminal : "file"},
      // Open MPI 4, and the PRRTE of Open MPI 5.
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
      {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"PRTE_MCA_rmaps_default_mapping_policy", ":OVERSUBSCRIBE"},
      {"OMPI_MCA_hwloc_base_binding_policy", "none"},
      {"PRTE_MCA_hwloc_default_binding_policy", "none"},
  };
  for (const auto& [name, value] : settings) setenv(name, value, 0);
  std::array<int, 2> errors{};
  if (pipe2(errors.data(), O_CLOEXEC) != 0) refuse_process();
  const pid_t process = fork();
  if (process < 0) refuse_process();
  if (process == 0) {
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(errors[1], STDERR_FILENO);
    execvp("mpirun", pointers.data());
    _exit(kCannotStart);
  }
  close(errors[1]);
  LauncherMessages messages([](std::string_view bytes) {
    std::fwrite(bytes.data(), 1, bytes.size(), stderr);
    std::fflush(stderr);
  });
  int status = 0;
  for (bool told = false; waitpid(process, &status, WNOHANG) == 0;) {
    if (interrupt.requested() && !told) {
      stop.create();
      told = true;
    }
    if (!take_some(errors[0], messages)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  while (take_some(errors[0], messages)) {
  }
  messages.end();
  close(errors[0]);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotStart) {
    throw core::Error("mpirun cannot be started; leave --ranks out, or mend the MPI library.");
  }
  if (messages.killed()) {
    throw core::Error(fmt::format(
        "Rank {} was ended by signal {} ({}){}; --resume goes on from the last checkpoint, or from "
        "the start where none was written yet.",
        messages.killed()->rank, messages.killed()->signal, strsignal(messages.killed()->signal),
        messages.killed()->signal == SIGKILL ? ", as happens where memory runs out" : ""));
  }
  if (WIFSIGNALED(status)) {
    throw core::Error(fmt::format("mpirun was ended by signal {} ({}), and its ranks with it.",
                                  WTERMSIG(status), strsignal(WTERMSIG(status))));
  }
  return WEXITSTATUS(status);
}

}  // namespace tessera::apps
