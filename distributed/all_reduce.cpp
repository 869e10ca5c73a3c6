// Reductions that give the same bits everywhere: each element is folded from rank 0 up, whoever
// folds it; whole numbers, which add up to the same in any order, as is quickest.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "distributed/all_gather.h"
#include "distributed/all_reduce.h"
#include "distributed/communicator.h"

namespace tessera::distributed {
namespace {

// Up to here every rank gets all values and folds them. Above, each folds one slice and the slices
// are gathered: 2 (G-1)/G instead of G-1 times the bytes.
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

struct Range {
  size_t begin, end;

  size_t size() const { return end - begin; }
};

// Of the largest power of two of ranks: each halves what it folds with one partner after another,
// and gathers it the same way back. A rank beyond them has one among them fold for it.
//
// Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in MPICH",
// 2005.
struct Halving {
  struct Exchange {
    int partner;
    Range kept, given;
  };

  int extra = -1;     // the rank that folds for this one, or that this one folds for
  bool folds = true;  // else it is beyond them
  std::vector<Exchange> exchanges;

  Halving(int rank, int ranks, size_t values) {
    const auto folding = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
    folds = rank < folding;
    const int other = folds ? rank + folding : rank - folding;
    if (other < ranks) extra = other;
    Range range = {0, values};
    for (int bit = folding / 2; folds && bit > 0; bit /= 2) {
      const size_t middle = range.begin + range.size() / 2;
      const Range low = {range.begin, middle}, high = {middle, range.end};
      range = (rank & bit) == 0 ? low : high;
      exchanges.push_back({rank ^ bit, range, (rank & bit) == 0 ? high : low});
    }
  }
};

template <class T>
void reduce_by_halves(Communicator& ranks, std::string_view tag, Reduction reduction,
                      std::span<T> values) {
  const Halving halving(ranks.rank(), ranks.size(), values.size());
  const auto part = [&](const Range& range) { return values.subspan(range.begin, range.size()); };
  const auto send = [&](int to, std::span<T> from) {
    const Send message = send_to(to, from);
    ranks.start(tag, {&message, 1}, {}).wait();
  };
  const auto receive = [&](int from, std::span<T> to) {
    const Receive message = receive_from(from, to);
    ranks.start(tag, {}, {&message, 1}).wait();
  };
  if (!halving.folds) {
    send(halving.extra, values);
    receive(halving.extra, values);
    return;
  }
  std::vector<T> others(values.size());
  const std::span<T> room = others;
  const auto fold_others = [&](std::span<T> own) {
    for (size_t i = 0; i < own.size(); ++i) own[i] = fold(reduction, own[i], others[i]);
  };
  if (halving.extra >= 0) {
    receive(halving.extra, room);
    fold_others(values);
  }
  for (const auto& [partner, kept, given] : halving.exchanges) {
    const Send leaving = send_to(partner, part(given));
    const Receive coming = receive_from(partner, room.first(kept.size()));
    ranks.start(tag, {&leaving, 1}, {&coming, 1}).wait();
    fold_others(part(kept));
  }
  for (auto back = halving.exchanges.rbegin(); back != halving.exchanges.rend(); ++back) {
    const Send leaving = send_to(back->partner, part(back->kept));
    const Receive coming = receive_from(back->partner, part(back->given));
    ranks.start(tag, {&leaving, 1}, {&coming, 1}).wait();
  }
  if (halving.extra >= 0) send(halving.extra, values);
}

SentMessages sent_by_halves(int rank, int ranks, size_t values, size_t value_bytes) {
  SentMessages sent;
  const auto send = [&](size_t count) {
    sent.bytes += static_cast<int64_t>(count * value_bytes);
    sent.messages += count > 0 ? 1 : 0;
  };
  const Halving halving(rank, ranks, values);
  for (const auto& [partner, kept, given] : halving.exchanges) {
    send(given.size());
    send(kept.size());
  }
  if (halving.extra >= 0) send(values);
  return sent;
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
  if constexpr (std::is_integral_v<T>) {
    reduce_by_halves(*this, tag, reduction, values);
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

SentMessages sent_by_all_reduce(int rank, int ranks, size_t values, size_t value_bytes,
                                bool whole_numbers) {
  if (values * value_bytes <= kBytesGatheredWhole) {
    return sent_by_all_gather_few(rank, std::vector<size_t>(ranks, values * value_bytes));
  }
  if (whole_numbers) return sent_by_halves(rank, ranks, values, value_bytes);
  SentMessages sent;
  const std::vector<size_t> begins = slice_begins(values, static_cast<size_t>(ranks));
  const size_t own = begins[rank + 1] - begins[rank];
  for (int r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    for (const size_t count : {begins[r + 1] - begins[r], own}) {
      sent.bytes += static_cast<int64_t>(count * value_bytes);
      sent.messages += count > 0 ? 1 : 0;
    }
  }
  return sent;
}

template void Communicator::all_reduce(std::string_view, Reduction, std::span<int64_t>);
template void Communicator::all_reduce(std::string_view, Reduction, std::span<uint64_t>);
template void Communicator::all_reduce(std::string_view, Reduction, std::span<float>);
template void Communicator::all_reduce(std::string_view, Reduction, std::span<double>);

}  // namespace tessera::distributed
