// What is refused, in which words.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "tests/contract_communicator/bodies.h"
#include "tests/contract_communicator/letters.h"

namespace tessera::distributed::test {
namespace {

using ::testing::HasSubstr;

template <class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const core::Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

void wrong_sizes(Communicator& c, Memory& memory) {
  if (c.in_device_memory()) return;  // NCCL does not look at them
  const Buffer twelve(memory, size_t{12});
  const Buffer eight(memory, size_t{8});
  const Send to_self{c.rank(), twelve.bytes()};
  const Receive from_self{c.rank(), eight.bytes()};
  EXPECT_THAT(error_of([&] {
                c.start("own", {&to_self, 1}, {&from_self, 1}).wait();
              }),
              HasSubstr("sent 12 bytes"));
  for (const auto& [out, in] : {std::pair(&twelve, &eight), std::pair(&eight, &twelve)}) {
    const Send send{1, out->bytes()};
    const Receive receive{0, in->bytes()};
    if (c.size() > 1 && c.rank() == 0) c.start("wrong", {&send, 1}, {}).wait();
    if (c.rank() != 1) continue;
    const std::string error = error_of([&] { c.start("wrong", {}, {&receive, 1}).wait(); });
    EXPECT_EQ(error, "in 'wrong' rank " + std::to_string(c.group().world_ranks[0]) + " sent " +
                         std::to_string(out->bytes().size()) + " bytes to rank " +
                         std::to_string(c.world_rank()) + ", which expects " +
                         std::to_string(in->bytes().size()));
  }
  // A large one, of which the sender must be freed.
  const Buffer large(memory, size_t{3'000'000});
  const Send send{1, large.bytes()};
  const Receive receive{0, eight.bytes()};
  if (c.size() > 1 && c.rank() == 0) c.start("wrong", {&send, 1}, {}).wait();
  if (c.rank() == 1) {
    EXPECT_THAT(error_of([&] {
                  c.start("wrong", {}, {&receive, 1}).wait();
                }),
                HasSubstr("sent 3000000 bytes"));
    c.all_gather("after", 1);
  } else {
    c.all_gather("after", 1);
  }
}

void wrong_ranks(Communicator& c, Memory& memory) {
  const Buffer buffer(memory, size_t{4});
  const Send send{c.size(), buffer.bytes()};
  EXPECT_THAT(error_of([&] { c.start("nobody", {&send, 1}, {}).wait(); }), HasSubstr("'nobody'"));
  const Receive receive{-1, buffer.bytes()};
  EXPECT_THAT(error_of([&] {
                c.start("nobody", {}, {&receive, 1}).wait();
              }),
              HasSubstr("rank -1 is named"));
  EXPECT_THAT(error_of([&] { c.exchange_counts("counts", std::vector<int64_t>(c.size() + 1)); }),
              HasSubstr("parts for"));
}

}  // namespace tessera::distributed::test
