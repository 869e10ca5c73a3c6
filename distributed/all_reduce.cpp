// Reductions that give the same bits everywhere: each element is folded from rank 0 up, whoever
// folds it.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "distributed/all_reduce.h"
#include "distributed/communicator.h"

namespace tessera::distributed {
namespace {

// Up to here every rank gets all values and folds them: one round of messages. Above, each folds
// one slice and the slices are gathered: two rounds, but 2 (G-1)/G instead of G-1 times the bytes.
constexpr size_t kBytesGatheredWhole = 4096;

template <class T>
T fold(Reduction reduction, T a, T b) {
  if (reduction == Reduction::kMin) return std::min(a, b);
  if (reduction == Reduction::kMax) return std::max(a, b);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}

// `parts` is [ranks][size of folded].
template <class T>
void fold_parts(Reduction reduction, std::span<const T> parts, std::span<T> folded) {
  std::copy_n(parts.begin(), folded.size(), folded.begin());
  for (size_t part = folded.size(); part < parts.size(); part += folded.size()) {
    for (size_t i = 0; i < folded.size(); ++i) {
      folded[i] = fold(reduction, folded[i], parts[part + i]);
    }
  }
}

template <class T>
std::vector<std::span<std::byte>> cut(std::span<T> values, std::span<const size_t> begins) {
  std::vector<std::span<std::byte>> slices;
  for (size_t r = 0; r + 1 < begins.size(); ++r) {
    slices.push_back(std::as_writable_bytes(values.subspan(begins[r], begins[r + 1] - begins[r])));
  }
  return slices;
}

// Where each rank's slice begins, and the end.
std::vector<size_t> slice_begins(size_t values, size_t ranks) {
  std::vector<size_t> begins;
  for (size_t r = 0; r <= ranks; ++r) begins.push_back(values * r / ranks);
  return begins;
}

}  // namespace

template <class T>
void Communicator::all_reduce(std::string_view tag, Reduction reduction, std::span<T> values) {
  if (!is_host()) {
    host_->all_reduce(tag, reduction, values);
    return;
  }
  if (size() == 1 || values.empty()) return;
  const auto ranks = static_cast<size_t>(size());
  if (values.size_bytes() <= kBytesGatheredWhole) {
    std::vector<T> all(ranks * values.size());
    gather_values(tag, std::as_bytes(values), std::as_writable_bytes(std::span(all)));
    fold_parts<T>(reduction, all, values);
    return;
  }
  const std::vector<size_t> begins = slice_begins(values.size(), ranks);
  const std::vector<std::span<std::byte>> slices = cut(values, begins);
  const std::vector<std::span<const std::byte>> sends(slices.begin(), slices.end());

  const size_t own = begins[rank() + 1] - begins[rank()];
  std::vector<T> parts(ranks * own);
  std::vector<size_t> part_begins;
  for (size_t r = 0; r <= ranks; ++r) part_begins.push_back(own * r);
  all_to_all_v(tag, sends, cut(std::span(parts), part_begins)).wait();
  fold_parts<T>(reduction, parts, values.subspan(begins[rank()], own));
  all_gather_v(tag, slices[rank()], slices).wait();
}

SentMessages sent_by_all_reduce(int rank, int ranks, size_t values, size_t value_bytes) {
  SentMessages sent;
  const auto send = [&](size_t count) {
    sent.bytes += static_cast<int64_t>(count * value_bytes);
    sent.messages += count > 0 ? 1 : 0;
  };
  const bool whole = values * value_bytes <= kBytesGatheredWhole;
  const std::vector<size_t> begins = slice_begins(values, static_cast<size_t>(ranks));
  const size_t own = begins[rank + 1] - begins[rank];
  for (int r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    if (whole) {
      send(values);
    } else {
      send(begins[r + 1] - begins[r]);
      send(own);
    }
  }
  return sent;
}

template void Communicator::all_reduce(std::string_view, Reduction, std::span<int64_t>);
template void Communicator::all_reduce(std::string_view, Reduction, std::span<uint64_t>);
template void Communicator::all_reduce(std::string_view, Reduction, std::span<float>);
template void Communicator::all_reduce(std::string_view, Reduction, std::span<double>);

}  // namespace tessera::distributed
