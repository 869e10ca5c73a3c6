// What every communicator backend must do, as bodies that run on all ranks of a world of any size.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "distributed/communicator.h"
#include "tests/contract_communicator/memory.h"

namespace tessera::distributed::test {

struct Case {
  std::string_view name;
  void (*body)(Communicator& communicator, Memory& memory);
};

std::span<const Case> cases();

inline constexpr int kWorldSizes[] = {1, 2, 3, 4, 5, 8};

using CaseOnRanks = std::tuple<Case, int>;

inline auto every_case_on_every_size() {
  return ::testing::Combine(::testing::ValuesIn(cases().begin(), cases().end()),
                            ::testing::ValuesIn(kWorldSizes));
}

inline std::string name_of(const ::testing::TestParamInfo<CaseOnRanks>& test) {
  const auto& [contract_case, size] = test.param;
  return std::string(contract_case.name) + "On" + std::to_string(size);
}

}  // namespace tessera::distributed::test
