// Buffers in the memory of GPUs, one GPU a rank, by NVIDIA's NCCL.
//
// Unproved: no GPU has run it yet. NCCL runs what is started in order, one group after another, so
// the messages that two ranks send one another at the same time belong into one start(); it does
// not check sizes either. In a library of its own, tessera_nccl, since NCCL's takes long to load.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "distributed/communicator.h"

namespace tessera::distributed {

// GPUs that this process may use; 0 if there are none or no driver.
int cuda_device_count();

// The ranks of `host` (of run_in_mpi or run_in_threads) over NCCL, this one with the given GPU,
// which no other rank has. All ranks call it. Buffers of its messages are in that GPU's memory, and
// what fills them must have ended before they are sent. Throws core::Error if CUDA or NCCL refuse.
std::unique_ptr<Communicator> make_nccl_communicator(Communicator& host, int device);

}  // namespace tessera::distributed
