// SPDX-License-Identifier: MIT
#include "distributed/backends/nccl.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nccl.h>

#include <utility>
#include <vector>

#include "core/error.h"

namespace tessera::distributed {
namespace {

void check_cuda(cudaError_t code, std::string_view to_do) {
  if (code == cudaSuccess) return;
  throw core::Error(fmt::format("CUDA cannot {}: {}", to_do, cudaGetErrorString(code)));
}

void check_nccl(ncclResult_t code, std::string_view to_do) {
  if (code == ncclSuccess) return;
  throw core::Error(fmt::format("NCCL cannot {}: {}", to_do, ncclGetErrorString(code)));
}

// The GPU, NCCL's communicator and the stream on which all of a group's messages go.
struct Link {
  Link(int device_number, ncclComm_t nccl_comm) : device(device_number), comm(nccl_comm) {
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
  }
  ~Link() {
    if (stream != nullptr) cudaStreamDestroy(stream);
    if (comm != nullptr) ncclCommDestroy(comm);
  }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // Ends what is under way on the GPU; nothing can be sent afterwards.
  void abort() {
    if (comm != nullptr) ncclCommAbort(std::exchange(comm, nullptr));
  }
  void check_open() const {
    if (comm == nullptr) throw core::Error("NCCL was given up after an error");
  }

  int device;
  ncclComm_t comm;
  cudaStream_t stream = nullptr;
};

class NcclExchange : public Exchange {
 public:
  NcclExchange(Link& link, int some_peer) : link_(link), some_peer_(some_peer) {
    check_cuda(cudaEventCreateWithFlags(&ended_, cudaEventDisableTiming), "make an event");
  }
  ~NcclExchange() override {
    if (!done_) link_.abort();
    cudaEventDestroy(ended_);
  }
  NcclExchange(const NcclExchange&) = delete;
  NcclExchange& operator=(const NcclExchange&) = delete;

  void begin(std::span<const Send> sends, std::span<const Receive> receives) {
    check_nccl(ncclGroupStart(), "group messages");
    for (const Receive& receive : receives) {
      check_nccl(ncclRecv(receive.bytes.data(), receive.bytes.size(), ncclInt8, receive.from,
                          link_.comm, link_.stream),
                 "receive");
    }
    for (const Send& send : sends) {
      check_nccl(ncclSend(send.bytes.data(), send.bytes.size(), ncclInt8, send.to, link_.comm,
                          link_.stream),
                 "send");
    }
    check_nccl(ncclGroupEnd(), "start messages");
    check_cuda(cudaEventRecord(ended_, link_.stream), "record an event");
  }

  // NCCL tells of a group only whether all of it is through.
  int poll() override {
    if (done_) return 0;
    link_.check_open();
    ncclResult_t late_error = ncclSuccess;
    check_nccl(ncclCommGetAsyncError(link_.comm, &late_error), "tell its state");
    check_nccl(late_error, "move messages");
    const cudaError_t state = cudaEventQuery(ended_);
    if (state == cudaErrorNotReady) return 1;
    check_cuda(state, "move messages");
    done_ = true;
    return 0;
  }

  int missing_peer() const override { return some_peer_; }

 private:
  Link& link_;
  int some_peer_;
  cudaEvent_t ended_ = nullptr;
  bool done_ = false;
};

class NcclTransport : public Transport {
 public:
  NcclTransport(Group group, int device, ncclComm_t comm)
      : Transport(std::move(group)), link_(device, comm) {}

  std::unique_ptr<Exchange> start(std::string_view, std::span<const Send> sends,
                                  std::span<const Receive> receives) override {
    link_.check_open();
    check_cuda(cudaSetDevice(link_.device), "take the GPU");
    const int peer = receives.empty() ? sends.front().to : receives.front().from;
    auto exchange = std::make_unique<NcclExchange>(link_, group().world_ranks[peer]);
    exchange->begin(sends, receives);
    return exchange;
  }

  std::unique_ptr<Transport> subgroup(Group group) override {
    link_.check_open();
    const int color = group.rank < 0 ? NCCL_SPLIT_NOCOLOR : group.context;
    ncclComm_t comm = nullptr;
    check_nccl(ncclCommSplit(link_.comm, color, group.rank, &comm, nullptr), "split");
    if (group.rank < 0) return nullptr;
    return std::make_unique<NcclTransport>(std::move(group), link_.device, comm);
  }

  bool in_device_memory() const override { return true; }

  void copy(std::span<std::byte> to, std::span<const std::byte> from) override {
    check_cuda(cudaMemcpyAsync(to.data(), from.data(), from.size(), cudaMemcpyDeviceToDevice,
                               link_.stream),
               "copy");
    check_cuda(cudaStreamSynchronize(link_.stream), "copy");
  }

 private:
  Link link_;
};

}  // namespace

int cuda_device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::unique_ptr<Communicator> make_nccl_communicator(Communicator& host, int device) {
  check_cuda(cudaSetDevice(device), fmt::format("take GPU {}", device));
  ncclUniqueId id;
  if (host.rank() == 0) check_nccl(ncclGetUniqueId(&id), "begin");
  host.broadcast("nccl", 0, std::span(&id, 1));
  ncclComm_t comm = nullptr;
  check_nccl(ncclCommInitRank(&comm, host.size(), id, host.rank()), "join the ranks");
  return std::make_unique<Communicator>(std::make_unique<NcclTransport>(host.group(), device, comm),
                                        host);
}

}  // namespace tessera::distributed
