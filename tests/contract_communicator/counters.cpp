// Counters against the formula.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "distributed/all_gather.h"
#include "distributed/all_reduce.h"
#include "tests/contract_communicator/bodies.h"
#include "tests/contract_communicator/letters.h"

namespace tessera::distributed::test {
namespace {

Traffic row_of(const Communicator& c, std::string_view tag) {
  for (const Traffic& row : c.traffic()) {
    if (row.tag == tag) return row;
  }
  return {};
}

}  // namespace

void counters(Communicator& c, Memory& memory) {
  const std::unique_ptr<Communicator> other = c.split(0, -c.rank());
  const Traffic before = row_of(c, "counted");
  int64_t sent = 0;
  int64_t received = 0;
  int64_t messages_sent = 0;
  int64_t messages_received = 0;
  std::vector<Buffer> sends;
  std::vector<Buffer> receives;
  for (int r = 0; r < c.size(); ++r) {
    const size_t out = sparse_size(2, c.rank(), r, c.size());
    const size_t in = sparse_size(2, r, c.rank(), c.size());
    sends.emplace_back(memory, out);
    receives.emplace_back(memory, in);
    if (r == c.rank()) continue;
    sent += static_cast<int64_t>(out);
    received += static_cast<int64_t>(in);
    messages_sent += out > 0 ? 1 : 0;
    messages_received += in > 0 ? 1 : 0;
  }
  c.all_to_all_v("counted", read_only(spans_of(sends)), spans_of(receives)).wait();
  // One number to each: counted with the rest, since a group shares its world's counters.
  other->exchange_counts("counted", std::vector<int64_t>(c.size(), 1));
  const Traffic after = row_of(c, "counted");
  EXPECT_EQ(after.bytes_sent - before.bytes_sent, sent + 8 * (c.size() - 1));
  EXPECT_EQ(after.bytes_received - before.bytes_received, received + 8 * (c.size() - 1));
  EXPECT_EQ(after.messages_sent - before.messages_sent, messages_sent + c.size() - 1);
  EXPECT_EQ(after.messages_received - before.messages_received, messages_received + c.size() - 1);
  EXPECT_GE(after.waited_s, before.waited_s);
  const std::vector<Traffic> rows = c.traffic();
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                             [](const Traffic& a, const Traffic& b) { return a.tag < b.tag; }));
}

// What collectives send is what is foreseen of them.
void foreseen_bytes(Communicator& c, Memory&) {
  const auto expect_sent = [&](const SentMessages& sent, const Traffic& before) {
    const Traffic after = row_of(c, "foreseen");
    EXPECT_EQ(after.bytes_sent - before.bytes_sent, sent.bytes);
    EXPECT_EQ(after.messages_sent - before.messages_sent, sent.messages);
  };
  for (const size_t count : {0, 1, 512, 513, 1030}) {
    Traffic before = row_of(c, "foreseen");
    std::vector<int64_t> whole(count, 1);
    c.all_reduce("foreseen", Reduction::kSum, std::span(whole));
    expect_sent(sent_by_all_reduce(c.rank(), c.size(), count, 8, true), before);
    before = row_of(c, "foreseen");
    std::vector<double> fractions(count, 1);
    c.all_reduce("foreseen", Reduction::kSum, std::span(fractions));
    expect_sent(sent_by_all_reduce(c.rank(), c.size(), count, 8, false), before);
  }
  if (c.in_device_memory()) return;
  const Traffic before = row_of(c, "foreseen");
  std::vector<size_t> sizes;
  sizes.reserve(c.size());
  for (int r = 0; r < c.size(); ++r) sizes.push_back(r % 3 * 10);
  std::vector<std::byte> all(std::accumulate(sizes.begin(), sizes.end(), size_t{0}));
  distributed::all_gather_few(c, "foreseen", sizes, all);
  expect_sent(sent_by_all_gather_few(c.rank(), sizes), before);
}

// What a trace holds is what the counters count.
void traced(Communicator& c, Memory& memory) {
  using Row = core::Trace::Row;
  const std::unique_ptr<Communicator> other = c.split(0, -c.rank());
  core::Trace trace(1, 1, 1000);
  trace.begin_step(1);
  const Traffic before = row_of(c, "traced");
  c.trace_into(&trace);
  std::vector<Buffer> sends, receives;
  for (int r = 0; r < c.size(); ++r) {
    sends.emplace_back(memory, sparse_size(2, c.rank(), r, c.size()));
    receives.emplace_back(memory, sparse_size(2, r, c.rank(), c.size()));
  }
  c.all_to_all_v("traced", read_only(spans_of(sends)), spans_of(receives)).wait();
  other->barrier("traced");
  c.trace_into(nullptr);
  const Traffic after = row_of(c, "traced");
  c.barrier("not traced");

  core::TracedBytes bytes;
  double waited_s = 0;
  for (const core::Trace::Event& event : trace.events()) {
    EXPECT_EQ(event.name, "traced");
    EXPECT_LE(event.begin, event.end);
    ASSERT_TRUE(event.row == Row::kMessages || event.row == Row::kWaiting);
    if (event.row == Row::kWaiting) {
      waited_s += std::chrono::duration<double>(event.end - event.begin).count();
      continue;
    }
    bytes.sent += event.bytes.sent;
    bytes.received += event.bytes.received;
  }
  EXPECT_EQ(bytes.sent, after.bytes_sent - before.bytes_sent);
  EXPECT_EQ(bytes.received, after.bytes_received - before.bytes_received);
  EXPECT_NEAR(waited_s, after.waited_s - before.waited_s, 1e-9);
}

void nothing_to_do(Communicator& c, Memory&) {
  Handle handle;
  EXPECT_TRUE(handle.done());
  handle.wait();
  c.start("nothing", {}, {}).wait();
  const std::vector<std::span<const std::byte>> sends(c.size());
  const std::vector<std::span<std::byte>> receives(c.size());
  c.all_to_all_v("nothing", sends, receives).wait();
  EXPECT_EQ(row_of(c, "nothing").messages_sent, 0);
}

}  // namespace tessera::distributed::test
