// The gradient of blending a block: near to far once more, keeping what each layer gave and the
// transmittance before it, then far to near. Gradients of texels go to a list by pixel, since a
// texel is met from several blocks; add_texels adds them, for one layer in the order of its blocks.
// SPDX-License-Identifier: MIT
#include "render/multiplane/backends/layer_lanes.h"

namespace tessera::render {
inline namespace TESSERA_ISA {
namespace {

// Of one layer: what a vector of pixels gave, and its gradients' sums over the block.
struct LayerState {
  TexelQuad<Pack> quad;
  Rgba<Pack> sample;
  Pack x, y, fraction_x, fraction_y;  // of the upper left texel, from the window's corner
  Pack texel_x, texel_y, inverse;     // homogeneous coordinates over the third, 1 / the third
  Pack inverse_depth;
  Pack transmittance;
  Pack sums[12];
};
static_assert(sizeof(LayerState) <= kBlendBackwardScratch * sizeof(float) * math::kPackLanes / 16);

template <bool kInside>
HWY_INLINE void sample_layer(const BlockLayer& layer, Pack u, Pack v, Pack facing,
                             LayerState& state) {
  const LanePlace place = place_in_layer<kInside>(layer, u, v, facing);
  state.quad = gather_quad<float, kInside>(layer, place);
  state.fraction_x = place.fraction_x;
  state.fraction_y = place.fraction_y;
  state.texel_x = place.x + place.fraction_x;
  state.texel_y = place.y + place.fraction_y;
  state.inverse = place.inverse;
  state.x = place.x + Pack(static_cast<float>(layer.anchor_x));
  state.y = place.y + Pack(static_cast<float>(layer.anchor_y));
  if constexpr (!kInside) state.x = select(place.seen, state.x, Pack(-2.0F));
  state.sample = sample(state.quad, place.fraction_x, place.fraction_y);
  state.inverse_depth = linear_at(layer.inverse_depth, u, v);
}

// Values of pixels on end; zero beyond `count`.
HWY_INLINE Pack load_first(const float* from, int count) {
  if (count >= math::kPackLanes) return Pack::load(from);
  alignas(64) float values[math::kPackLanes] = {};
  for (int k = 0; k < count; ++k) values[k] = from[k];
  return Pack::load_aligned(values);
}

HWY_INLINE CompositeGradient<Pack> load_gradient(const BlendBackwardTask& task, int64_t pixel,
                                                 int count) {
  const math::PackTag d;
  hn::Vec<math::PackTag> r, g, b;
  if (count >= math::kPackLanes) {
    hn::LoadInterleaved3(d, task.d_color + 3 * pixel, r, g, b);
  } else {
    alignas(64) float values[3 * math::kPackLanes] = {};
    for (int k = 0; k < 3 * count; ++k) values[k] = task.d_color[3 * pixel + k];
    hn::LoadInterleaved3(d, values, r, g, b);
  }
  const Pack zero(0.0F);
  return {{r, g, b},
          task.d_alpha != nullptr ? load_first(task.d_alpha + pixel, count) : zero,
          task.d_disparity != nullptr ? load_first(task.d_disparity + pixel, count) : zero};
}

HWY_INLINE void add_products(Pack value, Pack u, Pack v, Pack* sums) {
  sums[0] = mul_add(value, u, sums[0]);
  sums[1] = mul_add(value, v, sums[1]);
  sums[2] += value;
}

HWY_INLINE void write_samples(const LayerState& state, const Rgba<Pack>& d, int count,
                              PixelSample* to) {
  constexpr int n = math::kPackLanes;
  alignas(64) float values[6 * n];
  for (int c = 0; c < 4; ++c) d.c[c].store_aligned(values + c * n);
  state.fraction_x.store_aligned(values + 4 * n);
  state.fraction_y.store_aligned(values + 5 * n);
  alignas(64) int32_t x[n], y[n];
  hn::Store(index_of(state.x), IndexTag(), x);
  hn::Store(index_of(state.y), IndexTag(), y);
  for (int k = 0; k < n && k < count; ++k) {
    to[k] = {{values[k], values[n + k], values[2 * n + k], values[3 * n + k]},
             values[4 * n + k],
             values[5 * n + k],
             x[k],
             y[k]};
  }
}

HWY_INLINE void unit_backward(const Block& block, const BlendBackwardTask& task, int x, int y,
                              LayerState* states) {
  const Pack u = unit_columns(block, x), v(static_cast<float>(y));
  const Pack facing = math::fast_reciprocal(linear_at(block.facing_row, u, v));
  Composite<Pack> all = nothing_before<Pack>();
  for (int i = 0; i < block.layer_count; ++i) {
    const BlockLayer& layer = task.layers[i];
    if (layer.inside) {
      sample_layer<true>(layer, u, v, facing, states[i]);
    } else {
      sample_layer<false>(layer, u, v, facing, states[i]);
    }
    states[i].transmittance = all.transmittance;
    blend(all, states[i].sample, states[i].inverse_depth);
  }
  const int count = block.width - x;
  const CompositeGradient<Pack> d = load_gradient(task, y * task.stride + x, count);
  const Pack background[3] = {Pack(task.background[0]), Pack(task.background[1]),
                              Pack(task.background[2])};
  Pack behind = nothing_behind(d, background);
  for (int i = block.layer_count - 1; i >= 0; --i) {
    LayerState& s = states[i];
    const BlendGradient<Pack> g = blend_vjp(s.transmittance, s.sample, s.inverse_depth, d, behind);
    const math::Vec2<Pack> at = sample_vjp(s.quad, s.fraction_x, s.fraction_y, g.sample);
    add_products(at.x * s.inverse, u, v, s.sums);
    add_products(at.y * s.inverse, u, v, s.sums + 3);
    add_products(-(at.x * s.texel_x + at.y * s.texel_y) * s.inverse, u, v, s.sums + 6);
    add_products(g.inverse_depth, u, v, s.sums + 9);
    const int64_t pixel = (static_cast<int64_t>(i) * block.height + y) * block.width + x;
    write_samples(s, g.sample, count, task.samples + pixel);
  }
}

}  // namespace

void blend_backward(const Block& block, const BlendBackwardTask& task) {
  auto* states = reinterpret_cast<LayerState*>(task.scratch);
  for (int i = 0; i < block.layer_count; ++i) {
    for (Pack& sum : states[i].sums) sum = Pack(0.0F);
  }
  for (int y = 0; y < block.height; ++y) {
    for (int x = 0; x < block.width; x += math::kPackLanes) {
      unit_backward(block, task, x, y, states);
    }
  }
  for (int i = 0; i < block.layer_count; ++i) {
    for (int k = 0; k < 12; ++k) {
      const float sum = math::sum_of_lanes(states[i].sums[k]);
      if (k < 9) {
        task.gradient[i].texel[k / 3][k % 3] = sum;
      } else {
        task.gradient[i].inverse_depth[k - 9] = sum;
      }
    }
  }
}

void add_texels(const AddTexelsTask& task) {
  const hn::CappedTag<float, 4> d;
  for (int64_t i = 0; i < task.count; ++i) {
    const PixelSample& s = task.samples[i];
    const auto value = hn::LoadU(d, s.d);
    const TexelWeights<float> weights = texel_weights(s.fraction_x, s.fraction_y);
    for (int k = 0; k < 4; ++k) {
      const int x = s.x + k % 2, y = s.y + k / 2;
      if (x < 0 || y < 0 || x >= task.width || y >= task.height) continue;
      float* to = task.gradient + 4 * (y * task.stride + x);
      hn::StoreU(hn::MulAdd(hn::Set(d, weights.w[k]), value, hn::LoadU(d, to)), d, to);
    }
  }
}

}  // namespace TESSERA_ISA
}  // namespace tessera::render
