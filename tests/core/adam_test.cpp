// Adam against its definition written out in double, and what threads, masks and unused planes must
// not change.
// SPDX-License-Identifier: MIT
#include "core/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/math/rng.h"
#include "tests/support/tolerance.h"

namespace tessera::core {
namespace {

constexpr int kPlanes = 5;
const std::vector<float> kRates = {1.6e-4F, 5e-3F, 1e-3F, 0.025F, 2.5e-3F};

float random_value(uint32_t step, int plane, int64_t i) {
  const math::Random4 r =
      math::random_bits(3, math::RandomStream::kInit, step, static_cast<uint64_t>(i) * 64 + plane);
  return math::uniform_from_bits(r.v[0]) * 2.0F - 1.0F;
}

struct State {
  Planes parameters, gradient, first, second;

  explicit State(int64_t size)
      : parameters(kPlanes, size),
        gradient(kPlanes, size),
        first(kPlanes, size),
        second(kPlanes, size) {
    set_random(parameters, 0);
  }

  void set_random(Planes& planes, uint32_t step) const {
    for (int p = 0; p < kPlanes; ++p) {
      for (int64_t i = 0; i < planes.size(); ++i) {
        // Gradients of very different size, as those of positions and colors are.
        const float magnitude = step == 0 ? 1.0F : std::pow(10.0F, static_cast<float>(-p * 2));
        planes.plane(p)[i] = random_value(step, p, i) * magnitude;
      }
    }
  }

  void update(AdamStep step, ThreadPool& pool, Isa isa = chosen_isa()) {
    if (step.rates.empty()) step.rates = kRates;
    adam_update(step, parameters, gradient, first, second, pool, isa);
  }

  friend bool operator==(const State& a, const State& b) {
    return a.parameters == b.parameters && a.gradient == b.gradient && a.first == b.first &&
           a.second == b.second;
  }
};

// torch.optim.Adam of one number, in double.
struct Definition {
  double parameter, first = 0, second = 0;

