// What the tests' headers are precompiled with; see tessera_test in cmake/targets.cmake.
// SPDX-License-Identifier: MIT
int main() {
  return 0;
}
