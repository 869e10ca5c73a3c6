// Ranks of which rank 1 does what the argument says, while the others wait for it. Each that gets
// an error tells it; the test beside it reads that.
// SPDX-License-Identifier: MIT
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "distributed/backends/mpi.h"
#include "distributed/long_work.h"

namespace {

using namespace tessera::distributed;

void misbehave(Communicator& communicator, const std::string& how) {
  if (how == "throw") throw tessera::core::Error("the disk is full");
  if (how == "die") std::raise(SIGKILL);
  if (how == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
  if (how == "long work") {
    const LongWork work(communicator, "writing");
    std::this_thread::sleep_for(std::chrono::milliseconds(4500));
  }
}

void run(Communicator& communicator, const std::string& how) {
  communicator.set_timeout(2);
  communicator.barrier("begin");
  // Large ones, so that something is under way when the run ends.
  std::vector<std::byte> out(3'000'000);
  std::vector<std::byte> in(3'000'000);
  const int next = (communicator.rank() + 1) % communicator.size();
  if (how == "ring") {
    const Receive receive{next, in};
    communicator.start("ring", {}, {&receive, 1}).wait();
  }
  Handle sending;
  if (communicator.rank() != 1) {
    const Send send{1, out};
    const Receive receive{1, in};
    if (how == "throw") sending = communicator.start("large", {&send, 1}, {&receive, 1});
  } else {
    misbehave(communicator, how);
  }
  communicator.barrier("end");
}

}  // namespace

int main(int, char** argv) {
  try {
    run_in_mpi([&](Communicator& communicator) {
      const auto tell = [&](const char* what) {
        std::fprintf(stderr, "rank %d: %s\n", communicator.rank(), what);
      };
      try {
        run(communicator, argv[1]);
        tell("fine");
      } catch (const std::exception& error) {
        tell(error.what());
        throw;
      }
    });
    return 0;
  } catch (const std::exception&) {
    return 2;
  }
}