  void update(const AdamStep& s, double gradient, double rate) {
    gradient *= s.gradient_factor;
    first = s.beta1 * first + (1 - s.beta1) * gradient;
    second = s.beta2 * second + (1 - s.beta2) * gradient * gradient;
    const auto n = static_cast<double>(s.step);
    const double root = std::sqrt(second) / std::sqrt(1 - std::pow(s.beta2, n)) + s.epsilon;
    parameter -= rate / (1 - std::pow(s.beta1, n)) * first / root;
  }
};

TEST(Adam, FollowsItsDefinitionOnEveryInstructionSet) {
  constexpr int64_t kSize = 37;
  ThreadPool pool(2);
  for (const Isa isa : usable_isas()) {
    SCOPED_TRACE(name_of(isa));
    State state(kSize);
    std::vector<Definition> wanted;
    for (int p = 0; p < kPlanes; ++p) {
      for (int64_t i = 0; i < kSize; ++i) wanted.push_back({state.parameters.plane(p)[i]});
    }
    for (uint32_t n = 1; n <= 20; ++n) {
      AdamStep step;
      step.step = n;
      step.gradient_factor = 0.25;
      state.set_random(state.gradient, n);
      for (int p = 0; p < kPlanes; ++p) {
        for (int64_t i = 0; i < kSize; ++i) {
          wanted[p * kSize + i].update(step, state.gradient.plane(p)[i], kRates[p]);
        }
      }
      state.update(step, pool, isa);
    }
    for (int p = 0; p < kPlanes; ++p) {
      for (int64_t i = 0; i < kSize; ++i) {
        const Definition& w = wanted[p * kSize + i];
        EXPECT_TRUE(test::near(state.parameters.plane(p)[i], w.parameter, test::kFloatUpdates));
        const double scale = std::pow(10.0, p * 2);  // of 1 / gradient
        EXPECT_TRUE(
            test::near(state.first.plane(p)[i] * scale, w.first * scale, test::kFloatUpdates));
        EXPECT_TRUE(test::near(state.second.plane(p)[i], w.second, test::kFloatPositive));
        EXPECT_EQ(state.gradient.plane(p)[i], 0.0F);
      }
    }
  }
}

TEST(Adam, IsBitEqualForAnyNumberOfThreadsAndAnyPlace) {
  constexpr int64_t kSize = 20011;
  ThreadPool one(1);
  State expected(kSize);
  expected.set_random(expected.gradient, 1);
  State start = expected;
  expected.update({}, one);
  for (const int threads : {2, 3, 5, 7}) {
    ThreadPool pool(threads);
    State state = start;
    state.update({}, pool);
    EXPECT_TRUE(state == expected) << threads << " threads";
  }
  // An element at the end of its plane gives what it gives in the middle.
  State shorter(5003);
  for (int p = 0; p < kPlanes; ++p) {
    for (int64_t i = 0; i < shorter.gradient.size(); ++i) {
      shorter.gradient.plane(p)[i] = start.gradient.plane(p)[i];
    }
  }
  shorter.update({}, one);
  for (int p = 0; p < kPlanes; ++p) {
    for (int64_t i = 0; i < shorter.gradient.size(); ++i) {
      ASSERT_EQ(shorter.parameters.plane(p)[i], expected.parameters.plane(p)[i]);
    }
  }
}

TEST(Adam, LeavesWhatIsNotVisibleAsItIs) {
  constexpr int64_t kSize = 45;
  ThreadPool pool(1);
  for (const Isa isa : usable_isas()) {
    SCOPED_TRACE(name_of(isa));
    State start(kSize);
    start.set_random(start.gradient, 1);
    start.update({}, pool, isa);
    start.set_random(start.gradient, 2);
    AdamStep step;
    step.step = 2;
    State all = start;
    all.update(step, pool, isa);
    std::vector<uint8_t> visible(kSize, 0);
    for (int64_t i = 16; i < kSize; i += 3) visible[i] = static_cast<uint8_t>(i);
    step.visible = visible;
    State some = start;
    some.update(step, pool, isa);
    for (int p = 0; p < kPlanes; ++p) {
      for (int64_t i = 0; i < kSize; ++i) {
        const State& wanted = visible[i] != 0 ? all : start;
        EXPECT_EQ(some.parameters.plane(p)[i], wanted.parameters.plane(p)[i]);
        EXPECT_EQ(some.first.plane(p)[i], wanted.first.plane(p)[i]);
        EXPECT_EQ(some.second.plane(p)[i], wanted.second.plane(p)[i]);
        EXPECT_EQ(some.gradient.plane(p)[i], 0.0F);
      }
    }
  }
}

TEST(Adam, PlanesWithoutGradientMayBeSkipped) {
  ThreadPool pool(1);
  State all(33);
  for (int p = 0; p < 3; ++p) {
    for (int64_t i = 0; i < 33; ++i) all.gradient.plane(p)[i] = random_value(1, p, i);
  }
  State some = all;
  all.update({}, pool);
  AdamStep step;
  step.rates = std::span(kRates).first(3);
  some.update(step, pool);
  EXPECT_TRUE(all == some);
}

TEST(Adam, WritesNothingPastTheEnd) {
  ThreadPool pool(1);
  for (const Isa isa : usable_isas()) {
    State state(21);
    for (Planes* planes : {&state.parameters, &state.gradient, &state.first, &state.second}) {
      std::fill(planes->plane(2) + 21, planes->plane(3), 42.0F);
    }
    state.update({}, pool, isa);
    for (Planes* planes : {&state.parameters, &state.gradient, &state.first, &state.second}) {
      for (const float* p = planes->plane(2) + 21; p != planes->plane(3); ++p) EXPECT_EQ(*p, 42.0F);
    }
  }
}

TEST(Adam, RefusesShapesThatDoNotFit) {
  ThreadPool pool(1);
  Planes a(2, 10), b(2, 11), c(3, 10);
  const std::vector<float> rates(2, 0.1F);
  AdamStep step;
  step.rates = rates;
  EXPECT_THROW(adam_update(step, a, b, a, a, pool), Error);
  EXPECT_THROW(adam_update(step, a, a, c, a, pool), Error);
  const std::vector<uint8_t> visible(9, 1);
  step.visible = visible;
  EXPECT_THROW(adam_update(step, a, a, a, a, pool), Error);
  const std::vector<float> too_many(3, 0.1F);
  step.visible = {};
  step.rates = too_many;
  EXPECT_THROW(adam_update(step, a, a, a, a, pool), Error);
}

}  // namespace
}  // namespace tessera::core
