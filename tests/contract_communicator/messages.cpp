// Messages between pairs of ranks: many, in order, large.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/contract_communicator/bodies.h"
#include "tests/contract_communicator/letters.h"

namespace tessera::distributed::test {

void many_in_flight(Communicator& c, Memory& memory) {
  constexpr int kRounds = 60;
  const int next = (c.rank() + 1) % c.size();
  const int before = (c.rank() + c.size() - 1) % c.size();
  const auto size_of = [](int round) { return size_t{1} + chance({77, uint64_t(round)}) % 20'000; };
  std::vector<Buffer> out;
  std::vector<Buffer> in;
  for (int round = 0; round < kRounds; ++round) {
    out.emplace_back(memory, letter(round, c.rank(), next, size_of(round)));
    in.emplace_back(memory, size_of(round));
  }
  std::vector<Handle> handles;
  for (int round = 0; round < kRounds; ++round) {
    const Send send{next, out[round].bytes()};
    const Receive receive{before, in[round].bytes()};
    handles.push_back(c.start("many", {&send, 1}, {&receive, 1}));
  }
  // Ended from the last on, some by asking.
  for (int round = kRounds - 1; round >= 0; --round) {
    while (round % 7 == 0 && !handles[round].done()) std::this_thread::yield();
    handles[round].wait();
    EXPECT_TRUE(handles[round].done());
    EXPECT_EQ(in[round].values(), letter(round, before, c.rank(), size_of(round)));
  }
}

// From rank 0 to the last: started one by one and several at once; received in other portions.
void in_the_order_of_starting(Communicator& c, Memory& memory) {
  if (c.size() == 1) return;
  constexpr int kMessages = 24;
  const int last = c.size() - 1;
  std::vector<Buffer> buffers;
  for (int i = 0; i < kMessages; ++i) {
    const std::vector<uint8_t> values = letter(i, 0, last, i % 5 == 4 ? 200'000 : 10 + i);
    if (c.rank() == 0) buffers.emplace_back(memory, values);
    if (c.rank() == last) buffers.emplace_back(memory, values.size());
  }
  const int portion = c.in_device_memory() ? 1 : 3;  // there, both sides must group alike
  std::vector<Handle> handles;
  if (c.rank() == 0) {
    std::vector<Send> together;
    for (int i = 0; i < kMessages; ++i) {
      together.push_back({last, buffers[i].bytes()});
      if ((i + 1) % portion != 0) continue;
      handles.push_back(c.start("order", together, {}));
      together.clear();
    }
  } else if (c.rank() == last) {
    for (const Buffer& buffer : buffers) {
      const Receive receive{0, buffer.bytes()};
      handles.push_back(c.start("order", {}, {&receive, 1}));
    }
  }
  for (Handle& handle : handles) handle.wait();
  if (c.rank() != last) return;
  for (int i = 0; i < kMessages; ++i) {
    EXPECT_EQ(buffers[i].values(), letter(i, 0, last, i % 5 == 4 ? 200'000 : 10 + i)) << i;
  }
}

void large_both_ways(Communicator& c, Memory& memory) {
  constexpr size_t kSize = 5'000'003;
  const int next = (c.rank() + 1) % c.size();
  const int before = (c.rank() + c.size() - 1) % c.size();
  const Buffer to_next(memory, letter(0, c.rank(), next, kSize));
  const Buffer to_before(memory, letter(1, c.rank(), before, kSize));
  const Buffer from_next(memory, kSize);
  const Buffer from_before(memory, kSize);
  const Send sends[] = {{next, to_next.bytes()}, {before, to_before.bytes()}};
  // With two ranks both come from the same one, in the order in which it sends.
  const Receive receives[] = {{before, from_before.bytes()}, {next, from_next.bytes()}};
  c.start("large", sends, receives).wait();
  EXPECT_EQ(from_before.values(), letter(0, before, c.rank(), kSize));
  EXPECT_EQ(from_next.values(), letter(1, next, c.rank(), kSize));

  if (c.in_device_memory()) return;
  // All send first and receive afterwards, as no one should have to think about.
  Handle sending = c.start("large", std::span(sends).first(c.size() > 1 ? 1 : 0), {});
  c.start("large", {}, std::span(receives).first(c.size() > 1 ? 1 : 0)).wait();
  sending.wait();
  EXPECT_EQ(from_before.values(), letter(0, before, c.rank(), kSize));
}

}  // namespace tessera::distributed::test
