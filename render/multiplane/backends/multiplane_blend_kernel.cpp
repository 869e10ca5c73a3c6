// Blends a block's layers near to far, a vector of pixels at a time: what it has gathered stays in
// registers while the layers pass by.
// SPDX-License-Identifier: MIT
#include "render/multiplane/backends/layer_lanes.h"

namespace tessera::render {
inline namespace TESSERA_ISA {
namespace {

HWY_INLINE Rgba<Pack> in_unit_range(Rgba<Pack> s, const uint8_t*) {
  for (Pack& c : s.c) c = c * Pack(1.0F / 255);
  return s;
}
HWY_INLINE Rgba<Pack> in_unit_range(const Rgba<Pack>& s, const float*) {
  return s;
}

// Whether any pixel shows the layer; only then `s` is set.
template <class Texel, bool kInside>
HWY_INLINE bool sample_inside(const BlockLayer& layer, Pack u, Pack v, Pack facing, Rgba<Pack>& s) {
  const LanePlace place = place_in_layer<kInside>(layer, u, v, facing);
  if constexpr (!kInside) {
    if (math::none(place.seen)) return false;
  }
  const TexelQuad<Pack> quad = gather_quad<Texel, kInside>(layer, place);
  s = in_unit_range(sample(quad, place.fraction_x, place.fraction_y),
                    static_cast<const Texel*>(nullptr));
  return true;
}

template <class Texel>
HWY_INLINE bool sample_layer(const BlockLayer& layer, Pack u, Pack v, Pack facing, Rgba<Pack>& s) {
  return layer.inside ? sample_inside<Texel, true>(layer, u, v, facing, s)
                      : sample_inside<Texel, false>(layer, u, v, facing, s);
}

// A vector of pixels' samples of layers that cross, near to far in each.
struct SortedSamples {
  Pack inverse_depth[kMostCrossing];
  Rgba<Pack> color[kMostCrossing];
  int count = 0;

  // Behind those before it of the same depth.
  HWY_INLINE void insert(Pack depth, const Rgba<Pack>& s) {
    Pack last = depth;
    Rgba<Pack> last_color = s;
    for (int i = 0; i < count; ++i) {
      const PackMask nearer = last > inverse_depth[i];
      const auto exchange = [&](Pack& a, Pack& b) {
        const Pack first = math::select(nearer, b, a);
        b = math::select(nearer, a, b);
        a = first;
      };
      exchange(inverse_depth[i], last);
      for (int c = 0; c < 4; ++c) exchange(color[i].c[c], last_color.c[c]);
    }
    inverse_depth[count] = last;
    color[count++] = last_color;
  }
};

template <class Texel>
HWY_INLINE void blend_crossing(const BlockLayer* layers, Pack u, Pack v, Pack facing,
                               Composite<Pack>& all) {
  SortedSamples sorted;
  for (int i = 0; i < layers->crossing; ++i) {
    Rgba<Pack> s;
    if (!sample_layer<Texel>(layers[i], u, v, facing, s)) continue;
    sorted.insert(linear_at(layers[i].inverse_depth, u, v), s);
  }
  for (int i = 0; i < sorted.count; ++i) blend(all, sorted.color[i], sorted.inverse_depth[i]);
}

template <bool kDisparity>
HWY_INLINE void write_unit(const BlendTask& task, int64_t pixel, int count,
                           const Composite<Pack>& all) {
  const math::PackTag d;
  const Pack t = all.transmittance;
  Pack color[3];
  for (int c = 0; c < 3; ++c) color[c] = mul_add(t, Pack(task.background[c]), all.color[c]);
  const Pack alpha = Pack(1.0F) - t;
  if (count >= math::kPackLanes) {
    hn::StoreInterleaved3(color[0].v, color[1].v, color[2].v, d, task.color + 3 * pixel);
    alpha.store(task.alpha + pixel);
    if constexpr (kDisparity) all.disparity.store(task.disparity + pixel);
    return;
  }
  alignas(64) float values[3 * math::kPackLanes];
  hn::StoreInterleaved3(color[0].v, color[1].v, color[2].v, d, values);
  for (int k = 0; k < 3 * count; ++k) task.color[3 * pixel + k] = values[k];
  alpha.store_aligned(values);
  for (int k = 0; k < count; ++k) task.alpha[pixel + k] = values[k];
  if constexpr (kDisparity) {
    all.disparity.store_aligned(values);
    for (int k = 0; k < count; ++k) task.disparity[pixel + k] = values[k];
  }
}

template <class Texel, bool kDisparity, bool kStops>
HWY_INLINE void blend_block(const Block& block, const BlendTask& task) {
  for (int y = 0; y < block.height; ++y) {
    const Pack v(static_cast<float>(y));
    for (int x = 0; x < block.width; x += math::kPackLanes) {
      const Pack u = unit_columns(block, x);
      const Pack facing = math::fast_reciprocal(linear_at(block.facing_row, u, v));
      Composite<Pack> all = nothing_before<Pack>();
      for (int i = 0; i < block.layer_count; i += task.layers[i].crossing) {
        const BlockLayer& layer = task.layers[i];
        if (layer.crossing > 1) {
          blend_crossing<Texel>(&layer, u, v, facing, all);
        } else if (Rgba<Pack> s; sample_layer<Texel>(layer, u, v, facing, s)) {
          blend(all, s, linear_at(layer.inverse_depth, u, v));
        }
        if constexpr (kStops) {
          if (math::none(all.transmittance > Pack(kMinMultiplaneTransmittance))) break;
        }
      }
      write_unit<kDisparity>(task, y * task.stride + x, block.width - x, all);
    }
  }
}

}  // namespace

void blend_bytes(const Block& block, const BlendTask& task) {
  if (task.disparity != nullptr) {
    blend_block<uint8_t, true, true>(block, task);
  } else {
    blend_block<uint8_t, false, true>(block, task);
  }
}

void blend_floats(const Block& block, const BlendTask& task) {
  if (task.disparity != nullptr) {
    blend_block<float, true, false>(block, task);
  } else {
    blend_block<float, false, false>(block, task);
  }
}

}  // namespace TESSERA_ISA
}  // namespace tessera::render
