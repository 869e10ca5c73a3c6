// Which instruction set runs, and what TESSERA_ISA may say of it.
// SPDX-License-Identifier: MIT
#include "core/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "core/error.h"

namespace tessera::core {
namespace {

class IsaTest : public testing::Test {
 protected:
  void TearDown() override { unsetenv("TESSERA_ISA"); }
};

TEST_F(IsaTest, TheBestUsableOneIsChosen) {
  ASSERT_FALSE(usable_isas().empty());
  EXPECT_EQ(chosen_isa(), usable_isas().back());
  setenv("TESSERA_ISA", "", 1);
  EXPECT_EQ(chosen_isa(), usable_isas().back());
}

TEST_F(IsaTest, AnyUsableOneMayBeNamed) {
  for (const Isa isa : usable_isas()) {
    setenv("TESSERA_ISA", std::string(name_of(isa)).c_str(), 1);
    EXPECT_EQ(chosen_isa(), isa);
  }
}

TEST_F(IsaTest, AnUnknownOneIsRefusedWithTheUsableOnes) {
  setenv("TESSERA_ISA", "avx1024", 1);
  try {
    chosen_isa();
    FAIL() << "avx1024 was taken";
  } catch (const UsageError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("avx1024"), std::string::npos) << message;
    EXPECT_NE(message.find(name_of(usable_isas().front())), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace tessera::core
