// Who is blamed, over made signals and made clocks.
// SPDX-License-Identifier: MIT
#include "distributed/liveness.h"

#include <gtest/gtest.h>

#include <vector>

namespace tessera::distributed {
namespace {

constexpr double kLimit_s = 120;

LastSignal working(double age_s) {
  return {{1, RankState::kWorking, -1, 0, ""}, age_s};
}
LastSignal at_long_work(double age_s) {
  return {{1, RankState::kLongWork, -1, 0, "reading photos"}, age_s};
}
LastSignal waiting_for(int peer, double idle_s) {
  return {{1, RankState::kWaiting, peer, idle_s, ""}, 0.5};
}

Verdict of_rank_0(const std::vector<LastSignal>& newest) {
  return diagnose(newest, 0, 1, kLimit_s);
}

TEST(Liveness, TheSilentPeerIsBlamed) {
  const Verdict verdict = of_rank_0({waiting_for(1, 120), working(121)});
  EXPECT_EQ(verdict.kind, Verdict::Kind::kSilent);
  EXPECT_EQ(verdict.ranks, std::vector<int>{1});
  EXPECT_EQ(describe(verdict, 0, "splats", kLimit_s),
            "rank 1 has given no sign of life for 120 s, while rank 0 waited for it in 'splats'");
}

TEST(Liveness, NotThePeerThatWaitsButWhomItWaitsFor) {
  const Verdict verdict =
      of_rank_0({waiting_for(1, 120), waiting_for(3, 119), working(1), waiting_for(2, 119)});
  EXPECT_EQ(verdict.kind, Verdict::Kind::kAlive);
  const Verdict later =
      of_rank_0({waiting_for(1, 240), waiting_for(3, 239), working(120), waiting_for(2, 239)});
  EXPECT_EQ(later.kind, Verdict::Kind::kSilent);
  EXPECT_EQ(later.ranks, (std::vector<int>{1, 3, 2}));
  EXPECT_EQ(describe(later, 0, "splats", kLimit_s),
            "rank 2 has given no sign of life for 120 s, while rank 0 waited for it in 'splats', "
            "through 1 -> 3");
}

TEST(Liveness, LongWorkIsNoHangWhileItGivesSignals) {
  EXPECT_EQ(of_rank_0({waiting_for(1, 900), at_long_work(0.9)}).kind, Verdict::Kind::kAlive);
  EXPECT_EQ(of_rank_0({waiting_for(1, 900), waiting_for(2, 900), at_long_work(0.9)}).kind,
            Verdict::Kind::kAlive);
  const Verdict verdict = of_rank_0({waiting_for(1, 900), at_long_work(130)});
  EXPECT_EQ(verdict.kind, Verdict::Kind::kSilent);
  EXPECT_EQ(describe(verdict, 0, "splats", kLimit_s),
            "rank 1 (reading photos) has given no sign of life for 120 s, while rank 0 waited for "
            "it in 'splats'");
}

TEST(Liveness, ARingOfWaitingRanksIsADeadlock) {
  const Verdict verdict =
      of_rank_0({waiting_for(1, 120), waiting_for(2, 121), waiting_for(0, 120)});
  EXPECT_EQ(verdict.kind, Verdict::Kind::kDeadlock);
  EXPECT_EQ(verdict.ranks, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(describe(verdict, 0, "splats", kLimit_s),
            "ranks 0 -> 1 -> 2 wait for one another in a ring for 120 s, rank 0 in 'splats'");
}

TEST(Liveness, ARingThatOneIsNotPartOf) {
  const Verdict verdict =
      of_rank_0({waiting_for(1, 120), waiting_for(2, 121), waiting_for(1, 120)});
  EXPECT_EQ(verdict.kind, Verdict::Kind::kDeadlock);
  EXPECT_EQ(verdict.ranks, (std::vector<int>{1, 2}));
}

TEST(Liveness, ARingIsNoneWhileOneInItHasJustBegunToWait) {
  EXPECT_EQ(of_rank_0({waiting_for(1, 120), waiting_for(2, 121), waiting_for(0, 3)}).kind,
            Verdict::Kind::kAlive);
}

TEST(Liveness, ASilentRankInWhatLooksLikeARingIsBlamed) {
  std::vector<LastSignal> newest = {waiting_for(1, 120), waiting_for(2, 121), waiting_for(0, 30)};
  newest[2].age_s = 125;
  const Verdict verdict = of_rank_0(newest);
  EXPECT_EQ(verdict.kind, Verdict::Kind::kSilent);
  EXPECT_EQ(verdict.ranks, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace tessera::distributed
