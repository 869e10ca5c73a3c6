// How a run ends when a rank fails, hangs or waits in a ring, and that it does not end when a rank
// is only slow. Ranks are threads; limits are short.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/timer.h"
#include "distributed/backends/threads.h"
#include "distributed/long_work.h"

namespace tessera::distributed {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

// No machine of a test is ever so busy that a thread does not run for so long.
constexpr double kLimit_s = 1;

void sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// What the ranks of a run threw.
class Sentences {
 public:
  // Runs body on that many ranks; returns what run_in_threads threw.
  std::string run(int size, const std::function<void(Communicator&)>& body) {
    by_rank_.assign(size, "nothing");
    try {
      run_in_threads(size, [&](Communicator& communicator) {
        communicator.set_timeout(kLimit_s);
        try {
          body(communicator);
        } catch (const std::exception& error) {
          by_rank_[communicator.rank()] = error.what();
          throw;
        }
      });
    } catch (const RankFailed& error) {
      blamed_ = error.rank();
      return error.what();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "nothing";
  }
  const std::vector<std::string>& by_rank() const { return by_rank_; }
  int blamed() const { return blamed_; }

 private:
  std::vector<std::string> by_rank_;
  int blamed_ = -1;
};

TEST(Failure, OfOneRankEndsAllAndIsWhatTheCallerGets) {
  Sentences sentences;
  const std::string error = sentences.run(4, [](Communicator& c) {
    if (c.rank() == 2) throw core::IoError("shard", "the disk is full");
    c.barrier("end");
  });
  EXPECT_EQ(error, "shard: the disk is full");
  EXPECT_EQ(sentences.by_rank()[2], "shard: the disk is full");
  for (const int r : {0, 1, 3}) {
    EXPECT_EQ(sentences.by_rank()[r], "Rank 2 stopped: shard: the disk is full");
  }
}

TEST(Failure, KeepsItsType) {
  EXPECT_THROW(run_in_threads(3,
                              [](Communicator& c) {
                                if (c.rank() == 1) throw core::Interrupted("saved");
                                c.barrier("end");
                              }),
               core::Interrupted);
  EXPECT_THROW(run_in_threads(2, [](Communicator&) { throw 7; }), int);
  EXPECT_THROW(run_in_threads(0, [](Communicator&) {}), core::Error);
}

TEST(Failure, ReachesRanksThatWorkAtTheirNextCall) {
  Sentences sentences;
  sentences.run(3, [](Communicator& c) {
    if (c.rank() == 0) throw core::Error("wrong");
    if (c.rank() == 1) sleep(0.3);
    c.all_reduce("sum", Reduction::kSum, 1.0);
  });
  EXPECT_EQ(sentences.by_rank()[1], "Rank 0 stopped: wrong");
}

TEST(Failure, OfAMemberOfAnotherGroupIsNamedByItsRankInTheWorld) {
  Sentences sentences;
  sentences.run(4, [](Communicator& c) {
    const auto group = c.split(c.rank() % 2, 0);
    if (c.rank() == 3) throw core::Error("wrong");
    group->barrier("group");
    c.barrier("world");
  });
  EXPECT_EQ(sentences.by_rank()[0], "Rank 3 stopped: wrong");
  EXPECT_EQ(sentences.by_rank()[1], "Rank 3 stopped: wrong");
}

TEST(Timeout, BlamesTheSilentRankOnAll) {
  Sentences sentences;
  std::atomic<bool> ended = false;
  const std::string error = sentences.run(4, [&](Communicator& c) {
    if (c.rank() == 3) {
      while (!ended) sleep(0.01);
      return;
    }
    try {
      // 0 waits for 1, 1 for 2, 2 for 3.
      int64_t value = 0;
      const Receive receive = receive_from(c.rank() + 1, std::span(&value, 1));
      c.start("chain", {}, {&receive, 1}).wait();
    } catch (...) {
      ended = true;
      throw;
    }
  });
  // Ranks whose limits end in the same moment may each find it out, and name their own place in
  // the chain.
  const auto blames_rank_3 = HasSubstr("rank 3 has given no sign of life for 1 s, while rank ");
  EXPECT_EQ(sentences.blamed(), 3);
  EXPECT_THAT(error, blames_rank_3);
  for (const int r : {0, 1, 2}) EXPECT_THAT(sentences.by_rank()[r], blames_rank_3);
}

TEST(Timeout, CallsARingADeadlock) {
  Sentences sentences;
  const std::string error = sentences.run(3, [](Communicator& c) {
    int64_t value = 0;
    const Receive receive = receive_from((c.rank() + 1) % 3, std::span(&value, 1));
    c.start("ring", {}, {&receive, 1}).wait();
  });
  EXPECT_THAT(error, HasSubstr("wait for one another in a ring for 1 s"));
  EXPECT_THAT(error, HasSubstr("'ring'"));
  EXPECT_THAT(sentences.by_rank(), Each(error));
}

TEST(Timeout, DoesNotComeDuringLongWork) {
  Sentences sentences;
  const std::string error = sentences.run(3, [](Communicator& c) {
    if (c.rank() == 2) {
      const LongWork reading(c, "reading photos");
      sleep(1.5 * kLimit_s);
      const LongWork writing(c, "writing");
      sleep(kLimit_s);
    }
    // Rank 0 waits for 1, which waits for 2.
    const std::unique_ptr<Communicator> pair = c.split(c.rank() == 0 ? -1 : 0, 0);
    if (pair) pair->barrier("pair");
    c.barrier("all");
  });
  EXPECT_EQ(error, "nothing");
}

TEST(Timeout, ComesWhenRanksAtLongWorkWaitForOneAnother) {
  Sentences sentences;
  const std::string error = sentences.run(2, [](Communicator& c) {
    const LongWork writing(c, "writing");
    int64_t value = 0;
    const Receive receive = receive_from(1 - c.rank(), std::span(&value, 1));
    c.start("ring", {}, {&receive, 1}).wait();
  });
  EXPECT_THAT(error, HasSubstr("wait for one another in a ring for 1 s"));
}

TEST(Timeout, CountsFromTheLastProgress) {
  Sentences sentences;
  const std::string error = sentences.run(2, [](Communicator& c) {
    std::vector<int64_t> values(4);
    if (c.rank() == 0) {
      std::vector<Receive> receives(values.size());
      for (size_t i = 0; i < values.size(); ++i) {
        receives[i] = receive_from(1, std::span(&values[i], 1));
      }
      c.start("slow", {}, receives).wait();
      return;
    }
    for (const int64_t& value : values) {
      sleep(kLimit_s / 2);
      const Send send = send_to(0, std::span(&value, 1));
      c.start("slow", {&send, 1}, {}).wait();
    }
  });
  EXPECT_EQ(error, "nothing");
}

// Rank 0 unwinds with messages queued whose buffers end with its stack; those must never be touched
// (the sanitizers look), and what was to match them must not hang.
TEST(Withdrawal, OnUnwindingLeavesNothingBehind) {
  for (int round = 0; round < 30; ++round) {
    Sentences sentences;
    sentences.run(3, [&](Communicator& c) {
      const std::vector<std::byte> out(100'000);
      std::vector<std::vector<std::byte>> in(3, out);
      std::vector<Handle> handles;
      for (int r = 0; r < 3; ++r) {
        const Send send{r, out};
        const Receive receive{r, in[r]};
        if (r == c.rank()) continue;
        handles.push_back(c.start("queued", {&send, 1}, {&receive, 1}));
      }
      if (c.rank() == 0) throw core::Error("wrong");
      for (Handle& handle : handles) handle.wait();
      c.barrier("end");
    });
    for (const int r : {1, 2}) EXPECT_EQ(sentences.by_rank()[r], "Rank 0 stopped: wrong");
  }
}

TEST(Counters, TellTheTimeWaited) {
  run_in_threads(2, [](Communicator& c) {
    if (c.rank() == 1) sleep(0.1);
    c.barrier("late");
    const std::vector<Traffic> rows = c.traffic();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].tag, "late");
    if (c.rank() == 0) {
      EXPECT_GT(rows[0].waited_s, 0.05);
    }
  });
}

}  // namespace
}  // namespace tessera::distributed
