// SPDX-License-Identifier: MIT
#include "apps/commands/rank_launch.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>

#include "apps/commands/mpirun.h"
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
      if (!told_) told_ = report_current_exception("tessera");
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

int run_on_ranks(int asked, const std::vector<std::string>& arguments,
                 const InterruptGuard& interrupt,
                 const std::function<void(const RankPlace&)>& body) {
  Ends ends;
  if (distributed::started_by_mpi()) {
    const bool here = started_by_run_mpirun();
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
  if (has_mpi() && has_mpirun()) return run_mpirun(asked, arguments, interrupt);
  const char* how = has_mpi() ? "threads of one process (there is no mpirun)"
                              : "threads of one process (built without MPI)";
  return ends.code_after([&] {
    distributed::run_in_threads(asked, [&](distributed::Communicator& ranks) {
      ends.run([&] { body(place_of(ranks, asked, how)); });
      ranks.barrier("end");
    });
  });
}

void check_same_options(distributed::Communicator& ranks, const std::string& options) {
  const std::vector<size_t> all = ranks.all_gather("options", std::hash<std::string>{}(options));
  const auto other = std::find_if(all.begin(), all.end(), [&](size_t h) { return h != all[0]; });
  if (other == all.end()) return;
  throw core::UsageError("mpirun",
                         fmt::format("rank {} was started with other options than rank 0; "
                                     "give all ranks the same",
                                     other - all.begin()));
}

}  // namespace tessera::apps
