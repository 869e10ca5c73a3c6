// SPDX-License-Identifier: MIT
#include "apps/rank_launch.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string_view>

#include "apps/program.h"
#include "core/error.h"
#include "core/thread_pool.h"
#include "distributed/backends.h"
#include "distributed/backends/lone_rank.h"
#include "distributed/backends/mpi.h"
#include "distributed/backends/threads.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

// The variable that tells a process that this program, not the user, had mpirun start it, and where
// standard output goes.
constexpr const char* kStartedHere = "TESSERA_RANKS_WRITE_TO";
constexpr const char* kTerminal = "terminal";

// Where a rank runs, as far as sharing processors goes.
struct Seat {
  std::array<char, 64> host = {};
  cpu_set_t processors = {};
};

Seat own_seat() {
  Seat seat;
  gethostname(seat.host.data(), seat.host.size() - 1);
  CPU_ZERO(&seat.processors);
  sched_getaffinity(0, sizeof(seat.processors), &seat.processors);
  return seat;
}

RankPlace place_of(distributed::Communicator& ranks, std::string_view how) {
  const Seat own = own_seat();
  int on_machine = 0, on_processors = 0;
  for (const Seat& seat : ranks.all_gather("seats", own)) {
    if (seat.host != own.host) continue;
    ++on_machine;
    on_processors += CPU_EQUAL(&seat.processors, &own.processors) ? 1 : 0;
  }
  RankPlace place = {ranks, std::max(1, core::granted_cores() / on_processors), on_machine, ""};
  place.text = fmt::format("{} ranks as {}, {} thread{} each", ranks.size(), how, place.threads,
                           place.threads == 1 ? "" : "s");
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

// Becomes mpirun, which runs this program again on each rank. Open MPI's settings go by variables,
// which other libraries do not mind.
[[noreturn]] void become_mpirun(int ranks, const std::vector<std::string>& arguments) {
  const std::pair<const char*, const char*> settings[] = {
      {kStartedHere, isatty(STDOUT_FILENO) != 0 ? kTerminal : "file"},
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
      {"OMPI_MCA_hwloc_base_binding_policy", "none"},
      // Time to save after Ctrl-C, in seconds.
      {"OMPI_MCA_odls_base_sigkill_timeout", "600"},
      {"OMPI_MCA_orte_abort_print_stack", "0"},
  };
  for (const auto& [name, value] : settings) setenv(name, value, 0);
  std::vector<std::string> words = {"mpirun", "-q", "-n", std::to_string(ranks),
                                    fs::read_symlink("/proc/self/exe").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp("mpirun", pointers.data());
  throw core::Error(fmt::format("mpirun cannot be started: {}", std::strerror(errno)));
}

// Keeps a wish to stop until all ranks have ended their work: thrown among them it would look like
// a fault.
class AfterAll {
 public:
  void run(const std::function<void()>& body) {
    try {
      body();
    } catch (const core::Interrupted&) {
      const std::lock_guard lock(mutex_);
      if (!stopped_) stopped_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (stopped_) std::rethrow_exception(stopped_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr stopped_;
};

}  // namespace

bool writes_to_terminal() {
  if (!distributed::started_by_mpi()) return isatty(STDOUT_FILENO) != 0;
  const char* told = std::getenv(kStartedHere);
  return told != nullptr && std::string_view(told) == kTerminal;
}

int run_on_ranks(int asked, const std::vector<std::string>& arguments,
                 const std::function<void(const RankPlace&)>& body) {
  AfterAll after;
  if (distributed::started_by_mpi()) {
    distributed::run_in_mpi([&](distributed::Communicator& ranks) {
      if (asked > 0 && asked != ranks.size()) {
        throw core::UsageError("--ranks",
                               fmt::format("{} were asked for, but the launcher started {}; leave "
                                           "--ranks out",
                                           asked, ranks.size()));
      }
      const bool here = std::getenv(kStartedHere) != nullptr;
      after.run([&] {
        body(place_of(ranks, here ? "processes started by mpirun" : "the launcher's processes"));
      });
      ranks.barrier("end");
    });
  } else if (asked <= 1) {
    const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
    body({*alone, 0, 1, ""});
  } else if (has_mpi() && is_in_path("mpirun")) {
    become_mpirun(asked, arguments);
  } else {
    distributed::run_in_threads(asked, [&](distributed::Communicator& ranks) {
      after.run([&] {
        body(place_of(ranks, has_mpi() ? "threads of one process (there is no mpirun)"
                                       : "threads of one process (built without MPI)"));
      });
      ranks.barrier("end");
    });
  }
  after.rethrow();
  return kExitDone;
}

}  // namespace tessera::apps
