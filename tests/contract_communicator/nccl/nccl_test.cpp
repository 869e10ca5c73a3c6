// The contract of communicators, held to GPUs: a thread for each, joined by the threads backend.
// SPDX-License-Identifier: MIT
#include "distributed/backends/nccl.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>

#include "core/error.h"
#include "distributed/backends/threads.h"
#include "tests/contract_communicator/cases.h"

namespace tessera::distributed::test {
namespace {

void check(cudaError_t code) {
  if (code != cudaSuccess) throw core::Error(cudaGetErrorString(code));
}

class DeviceMemory : public Memory {
 public:
  std::byte* allocate(size_t size) override {
    void* bytes = nullptr;
    check(cudaMalloc(&bytes, size + 1));
    return static_cast<std::byte*>(bytes);
  }
  void release(std::byte* bytes) override { cudaFree(bytes); }
  void upload(std::byte* to, const void* from, size_t size) override {
    check(cudaMemcpy(to, from, size, cudaMemcpyHostToDevice));
  }
  void download(void* to, const std::byte* from, size_t size) override {
    check(cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost));
  }
};

class NcclContract : public ::testing::TestWithParam<CaseOnRanks> {};

TEST_P(NcclContract, Holds) {
  const auto& [contract_case, size] = GetParam();
  if (cuda_device_count() < size) {
    GTEST_SKIP() << "needs " << size << " GPUs, here are " << cuda_device_count();
  }
  std::atomic<int> done = 0;
  run_in_threads(size, [&done, body = contract_case.body](Communicator& host) {
    const std::unique_ptr<Communicator> communicator = make_nccl_communicator(host, host.rank());
    DeviceMemory memory;
    body(*communicator, memory);
    ++done;
  });
  EXPECT_EQ(done, size) << "ranks that came to the end of the case";
}

INSTANTIATE_TEST_SUITE_P(Cases, NcclContract, every_case_on_every_size(), name_of);

}  // namespace
}  // namespace tessera::distributed::test
