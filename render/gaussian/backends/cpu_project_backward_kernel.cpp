// From gradients of splats to gradients of Gaussians and of the camera, a vector at a time.
// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/cpu_gaussian_lanes.h"

namespace tessera::render {
inline namespace TESSERA_ISA {
namespace {

constexpr int kGradientFloats = sizeof(CpuSplatGradient) / sizeof(float);
constexpr float kLn2 = 0.69314718056F;

// The gradients of one vector of Gaussians, zero on lanes that are not visible, and of the visible
// ones the stored conic, opacity and colour.
struct LaneGradients {
  alignas(64) float sum[kGradientFloats][math::kPackLanes];
  alignas(64) float splat[16][math::kPackLanes];

  HWY_INLINE void load(const ProjectBackwardTask& task, int64_t first, uint32_t mask) {
    for (int lane = 0; lane < math::kPackLanes; ++lane) {
      if ((mask >> lane & 1) != 0) {
        const float* from = task.splat_gradients[first + lane].color;
        const float* splat_values = &task.splats[first + lane].mean_x;
        for (int k = 0; k < kGradientFloats; ++k) sum[k][lane] = from[k];
        for (int k = 0; k < 16; ++k) splat[k][lane] = splat_values[k];
      } else {
        for (int k = 0; k < kGradientFloats; ++k) sum[k][lane] = 0.0F;
        for (int k = 0; k < 16; ++k) splat[k][lane] = 1.0F;
      }
    }
  }
};

HWY_INLINE void add_to(float* plane, PackMask mask, Pack value) {
  (Pack::load(plane) + math::zero_unless(mask, value)).store(plane);
}

// Colour and its direction: fills the SH planes and gives the gradient of (mean - centre).
HWY_INLINE Vec3<Pack> color_backward(const ProjectBackwardTask& task, const GaussianLanes& lanes,
                                     float* out, PackMask mask, Vec3<Pack> offset,
                                     const LaneGradients& d) {
  const Pack zero(0.0F);
  Vec3<Pack> d_color;
  d_color.x = math::zero_unless(Pack::load(d.splat[6]) > zero, Pack::load(d.sum[0]));
  d_color.y = math::zero_unless(Pack::load(d.splat[7]) > zero, Pack::load(d.sum[1]));
  d_color.z = math::zero_unless(Pack::load(d.splat[8]) > zero, Pack::load(d.sum[2]));
  const auto add = [&](int k, int channel, Pack value) {
    add_to(out + (kLaneShPlane + 3 * k + channel) * task.gradient_stride, mask, value);
  };
  const Vec3<Pack> d_direction =
      sh_color_vjp(task.sh_degree, normalize(offset), lanes, d_color, add);
  return normalize_vjp(offset, d_direction);
}

HWY_INLINE SplatGradient<Pack> splat_gradient(const LaneGradients& d) {
  const Pack to_conic(-2.0F * kLn2), to_conic_xy(-kLn2), half(-0.5F);
  const Pack xx = Pack::load(d.splat[2]) * to_conic, xy = Pack::load(d.splat[3]) * to_conic_xy,
             yy = Pack::load(d.splat[4]) * to_conic;
  const Pack v_dx = Pack::load(d.sum[5]), v_dy = Pack::load(d.sum[6]);
  SplatGradient<Pack> g;
  g.mean = {xx * v_dx + xy * v_dy, xy * v_dx + yy * v_dy};
  g.depth = Pack::load(d.sum[3]);
  g.conic = {half * Pack::load(d.sum[7]), -Pack::load(d.sum[8]), half * Pack::load(d.sum[9])};
  g.opacity = Pack::load(d.sum[4]) / Pack::load(d.splat[15]);
  return g;
}

struct PoseSums {
  Vec3<Pack> omega{Pack(0.0F), Pack(0.0F), Pack(0.0F)};
  Vec3<Pack> translation{Pack(0.0F), Pack(0.0F), Pack(0.0F)};

  // The view direction's share: centre = -R^T t moves with the camera.
  HWY_INLINE void add(PackMask mask, const ProjectGradient<Pack>& r,
                      const SplatCamera<Pack>& camera, Vec3<Pack> d_offset) {
    const Vec3<Pack> in_camera = camera.rotation * d_offset;
    const Vec3<Pack> turn = r.omega - math::cross(camera.translation, in_camera);
    const Vec3<Pack> move = r.translation + in_camera;
    const auto kept = [&](Pack a) { return math::zero_unless(mask, a); };
    omega = omega + Vec3<Pack>{kept(turn.x), kept(turn.y), kept(turn.z)};
    translation = translation + Vec3<Pack>{kept(move.x), kept(move.y), kept(move.z)};
  }
};

}  // namespace

PoseGradient project_gaussians_backward(const ProjectBackwardTask& task, int64_t begin,
                                        int64_t end) {
  const SplatCamera<Pack> camera = make_splat_camera<Pack>(task.camera);
  const Vec3<Pack> center = center_lanes(task.camera);
  const Pack zero(0.0F), ln2(kLn2);
  PoseSums pose;
  for (int64_t i = begin; i < end; i += math::kPackLanes) {
    const PackMask mask = Pack::load(task.radii + i) > zero;
    if (math::none(mask)) {
      zero.store(task.mean2d_x + i);
      zero.store(task.mean2d_y + i);
      if (task.absolute) {
        zero.store(task.absolute_mean2d_x + i);
        zero.store(task.absolute_mean2d_y + i);
      }
      continue;
    }
    LaneGradients d;
    d.load(task, i, math::bits_of(mask));
    const GaussianLanes lanes = {task.parameters + i, task.stride};
    const SplatGradient<Pack> ds = splat_gradient(d);
    const ProjectGradient<Pack> r = project_vjp(lanes.gaussian(), camera, task.antialiased, ds);
    float* out = task.gradients + i;
    const Vec3<Pack> d_offset = color_backward(task, lanes, out, mask, lanes.mean() - center, d);
    const Vec3<Pack> d_mean = r.gaussian.mean + d_offset;
    const Pack values[11] = {d_mean.x,
                             d_mean.y,
                             d_mean.z,
                             r.gaussian.log_scale.x,
                             r.gaussian.log_scale.y,
                             r.gaussian.log_scale.z,
                             r.gaussian.quaternion.w,
                             r.gaussian.quaternion.x,
                             r.gaussian.quaternion.y,
                             r.gaussian.quaternion.z,
                             r.gaussian.opacity_logit};
    for (int p = 0; p < 11; ++p) add_to(out + p * task.gradient_stride, mask, values[p]);
    math::zero_unless(mask, ds.mean.x).store(task.mean2d_x + i);
    math::zero_unless(mask, ds.mean.y).store(task.mean2d_y + i);
    if (task.absolute) {
      (Pack::load(d.sum[10]) * ln2).store(task.absolute_mean2d_x + i);
      (Pack::load(d.sum[11]) * ln2).store(task.absolute_mean2d_y + i);
    }
    if (task.pose) pose.add(mask, r, camera, d_offset);
  }
  PoseGradient sum;
  if (task.pose) {
    const Pack omega[3] = {pose.omega.x, pose.omega.y, pose.omega.z};
    const Pack move[3] = {pose.translation.x, pose.translation.y, pose.translation.z};
    for (int c = 0; c < 3; ++c) {
      sum.omega[c] = math::sum_of_lanes(omega[c]);
      sum.translation[c] = math::sum_of_lanes(move[c]);
    }
  }
  return sum;
}

}  // namespace TESSERA_ISA
}  // namespace tessera::render
