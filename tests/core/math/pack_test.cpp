// Pack's functions on every instruction set against double, within the errors that pack.h states.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/isa.h"
#include "tests/core/math/pack_kernel.h"
#include "tests/support/tolerance.h"

namespace tessera::test {
namespace {

struct PackFunctions {
  void (*apply)(const PackTask& task);
  PackMasks (*masks)();
};

PackFunctions functions_for(core::Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case core::Isa::kAvx512:
      return {avx512::apply_pack, avx512::pack_masks};
    case core::Isa::kAvx2:
      return {avx2::apply_pack, avx2::pack_masks};
    default:
      return {sse4::apply_pack, sse4::pack_masks};
#elif defined(__aarch64__)
    default:
      return {neon::apply_pack, neon::pack_masks};
#else
    default:
      return {scalar::apply_pack, scalar::pack_masks};
#endif
  }
}

template <class Exact>
void expect_function(PackFunction function, double low, double high, const Exact& exact,
                     Tolerance tolerance) {
  constexpr int64_t kCount = 16 * 4096;
  std::vector<float> in(kCount), out(kCount);
  for (int64_t i = 0; i < kCount; ++i) {
    in[i] = static_cast<float>(low + (high - low) * static_cast<double>(i) / (kCount - 1));
  }
  for (const core::Isa isa : core::usable_isas()) {
    SCOPED_TRACE(name_of(isa));
    functions_for(isa).apply({function, in.data(), out.data(), kCount});
    for (int64_t i = 0; i < kCount; ++i) {
      ASSERT_TRUE(near(out[i], exact(double{in[i]}), tolerance)) << "of " << in[i];
    }
  }
}

TEST(Pack, Exp2) {
  const auto exact = [](double x) { return std::exp2(x); };
  expect_function(PackFunction::kExp2, -126, 126, exact, kFastExp2);
  expect_function(PackFunction::kExp2, -8, 0, exact, kFastExp2);
}

TEST(Pack, Exp) {
  // The argument times log2(e) rounds: half a unit in the last place of 87 is 4e-6 of the result.
  expect_function(PackFunction::kExp, -1, 1, [](double x) { return std::exp(x); }, {0, 4e-7});
  expect_function(PackFunction::kExp, -87, 87, [](double x) { return std::exp(x); }, {0, 8e-6});
}

TEST(Pack, Log2) {
  const auto exact = [](double x) { return std::log2(x); };
  expect_function(PackFunction::kLog2, 1e-3, 2, exact, kFastLog2);
  expect_function(PackFunction::kLog2, 0.5, 1e6, exact, {kFastLog2.absolute, 1.2e-7});
}

TEST(Pack, Reciprocal) {
  expect_function(
      PackFunction::kReciprocal, 0.01, 1, [](double x) { return 1 / x; }, kFastReciprocal);
}

TEST(Pack, ExactFunctions) {
  expect_function(PackFunction::kSqrt, 0, 100, [](double x) { return std::sqrt(x); }, {0, 6e-8});
  expect_function(PackFunction::kFloor, -20, 20, [](double x) { return std::floor(x); }, {0, 0});
  expect_function(PackFunction::kSelectPositive, -3, 3, [](double x) { return x > 0 ? x : -2 * x; },
                  {0, 0});
}

TEST(Pack, Masks) {
  for (const core::Isa isa : core::usable_isas()) {
    SCOPED_TRACE(name_of(isa));
    const PackMasks m = functions_for(isa).masks();
    ASSERT_GE(m.lanes, 4);
    EXPECT_EQ(m.first_three, 0b111U);
    EXPECT_EQ(m.above_two, (1U << m.lanes) - 8);
    EXPECT_EQ(m.between, 0b110U);
    EXPECT_EQ(m.sum, static_cast<float>(m.lanes * (m.lanes + 1)) / 2);
  }
}

}  // namespace
}  // namespace tessera::test
