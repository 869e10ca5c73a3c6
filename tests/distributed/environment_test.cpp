// What a process finds out about how it was started, and what a build can do.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdlib>

#include "distributed/backends.h"
#include "distributed/backends/mpi.h"

namespace tessera::distributed {
namespace {

TEST(StartedByMpi, IsToldByTheLaunchersVariables) {
  for (const char* name :
       {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "SLURM_STEP_NUM_TASKS"}) {
    unsetenv(name);
  }
  EXPECT_FALSE(started_by_mpi());
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  EXPECT_TRUE(started_by_mpi());
  unsetenv("OMPI_COMM_WORLD_SIZE");
  setenv("SLURM_STEP_NUM_TASKS", "1", 1);
  EXPECT_FALSE(started_by_mpi());
  setenv("SLURM_STEP_NUM_TASKS", "4", 1);
  EXPECT_TRUE(started_by_mpi());
  unsetenv("SLURM_STEP_NUM_TASKS");
}

TEST(Backends, SayWhatTheyNeed) {
  for (const BackendEntry& entry : backends()) {
    EXPECT_TRUE(entry.built || !entry.needs.empty()) << entry.name;
  }
}

}  // namespace
}  // namespace tessera::distributed
