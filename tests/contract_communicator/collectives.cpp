// Collective calls against what each rank works out by itself.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "distributed/all_gather.h"
#include "tests/contract_communicator/bodies.h"
#include "tests/contract_communicator/letters.h"

namespace tessera::distributed::test {

void sparse_all_to_all(Communicator& c, Memory& memory) {
  for (int round = 0; round < 6; ++round) {
    std::vector<Buffer> sends;
    std::vector<Buffer> receives;
    std::vector<int64_t> counts;
    for (int r = 0; r < c.size(); ++r) {
      const size_t size = sparse_size(round, c.rank(), r, c.size());
      sends.emplace_back(memory, letter(round, c.rank(), r, size));
      counts.push_back(static_cast<int64_t>(size));
    }
    for (const int64_t count : c.exchange_counts("counts", counts)) {
      receives.emplace_back(memory, static_cast<size_t>(count));
    }
    c.all_to_all_v("sparse", read_only(spans_of(sends)), spans_of(receives)).wait();
    for (int r = 0; r < c.size(); ++r) {
      EXPECT_EQ(receives[r].values(),
                letter(round, r, c.rank(), sparse_size(round, r, c.rank(), c.size())))
          << "round " << round << ", from " << r << " to " << c.rank();
    }
  }
}

void all_gather(Communicator& c, Memory& memory) {
  const auto size_of = [](int r) {
    return static_cast<size_t>(r % 3) * 1000 + (r % 3 > 0 ? r : 0);
  };
  const Buffer own(memory, letter(0, c.rank(), 0, size_of(c.rank())));
  std::vector<Buffer> receives;
  receives.reserve(static_cast<size_t>(c.size()));
  for (int r = 0; r < c.size(); ++r) receives.emplace_back(memory, size_of(r));
  c.all_gather_v("gather", own.bytes(), spans_of(receives)).wait();
  // Once more in place: what is one's own stands there already.
  c.all_gather_v("gather", receives[c.rank()].bytes(), spans_of(receives)).wait();
  for (int r = 0; r < c.size(); ++r) {
    EXPECT_EQ(receives[r].values(), letter(0, r, 0, size_of(r))) << "from " << r;
  }
  std::vector<int> ranks(c.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  EXPECT_EQ(c.all_gather("gather", c.rank()), ranks);
}

void all_gather_few(Communicator& c, Memory&) {
  if (c.in_device_memory()) return;  // few bytes are the host's
  std::vector<size_t> sizes;
  std::vector<uint8_t> expected, all;
  for (int r = 0; r < c.size(); ++r) {
    const std::vector<uint8_t> of_rank = letter(0, r, 0, r % 3 * 100 + r);
    sizes.push_back(of_rank.size());
    expected.insert(expected.end(), of_rank.begin(), of_rank.end());
    all.insert(all.end(), of_rank.size(), 0);
    if (r == c.rank()) std::copy(of_rank.begin(), of_rank.end(), all.end() - of_rank.size());
  }
  distributed::all_gather_few(c, "gather few", sizes, std::as_writable_bytes(std::span(all)));
  EXPECT_EQ(all, expected);
}

void broadcast(Communicator& c, Memory& memory) {
  for (int root = 0; root < c.size(); ++root) {
    for (const size_t size : {0, 1, 1000, 300'000}) {
      const std::vector<uint8_t> expected = letter(0, root, 0, size);
      const Buffer buffer =
          c.rank() == root ? Buffer(memory, expected) : Buffer(memory, expected.size());
      c.broadcast("broadcast", root, buffer.bytes());
      EXPECT_EQ(buffer.values(), expected) << "from " << root;
    }
  }
}

// All of a machine's ranks have the same monotonic clock.
void barrier(Communicator& c, Memory&) {
  for (int late = 0; late < c.size(); ++late) {
    if (c.rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    const int64_t came = std::chrono::steady_clock::now().time_since_epoch().count();
    c.barrier("barrier");
    const int64_t left = std::chrono::steady_clock::now().time_since_epoch().count();
    EXPECT_GE(c.all_reduce("times", Reduction::kMin, left),
              c.all_reduce("times", Reduction::kMax, came));
  }
}

}  // namespace tessera::distributed::test
