// Philox against the known answers of its authors' Random123 library, and what is made of its bits.
// SPDX-License-Identifier: MIT
#include "core/math/rng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

namespace tessera::math {
namespace {

void expect_bits(const Random4& got, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  EXPECT_EQ(got.v[0], a);
  EXPECT_EQ(got.v[1], b);
  EXPECT_EQ(got.v[2], c);
  EXPECT_EQ(got.v[3], d);
}

TEST(Rng, PhiloxGivesTheKnownAnswers) {
  expect_bits(philox(0, 0, 0, 0, 0, 0), 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  const uint32_t all = 0xffffffff;
  expect_bits(philox(all, all, all, all, all, all), 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
  expect_bits(philox(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0),
              0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

TEST(Rng, StreamsStepsAndIdsDiffer) {
  std::set<std::tuple<uint32_t, uint32_t>> seen;
  int made = 0;
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 40}) {
    for (const RandomStream stream : {RandomStream::kSplit, RandomStream::kMcmcNoise}) {
      for (uint32_t step = 0; step < 5; ++step) {
        for (const uint64_t id : {uint64_t{0}, uint64_t{7}, uint64_t{7} << 32}) {
          const Random4 r = random_bits(seed, stream, step, id);
          seen.insert({r.v[0], r.v[1]});
          ++made;
        }
      }
    }
  }
  EXPECT_EQ(static_cast<int>(seen.size()), made);
}

TEST(Rng, UniformsAndNormalsHaveTheirMoments) {
  constexpr int kCount = 20000;
  double uniform = 0, normal = 0, normal2 = 0, product = 0;
  for (int i = 0; i < kCount; ++i) {
    const Random4 r = random_bits(5, RandomStream::kInit, 0, i);
    const float u = uniform_from_bits(r.v[0]);
    ASSERT_GE(u, 0.0F);
    ASSERT_LT(u, 1.0F);
    uniform += u;
    float a = 0, b = 0;
    normals_from_bits(r.v[1], r.v[2], a, b);
    normal += a + b;
    normal2 += a * a + b * b;
    product += a * b;
  }
  const double sigma = 1 / std::sqrt(static_cast<double>(kCount));  // of a mean, in its own units
  EXPECT_NEAR(uniform / kCount, 0.5, 5 * sigma / std::sqrt(12.0));
  EXPECT_NEAR(normal / (2 * kCount), 0, 5 * sigma);
  EXPECT_NEAR(normal2 / (2 * kCount), 1, 5 * sigma * std::sqrt(2.0));
  EXPECT_NEAR(product / kCount, 0, 5 * sigma);
}

TEST(Rng, ExtremesStayFinite) {
  float a = 0, b = 0;
  normals_from_bits(0, 0, a, b);
  EXPECT_TRUE(std::isfinite(a) && std::isfinite(b));
  normals_from_bits(0xffffffff, 0xffffffff, a, b);
  EXPECT_TRUE(std::isfinite(a) && std::isfinite(b));
  EXPECT_LT(uniform_from_bits(0xffffffff), 1.0F);
}

}  // namespace
}  // namespace tessera::math
