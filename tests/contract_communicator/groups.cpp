// Groups split from groups.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/contract_communicator/bodies.h"
#include "tests/contract_communicator/letters.h"

namespace tessera::distributed::test {
namespace {

// Each sends its rank in the world around the ring of the group.
void expect_working_group(Communicator& group, Memory& memory, const std::vector<int>& members) {
  ASSERT_EQ(group.size(), static_cast<int>(members.size()));
  EXPECT_EQ(group.all_gather("members", group.world_rank()), members);
  const int next = (group.rank() + 1) % group.size();
  const int before = (group.rank() + group.size() - 1) % group.size();
  const Buffer out(memory, letter(7, members[group.rank()], members[next], 3000));
  const Buffer in(memory, size_t{3000});
  const Send send{next, out.bytes()};
  const Receive receive{before, in.bytes()};
  group.start("ring", {&send, 1}, {&receive, 1}).wait();
  EXPECT_EQ(in.values(), letter(7, members[before], members[group.rank()], 3000));
}

}  // namespace

void split_into_unequal_groups(Communicator& c, Memory& memory) {
  // A third of the ranks in one group, in reverse order; the others in another; none in a third.
  const auto color_of = [](int r) { return r % 3 == 0 ? 5 : 2; };
  std::vector<int> members;
  for (int r = 0; r < c.size(); ++r) {
    if (color_of(r) == color_of(c.rank())) members.push_back(c.group().world_ranks[r]);
  }
  if (color_of(c.rank()) == 5) std::reverse(members.begin(), members.end());
  const std::unique_ptr<Communicator> group =
      c.split(color_of(c.rank()), color_of(c.rank()) == 5 ? -c.rank() : 0);
  ASSERT_NE(group, nullptr);
  expect_working_group(*group, memory, members);

  // The group without its last rank, while the world goes on.
  const bool last = group->rank() == group->size() - 1;
  const std::unique_ptr<Communicator> nested = group->split(last ? -1 : 0, 0);
  EXPECT_EQ(nested == nullptr, last);
  members.pop_back();
  if (nested) expect_working_group(*nested, memory, members);
  c.barrier("barrier");
  if (nested) expect_working_group(*nested, memory, members);
  expect_working_group(c, memory, c.group().world_ranks);
}

// The same two ranks meet in several groups at once; what was started first there comes first.
void groups_do_not_mix(Communicator& c, Memory& memory) {
  const std::unique_ptr<Communicator> first = c.split(0, 0);
  const std::unique_ptr<Communicator> second = c.split(0, 0);
  std::vector<Communicator*> groups = {&c, first.get(), second.get()};
  std::vector<Buffer> out;
  std::vector<Buffer> in;
  std::vector<Handle> handles;
  const int next = (c.rank() + 1) % c.size();
  const int before = (c.rank() + c.size() - 1) % c.size();
  // Senders begin with the first group, receivers with the last.
  for (int g = 0; g < 3; ++g) {
    out.emplace_back(memory, letter(g, c.rank(), next, 2000));
    in.emplace_back(memory, size_t{2000});
  }
  if (c.in_device_memory() || c.size() == 1) return;  // there, order across groups counts
  for (int g = 0; g < 3; ++g) {
    const Send send{next, out[g].bytes()};
    handles.push_back(groups[g]->start("mixed", {&send, 1}, {}));
  }
  for (int g = 2; g >= 0; --g) {
    const Receive receive{before, in[g].bytes()};
    handles.push_back(groups[g]->start("mixed", {}, {&receive, 1}));
  }
  for (Handle& handle : handles) handle.wait();
  for (int g = 0; g < 3; ++g) EXPECT_EQ(in[g].values(), letter(g, before, c.rank(), 2000));
}

}  // namespace tessera::distributed::test
