// Projection and colour of Gaussians, a vector of them at a time.
//
// Whole aligned blocks are loaded from the planes and masked, rather than visible ones gathered:
// blocks without a visible Gaussian stop after the cheap tests.
// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/cpu_gaussian_lanes.h"

namespace tessera::render {
inline namespace TESSERA_ISA {
namespace {

constexpr float kLog2Of255 = 7.99435343686F;
constexpr float kTwoLn2 = 1.38629436112F;

// Writes the lanes of `mask` as splats and returns how many they are.
HWY_INLINE int64_t store_splats(const ProjectTask& task, int64_t first, uint32_t mask,
                                const float (&lanes)[16][math::kPackLanes], uint32_t* visible) {
  int64_t stored = 0;
  while (mask != 0) {
    const int lane = __builtin_ctz(mask);
    mask &= mask - 1;
    CpuSplat& s = task.splats[first + lane];
    float* out = &s.mean_x;
    for (int k = 0; k < 16; ++k) out[k] = lanes[k][lane];
    visible[stored++] = static_cast<uint32_t>(first + lane);
  }
  return stored;
}

}  // namespace

int64_t project_gaussians(const ProjectTask& task, int64_t begin, int64_t end) {
  const SplatCamera<Pack> camera = make_splat_camera<Pack>(task.camera);
  const Vec3<Pack> center = center_lanes(task.camera);
  const Pack near_plane(task.near_plane), zero(0.0F);
  const Pack width(static_cast<float>(task.camera.width));
  const Pack height(static_cast<float>(task.camera.height));
  int64_t visible_count = 0;
  for (int64_t i = begin; i < end; i += math::kPackLanes) {
    const GaussianLanes lanes = {task.parameters + i, task.stride};
    const int64_t left = end - i;
    PackMask mask =
        math::first_lanes(left < math::kPackLanes ? static_cast<int>(left) : math::kPackLanes);
    float* radii = task.radii + i;  // padded to a whole vector
    const Vec3<Pack> mean = lanes.mean();
    const Vec3<Pack> point = camera.rotation * mean + camera.translation;
    mask = mask_and(mask, mask_and(point.z > near_plane, within_lens(point, camera)));
    if (math::none(mask)) {
      zero.store(radii);
      continue;
    }
    const Gaussian<Pack> g = lanes.gaussian();
    const Splat<Pack> s = project(g, camera, task.antialiased);
    const Pack log2_opacity = log2(max(s.opacity, Pack(1e-30F)));
    const Pack reach = log2_opacity + Pack(kLog2Of255);
    const Pack stretch = max(reach, zero) * Pack(kTwoLn2);
    const Pack half_width = sqrt(stretch * s.covariance.xx);
    const Pack half_height = sqrt(stretch * s.covariance.yy);
    // All comparisons are false for a NaN, so what is not finite is not visible.
    const Pack huge(1e30F);
    mask = mask_and(mask, mask_and(reach >= zero, mask_and(half_width < huge, half_height < huge)));
    mask = mask_and(mask, mask_and(s.mean.x + half_width >= Pack(0.5F),
                                   s.mean.x - half_width <= width - Pack(0.5F)));
    mask = mask_and(mask, mask_and(s.mean.y + half_height >= Pack(0.5F),
                                   s.mean.y - half_height <= height - Pack(0.5F)));
    mask = mask_and(mask, mask_and(s.conic.xx < huge, s.conic.yy < huge));
    mask = mask_and(mask, s.conic.xy < huge);
    if (math::none(mask)) {
      zero.store(radii);
      continue;
    }
    const Vec3<Pack> color = sh_color(task.sh_degree, normalize(mean - center), lanes);
    const Sym2<Pack> conic2 = conic_in_log2(s.conic);
    alignas(64) float out[16][math::kPackLanes];
    s.mean.x.store_aligned(out[0]);
    s.mean.y.store_aligned(out[1]);
    conic2.xx.store_aligned(out[2]);
    conic2.xy.store_aligned(out[3]);
    conic2.yy.store_aligned(out[4]);
    log2_opacity.store_aligned(out[5]);
    max(color.x, zero).store_aligned(out[6]);
    max(color.y, zero).store_aligned(out[7]);
    max(color.z, zero).store_aligned(out[8]);
    s.depth.store_aligned(out[9]);
    half_width.store_aligned(out[10]);
    half_height.store_aligned(out[11]);
    const Vec3<Pack> normal = task.normals ? splat_normal(g, camera) : Vec3<Pack>{zero, zero, zero};
    normal.x.store_aligned(out[12]);
    normal.y.store_aligned(out[13]);
    normal.z.store_aligned(out[14]);
    s.opacity.store_aligned(out[15]);
    math::zero_unless(mask, max(half_width, half_height)).store(radii);
    visible_count +=
        store_splats(task, i, math::bits_of(mask), out, task.visible + begin + visible_count);
  }
  return visible_count;
}

}  // namespace TESSERA_ISA
}  // namespace tessera::render
