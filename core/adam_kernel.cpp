// One Adam update of a stretch of a plane: four arrays read and written once.
// SPDX-License-Identifier: MIT
#include "core/adam_kernel.h"

#include "core/math/pack.h"

namespace tessera::core {
namespace TESSERA_ISA {
namespace {

namespace hn = math::hn;
using math::mul_add;
using math::negative_mul_add;
using math::Pack;
using math::PackMask;

constexpr int kLanes = math::kPackLanes;

PackMask visible_lanes(const uint8_t* visible) {
  const hn::Rebind<uint8_t, math::PackTag> du;
  const auto wide = hn::PromoteTo(math::PackIntTag(), hn::LoadU(du, visible));
  return Pack(hn::ConvertTo(math::PackTag(), wide)) > Pack(0.0F);
}

void store_masked(Pack value, PackMask mask, float* to) {
  hn::BlendedStore(value.v, mask.m, math::PackTag(), to);
}

struct Updated {
  Pack parameter, first, second;
};

HWY_INLINE Updated updated(const AdamTask& task, int64_t i) {
  const Pack gradient = Pack::load(task.gradient + i) * Pack(task.gradient_factor);
  const Pack old_first = Pack::load(task.first_moment + i);
  const Pack first = mul_add(gradient - old_first, Pack(task.one_minus_beta1), old_first);
  const Pack second = mul_add(Pack(task.beta2), Pack::load(task.second_moment + i),
                              gradient * gradient * Pack(task.one_minus_beta2));
  const Pack root = mul_add(sqrt(second), Pack(task.root_correction), Pack(task.epsilon));
  const Pack parameter =
      negative_mul_add(Pack(task.rate), first / root, Pack::load(task.parameter + i));
  return {parameter, first, second};
}

// Replaces the lanes in `mask` of a whole vector (masked stores are slow on some processors).
HWY_INLINE void replace(Pack value, PackMask mask, float* at) {
  select(mask, value, Pack::load(at)).store(at);
}

}  // namespace

void adam_update(const AdamTask& task) {
  const Pack zero(0.0F);
  int64_t i = task.begin;
  for (; i + kLanes <= task.end; i += kLanes) {
    if (task.visible == nullptr) {
      const Updated u = updated(task, i);
      u.parameter.store(task.parameter + i);
      u.first.store(task.first_moment + i);
      u.second.store(task.second_moment + i);
    } else if (const PackMask visible = visible_lanes(task.visible + i); !none(visible)) {
      const Updated u = updated(task, i);
      replace(u.parameter, visible, task.parameter + i);
      replace(u.first, visible, task.first_moment + i);
      replace(u.second, visible, task.second_moment + i);
    }
    zero.store(task.gradient + i);
  }
  if (i == task.end) return;
  // The last elements, fewer than a vector: nothing beyond them is written.
  const PackMask rest = math::first_lanes(static_cast<int>(task.end - i));
  PackMask mask = rest;
  if (task.visible != nullptr) {
    uint8_t visible[16] = {};
    __builtin_memcpy(visible, task.visible + i, task.end - i);
    mask = visible_lanes(visible);
  }
  const Updated u = updated(task, i);
  store_masked(u.parameter, mask, task.parameter + i);
  store_masked(u.first, mask, task.first_moment + i);
  store_masked(u.second, mask, task.second_moment + i);
  store_masked(zero, rest, task.gradient + i);
}

}  // namespace TESSERA_ISA
}  // namespace tessera::core
