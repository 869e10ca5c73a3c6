// SPDX-License-Identifier: MIT
#include "tests/core/math/pack_kernel.h"

#include "core/math/pack.h"

namespace tessera::test {
namespace TESSERA_ISA {

using math::Pack;

void apply_pack(const PackTask& task) {
  for (int64_t i = 0; i < task.count; i += math::kPackLanes) {
    const Pack x = Pack::load(task.in + i);
    Pack y = x;
    switch (task.function) {
      case PackFunction::kExp:
        y = exp(x);
        break;
      case PackFunction::kExp2:
        y = exp2(x);
        break;
      case PackFunction::kLog2:
        y = log2(x);
        break;
      case PackFunction::kReciprocal:
        y = math::fast_reciprocal(x);
        break;
      case PackFunction::kSqrt:
        y = sqrt(x);
        break;
      case PackFunction::kSelectPositive:
        y = select(x > Pack(0.0F), x, -x * Pack(2.0F));
        break;
      case PackFunction::kFloor:
        y = floor(x);
        break;
    }
    y.store(task.out + i);
  }
}

PackMasks pack_masks() {
  const Pack index = Pack::iota(0.0F);
  PackMasks masks;
  masks.lanes = math::kPackLanes;
  masks.first_three = math::bits_of(math::first_lanes(3));
  masks.above_two = math::bits_of(index > Pack(2.0F));
  masks.between = math::bits_of(mask_and(index >= Pack(1.0F), index <= Pack(2.0F)));
  masks.sum = math::sum_of_lanes(Pack::iota(1.0F));
  return masks;
}

}  // namespace TESSERA_ISA
}  // namespace tessera::test
