// Holds a vector-Jacobian product against dual numbers, one input at a time.
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "core/math/dual.h"
#include "tests/support/random_scene.h"
#include "tests/support/tolerance.h"

namespace tessera::test {

using math::Dual;

// f: vector<Dual> -> vector<Dual>. vjp: (inputs, output gradient) -> input gradient, in double.
template <class F, class Vjp>
void expect_vjp(const std::vector<double>& inputs, const F& f, const Vjp& vjp, uint64_t seed = 1) {
  std::vector<Dual> duals(inputs.begin(), inputs.end());
  Random random(seed);
  std::vector<double> output_gradient(f(duals).size());
  for (double& g : output_gradient) g = random.uniform(-1, 1);
  const std::vector<double> got = vjp(inputs, output_gradient);
  ASSERT_EQ(got.size(), inputs.size());
  double largest = 0;
  for (const double g : got) largest = std::max(largest, std::fabs(g));
  for (size_t i = 0; i < inputs.size(); ++i) {
    duals[i].derivative = 1;
    const std::vector<Dual> outputs = f(duals);
    duals[i].derivative = 0;
    double expected = 0;
    for (size_t k = 0; k < outputs.size(); ++k) {
      expected += outputs[k].derivative * output_gradient[k];
    }
    const Tolerance t = {kDoubleExact.absolute + kDoubleExact.relative * largest,
                         kDoubleExact.relative};
    EXPECT_TRUE(near(got[i], expected, t)) << "input " << i;
  }
}

}  // namespace tessera::test
