// Reductions against the serial fold from rank 0 up, bit by bit.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "tests/contract_communicator/bodies.h"
#include "tests/contract_communicator/letters.h"

namespace tessera::distributed::test {
namespace {

template <class T>
T value_of(int rank, size_t i) {
  const uint64_t draw = chance({static_cast<uint64_t>(rank), i});
  if constexpr (std::is_floating_point_v<T>) {
    // Magnitudes so far apart that every order of adding gives other bits.
    const auto sign = draw % 2 == 0 ? T{1} : T{-1};
    return sign * std::ldexp(static_cast<T>(draw), -static_cast<int>(draw / 2 % 40));
  } else {
    return static_cast<T>(draw * 0x9E3779B97F4A7C15);
  }
}

template <class T>
T serial(Reduction reduction, int ranks, size_t i) {
  T folded = value_of<T>(0, i);
  for (int r = 1; r < ranks; ++r) {
    const T value = value_of<T>(r, i);
    if (reduction == Reduction::kMin) folded = std::min(folded, value);
    if (reduction == Reduction::kMax) folded = std::max(folded, value);
    if (reduction != Reduction::kSum) continue;
    if constexpr (std::is_integral_v<T>) {
      folded = static_cast<T>(static_cast<uint64_t>(folded) + static_cast<uint64_t>(value));
    } else {
      folded += value;
    }
  }
  return folded;
}

template <class T>
void reduce_values(Communicator& c) {
  for (const Reduction reduction : {Reduction::kSum, Reduction::kMin, Reduction::kMax}) {
    for (const size_t count : {0, 1, 7, 512, 513, 1025, 20'003}) {
      std::vector<T> values;
      std::vector<T> expected;
      for (size_t i = 0; i < count; ++i) {
        values.push_back(value_of<T>(c.rank(), i));
        expected.push_back(serial<T>(reduction, c.size(), i));
      }
      c.all_reduce("reduce", reduction, std::span(values));
      EXPECT_TRUE(count == 0 || std::memcmp(values.data(), expected.data(), count * sizeof(T)) == 0)
          << "of " << count << " values of " << sizeof(T) << " bytes";
    }
    EXPECT_EQ(c.all_reduce("reduce", reduction, value_of<T>(c.rank(), 3)),
              serial<T>(reduction, c.size(), 3));
  }
}

}  // namespace

// The serial fold from rank 0 up gives the bits, so they are the same on all ranks and backends.
void all_reduce(Communicator& c, Memory&) {
  reduce_values<int64_t>(c);
  reduce_values<uint64_t>(c);
  reduce_values<float>(c);
  reduce_values<double>(c);
}

}  // namespace tessera::distributed::test
