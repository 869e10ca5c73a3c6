// SPDX-License-Identifier: MIT
#include "tests/contract_communicator/cases.h"

#include "tests/contract_communicator/bodies.h"

namespace tessera::distributed::test {
namespace {

constexpr Case kCases[] = {
    {"SparseAllToAll", sparse_all_to_all},
    {"AllGather", all_gather},
    {"AllGatherFew", all_gather_few},
    {"AllReduce", all_reduce},
    {"Broadcast", broadcast},
    {"Barrier", barrier},
    {"SplitIntoUnequalGroups", split_into_unequal_groups},
    {"GroupsDoNotMix", groups_do_not_mix},
    {"ManyInFlight", many_in_flight},
    {"InTheOrderOfStarting", in_the_order_of_starting},
    {"LargeBothWays", large_both_ways},
    {"Counters", counters},
    {"ForeseenBytes", foreseen_bytes},
    {"Traced", traced},
    {"WrongSizes", wrong_sizes},
    {"WrongRanks", wrong_ranks},
    {"NothingToDo", nothing_to_do},
};

}  // namespace

std::span<const Case> cases() {
  return kCases;
}

}  // namespace tessera::distributed::test
