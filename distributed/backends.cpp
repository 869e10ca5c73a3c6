// SPDX-License-Identifier: MIT
#include "distributed/backends.h"

namespace tessera::distributed {
namespace {

constexpr BackendEntry kBackends[] = {
    {"threads", "ranks that are threads of one process", true, ""},
    {"mpi", "ranks that are processes, on one machine or many", TESSERA_HAVE_MPI != 0,
     "an MPI library when Tessera is built (tools/setup.sh --mpi)"},
    {"nccl", "buffers in the memory of GPUs, one GPU a rank", TESSERA_HAVE_NCCL != 0,
     "NCCL and the CUDA toolkit when Tessera is built"},
};

}  // namespace

std::span<const BackendEntry> backends() {
  return kBackends;
}

}  // namespace tessera::distributed
