// SPDX-License-Identifier: MIT
#include "core/count_text.h"

#include <gtest/gtest.h>

namespace tessera::core {
namespace {

TEST(CountText, SplitsThousandsAndKnowsOne) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
  EXPECT_EQ(plural(0, "photo"), "0 photos");
  EXPECT_EQ(plural(1, "photo"), "1 photo");
  EXPECT_EQ(plural(12000, "photo"), "12,000 photos");
}

}  // namespace
}  // namespace tessera::core
