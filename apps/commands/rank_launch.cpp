// SPDX-License-Identifier: MIT
#include "apps/commands/rank_launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
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
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>

#include "apps/commands/launcher_messages.h"
#include "apps/program.h"
#include "core/error.h"
#include "core/isa.h"
#include "core/thread_pool.h"
#include "distributed/backends.h"
#include "distributed/backends/lone_rank.h"
#include "distributed/backends/mpi.h"
#include "distributed/backends/threads.h"
#include "distributed/liveness.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

// The variable that tells a process that this program, not the user, had mpirun start it, and where
// standard output goes.
constexpr const char* kStartedHere = "TESSERA_RANKS_WRITE_TO";
constexpr const char* kTerminal = "terminal";
constexpr int kCannotStart = 127;

constexpr int kMostRanksPerCore = 4;
constexpr int kMostRanksOnSmallMachines = 16;

// Where a rank runs, as far as sharing processors goes and what these understand.
struct Seat {
  std::array<char, 64> host = {};
  cpu_set_t processors = {};
  core::Isa isa = core::chosen_isa();
};

Seat own_seat() {
  Seat seat;
  gethostname(seat.host.data(), seat.host.size() - 1);
  CPU_ZERO(&seat.processors);
  sched_getaffinity(0, sizeof(seat.processors), &seat.processors);
  return seat;
}

// Ranks compute the same bits only with the same instructions: those that all of them have. Returns
// words about it, empty if nothing changed for any rank.
std::string agree_on_instructions(const std::vector<Seat>& seats, core::Isa own) {
  const auto by_isa = [](const Seat& a, const Seat& b) { return a.isa < b.isa; };
  const auto [least, most] = std::minmax_element(seats.begin(), seats.end(), by_isa);
  if (least->isa == most->isa) return "";
  if (least->isa < core::Isa::kSse4) {
    throw core::Error(
        fmt::format("{} and {} have processors of different kinds; start all ranks "
                    "on one kind.",
                    least->host.data(), most->host.data()));
  }
  if (own != least->isa) setenv("TESSERA_ISA", std::string(name_of(least->isa)).c_str(), 1);
  return fmt::format(", by {} instructions, all that {} has", name_of(least->isa),
                     least->host.data());
}

RankPlace place_of(distributed::Communicator& ranks, int in_process, std::string_view how) {
  const Seat own = own_seat();
  const std::vector<Seat> seats = ranks.all_gather("seats", own);
  int on_machine = 0, on_processors = 0;
  for (const Seat& seat : seats) {
    if (seat.host != own.host) continue;
    ++on_machine;
    on_processors += CPU_EQUAL(&seat.processors, &own.processors) ? 1 : 0;
  }
  RankPlace place = {ranks, std::max(1, core::granted_cores() / on_processors), on_machine,
                     in_process, ""};
  place.text = fmt::format("{} ranks as {}, {} thread{} each", ranks.size(), how, place.threads,
                           place.threads == 1 ? "" : "s") +
               agree_on_instructions(seats, own.isa);
  return place;
}

bool has_mpi() {
  const std::span<const distributed::BackendEntry> table = distributed::backends();
  return std::any_of(table.begin(), table.end(), [](const distributed::BackendEntry& entry) {
    return entry.name == "mpi" && entry.built;
  });
}

bool is_in_path(const char* program) {
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path != nullptr ? path : ""; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (access((fs::path(rest.substr(0, end)) / program).c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

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

// Has mpirun run this program again on each rank, and returns the exit code. Open MPI's settings go
// by variables, which other libraries do not mind.
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
        "Rank {} was ended by signal {} ({}){}; the last checkpoint is whole, --resume goes on "
        "from "
        "it.",
        messages.killed()->rank, messages.killed()->signal, strsignal(messages.killed()->signal),
        messages.killed()->signal == SIGKILL ? ", as happens where memory runs out" : ""));
  }
  if (WIFSIGNALED(status)) {
    throw core::Error(fmt::format("mpirun was ended by signal {} ({}), and its ranks with it.",
                                  WTERMSIG(status), strsignal(WTERMSIG(status))));
  }
  return WEXITSTATUS(status);
}

// What the bodies of this process's ranks ended with.
class Ends {
 public:
  // A wish to stop is kept until all ranks have ended their work: thrown among them it would look
  // like a fault. A fault is told before the other ranks learn of it: once they leave, a launcher
  // may end this one at any moment.
  void run(const std::function<void()>& body) {
    try {
      body();
    } catch (const core::Interrupted&) {
      const std::lock_guard lock(mutex_);
      if (!stopped_) stopped_ = std::current_exception();
    } catch (const distributed::RankFailed&) {
      throw;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!told_) told_ = report_current_exception();
      throw;
    }
  }

  // The exit code, where nothing else is to be told.
  int code_after(const std::function<void()>& ranks) const {
    try {
      ranks();
    } catch (...) {
      if (told_) return *told_;
      throw;
    }
    if (stopped_) std::rethrow_exception(stopped_);
    return kExitDone;
  }

 private:
  std::mutex mutex_;
  std::exception_ptr stopped_;
  std::optional<int> told_;
};

void check_agreement(int asked, int started) {
  if (asked == 0 || asked == started) return;
  throw core::UsageError("--ranks", fmt::format("{} were asked for, but the launcher started {}; "
                                                "leave --ranks out",
                                                asked, started));
}

// Many more ranks than cores only choke a machine.
void check_room(int asked) {
  const int cores = core::granted_cores();
  const int most = std::max(kMostRanksOnSmallMachines, kMostRanksPerCore * cores);
  if (asked <= most) return;
  throw core::UsageError("--ranks",
                         fmt::format("{} are too many for this machine of {} cores; at most {} run "
                                     "here, and more on several machines by mpirun or srun",
                                     asked, cores, most));
}

}  // namespace

bool writes_to_terminal() {
  if (!distributed::started_by_mpi()) return isatty(STDOUT_FILENO) != 0;
  const char* told = std::getenv(kStartedHere);
  return told != nullptr && std::string_view(told) == kTerminal;
}

int run_on_ranks(int asked, const std::vector<std::string>& arguments,
                 const InterruptGuard& interrupt,
                 const std::function<void(const RankPlace&)>& body) {
  Ends ends;
  if (distributed::started_by_mpi()) {
    const bool here = std::getenv(kStartedHere) != nullptr;
    return ends.code_after([&] {
      distributed::run_in_mpi([&](distributed::Communicator& ranks) {
        ends.run([&] {
          if (ranks.rank() == 0) check_agreement(asked, ranks.size());
          body(place_of(ranks, 1,
                        here ? "processes started by mpirun" : "the launcher's processes"));
        });
        ranks.barrier("end");
      });
    });
  }
  if (asked <= 1) {
    const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
    body({*alone, 0, 1, 1, ""});
    return kExitDone;
  }
  check_room(asked);
  if (has_mpi() && is_in_path("mpirun")) return run_mpirun(asked, arguments, interrupt);
  const char* how = has_mpi() ? "threads of one process (there is no mpirun)"
                              : "threads of one process (built without MPI)";
  return ends.code_after([&] {
    distributed::run_in_threads(asked, [&](distributed::Communicator& ranks) {
      ends.run([&] { body(place_of(ranks, asked, how)); });
      ranks.barrier("end");
    });
  });
}

}  // namespace tessera::apps
