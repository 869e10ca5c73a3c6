// SPDX-License-Identifier: MIT
#include "distributed/all_gather.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tessera::distributed {
namespace {

// Where the bytes of each rank begin, counted from `first` on and around, and the end.
std::vector<size_t> begins_from(int first, std::span<const size_t> sizes) {
  std::vector<size_t> begins = {0};
  for (size_t k = 0; k < sizes.size(); ++k) {
    begins.push_back(begins.back() + sizes[(first + k) % sizes.size()]);
  }
  return begins;
}

}  // namespace

void all_gather_few(Communicator& ranks, std::string_view tag, std::span<const size_t> sizes,
                    std::span<std::byte> all) {
  const int size = ranks.size(), self = ranks.rank();
  const std::vector<size_t> begins = begins_from(self, sizes);
  std::vector<std::byte> turned(all.size());  // this rank's bytes first
  const std::span<std::byte> room = turned;
  const size_t before = begins.back() - begins[size - self];
  std::copy_n(all.begin() + static_cast<int64_t>(before), sizes[self], turned.begin());
  for (int have = 1; have < size; have *= 2) {
    const int count = std::min(have, size - have);
    const Send send = {(self - have + size) % size, room.first(begins[count])};
    const Receive receive = {(self + have) % size,
                             room.subspan(begins[have], begins[have + count] - begins[have])};
    ranks.start(tag, {&send, 1}, {&receive, 1}).wait();
  }
  std::rotate_copy(turned.begin(), turned.end() - static_cast<int64_t>(before), turned.end(),
                   all.begin());
}

SentMessages sent_by_all_gather_few(int rank, std::span<const size_t> sizes) {
  const auto size = static_cast<int>(sizes.size());
  const std::vector<size_t> begins = begins_from(rank, sizes);
  SentMessages sent;
  for (int have = 1; have < size; have *= 2) {
    const size_t bytes = begins[std::min(have, size - have)];
    sent.bytes += static_cast<int64_t>(bytes);
    sent.messages += bytes > 0 ? 1 : 0;
  }
  return sent;
}

}  // namespace tessera::distributed
