// The `tessera` program.
// SPDX-License-Identifier: MIT
#include <cstdio>

int main() {
  std::puts("tessera 0.1.0");
  return 0;
}
