// The bodies that cases.cpp lists.
// SPDX-License-Identifier: MIT
#pragma once

#include "distributed/communicator.h"
#include "tests/contract_communicator/memory.h"

namespace tessera::distributed::test {

void sparse_all_to_all(Communicator& c, Memory& memory);
void all_gather(Communicator& c, Memory& memory);
void all_gather_few(Communicator& c, Memory& memory);
void all_reduce(Communicator& c, Memory& memory);
void broadcast(Communicator& c, Memory& memory);
void barrier(Communicator& c, Memory& memory);
void split_into_unequal_groups(Communicator& c, Memory& memory);
void groups_do_not_mix(Communicator& c, Memory& memory);
void many_in_flight(Communicator& c, Memory& memory);
void in_the_order_of_starting(Communicator& c, Memory& memory);
void large_both_ways(Communicator& c, Memory& memory);
void counters(Communicator& c, Memory& memory);
void foreseen_bytes(Communicator& c, Memory& memory);
void traced(Communicator& c, Memory& memory);
void wrong_sizes(Communicator& c, Memory& memory);
void wrong_ranks(Communicator& c, Memory& memory);
void nothing_to_do(Communicator& c, Memory& memory);

}  // namespace tessera::distributed::test
