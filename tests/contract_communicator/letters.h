// Messages of which every rank knows what they hold and how long they are.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "tests/contract_communicator/memory.h"

namespace tessera::distributed::test {

// A number in [0, 2^32) that all ranks find alike.
inline uint64_t chance(std::initializer_list<uint64_t> key) {
  uint64_t mixed = 0x9E3779B97F4A7C15;
  for (const uint64_t k : key) {
    mixed = (mixed ^ k) * 0xBF58476D1CE4E5B9;
    mixed ^= mixed >> 29;
  }
  return mixed >> 32;
}

// What goes from one rank to another in some round: any bytes, but each such message its own.
inline std::vector<uint8_t> letter(int round, int from, int to, size_t size) {
  std::vector<uint8_t> values(size);
  uint64_t mixed = chance(
      {static_cast<uint64_t>(round), static_cast<uint64_t>(from), static_cast<uint64_t>(to), size});
  for (uint8_t& value : values) {
    mixed = mixed * 6364136223846793005 + 1442695040888963407;
    value = static_cast<uint8_t>(mixed >> 56);
  }
  return values;
}

// Half of all messages are empty, in each round also all from or to one of the ranks.
inline size_t sparse_size(int round, int from, int to, int ranks) {
  if (round % ranks == from || (round + 1) % (ranks + 1) == to) return 0;
  const uint64_t draw = chance(
      {static_cast<uint64_t>(round), static_cast<uint64_t>(from), static_cast<uint64_t>(to)});
  if (draw % 2 == 0) return 0;
  return 1 + draw / 2 % (draw % 3 == 0 ? 90'000 : 300);
}

inline std::vector<std::span<std::byte>> spans_of(const std::vector<Buffer>& buffers) {
  std::vector<std::span<std::byte>> spans(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) spans[i] = buffers[i].bytes();
  return spans;
}

inline std::vector<std::span<const std::byte>> read_only(
    const std::vector<std::span<std::byte>>& spans) {
  return {spans.begin(), spans.end()};
}

}  // namespace tessera::distributed::test
