// What the Adam kernel works on: plain pointers, for the object files of every instruction set.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tessera::core {

// Elements [begin, end) of one plane; `begin` is a multiple of 16, and the planes may be read up to
// 16 elements past `end`.
struct AdamTask {
  float* parameter = nullptr;
  float* gradient = nullptr;
  float* first_moment = nullptr;
  float* second_moment = nullptr;
  const uint8_t* visible = nullptr;  // not 0: the element is updated; null: all are
  int64_t begin = 0;
  int64_t end = 0;
  float gradient_factor = 1;
  float one_minus_beta1 = 0;
  float beta2 = 0;
  float one_minus_beta2 = 0;
  float rate = 0;             // learning rate / (1 - beta1^step)
  float root_correction = 0;  // 1 / sqrt(1 - beta2^step)
  float epsilon = 0;
};

}  // namespace tessera::core
