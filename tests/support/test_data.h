// Real files for tests: the folder that TESSERA_TEST_DATA names. Without it such tests skip, saying
// so; if it is set and the path is missing there, they fail.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#define TESSERA_NEED_TEST_DATA(variable, relative)                                  \
  if (std::getenv("TESSERA_TEST_DATA") == nullptr) {                                \
    GTEST_SKIP() << "TESSERA_TEST_DATA is not set; this test needs " << (relative); \
  }                                                                                 \
  const std::filesystem::path variable =                                            \
      std::filesystem::path(std::getenv("TESSERA_TEST_DATA")) / (relative);         \
  ASSERT_TRUE(std::filesystem::exists(variable)) << (variable) << " is missing in TESSERA_TEST_DATA"
