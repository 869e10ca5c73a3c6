// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/reference_render.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "render/gaussian/splat_math.h"

namespace tessera::render {
namespace {

using Vec3d = math::Vec3<double>;

struct ReferenceSplat {
  int64_t gaussian = 0;
  Splat<double> splat;
  Vec3d color = {0, 0, 0};  // clamped at 0
  Vec3d normal = {0, 0, 0};
  double radius = 0;
};

// What one pixel saw of one splat.
struct Blended {
  int64_t order = 0;  // of the splat
  double alpha = 0;
  double transmittance = 0;  // before it
  bool at_ceiling = false;
};

SplatCamera<double> splat_camera(const ReferenceScene& scene) {
  return make_splat_camera<double>(camera_values(scene.camera));
}

Gaussian<double> gaussian(const ReferenceScene& s, int64_t i) {
  constexpr int kScale = core::kLogScalePlane;
  constexpr int kQuaternion = core::kQuaternionPlane;
  return {{s.value(0, i), s.value(1, i), s.value(2, i)},
          {s.value(kScale, i), s.value(kScale + 1, i), s.value(kScale + 2, i)},
          {s.value(kQuaternion, i), s.value(kQuaternion + 1, i), s.value(kQuaternion + 2, i),
           s.value(kQuaternion + 3, i)},
          s.value(core::kOpacityPlane, i)};
}

auto coefficients(const ReferenceScene& scene, int64_t i) {
  return
      [&scene, i](int k, int channel) { return scene.value(core::kShPlane + 3 * k + channel, i); };
}

int sh_degree(const ReferenceScene& scene) {
  int own = 0;
  while (core::plane_count(own) < scene.planes) ++own;
  return std::min(own, scene.options.sh_degree);
}

Vec3d offset_from_camera(const ReferenceScene& scene, int64_t i) {
  const Vec3d mean = {scene.value(0, i), scene.value(1, i), scene.value(2, i)};
  return mean - core::center_in_world(scene.camera.cam_from_world);
}

// Half the larger extent of the level set alpha = 1/255; 0 if it touches no pixel's centre.
double visible_radius(const Splat<double>& s, const core::Camera& camera) {
  const double reach = 2 * std::log(s.opacity / SplatLimits::kMinAlpha);
  if (!(reach >= 0)) return 0;
  const double half_width = std::sqrt(reach * s.covariance.xx);
  const double half_height = std::sqrt(reach * s.covariance.yy);
  const bool inside = s.mean.x + half_width >= 0.5 && s.mean.y + half_height >= 0.5 &&
                      s.mean.x - half_width <= camera.width - 0.5 &&
                      s.mean.y - half_height <= camera.height - 0.5;
  return inside ? std::max(half_width, half_height) : 0;
}

std::array<double, 10> sort_key(const ReferenceSplat& s) {
  const Splat<double>& p = s.splat;
  return {p.depth,     p.mean.x,  p.mean.y,  -p.conic.xx, -p.conic.xy,
          -p.conic.yy, p.opacity, s.color.x, s.color.y,   s.color.z};
}

// The splats before the near plane that are finite, in the order of blending.
std::vector<ReferenceSplat> ordered_splats(const ReferenceScene& scene) {
  const SplatCamera<double> camera = splat_camera(scene);
  const int degree = sh_degree(scene);
  std::vector<ReferenceSplat> splats;
  for (int64_t i = 0; i < scene.count; ++i) {
    const Gaussian<double> g = gaussian(scene, i);
    const Vec3d point = camera.rotation * g.mean + camera.translation;
    if (!(point.z > scene.options.near_plane) || !within_lens(point, camera)) continue;
    ReferenceSplat s;
    s.gaussian = i;
    s.splat = project(g, camera, scene.options.antialiased);
    if (!std::isfinite(s.splat.conic.xx + s.splat.conic.xy + s.splat.conic.yy)) continue;
    if (!std::isfinite(s.splat.mean.x + s.splat.mean.y + s.splat.opacity)) continue;
    const Vec3d color =
        sh_color(degree, normalize(offset_from_camera(scene, i)), coefficients(scene, i));
    s.color = {std::max(color.x, 0.0), std::max(color.y, 0.0), std::max(color.z, 0.0)};
    s.normal = splat_normal(g, camera);
    s.radius = visible_radius(s.splat, scene.camera.camera);
    splats.push_back(s);
  }
  std::sort(splats.begin(), splats.end(), [&](const ReferenceSplat& a, const ReferenceSplat& b) {
    const auto key_a = sort_key(a), key_b = sort_key(b);
    return key_a != key_b ? key_a < key_b
                          : tie_key(scene.ids[a.gaussian]) < tie_key(scene.ids[b.gaussian]);
  });
  return splats;
}

// The exponent of alpha at a pixel.
double power(const Splat<double>& s, double dx, double dy) {
  return -0.5 * (s.conic.xx * dx * dx + s.conic.yy * dy * dy) - s.conic.xy * dx * dy;
}

// Blends pixel (x, y) and returns the transmittance behind the last splat.
double blend_pixel(const std::vector<ReferenceSplat>& splats, int x, int y,
                   std::vector<Blended>& blended) {
  blended.clear();
  double transmittance = 1;
  for (size_t k = 0; k < splats.size(); ++k) {
    const Splat<double>& s = splats[k].splat;
    const double exponent = power(s, x + 0.5 - s.mean.x, y + 0.5 - s.mean.y);
    if (exponent < -6) continue;  // e^-6 < 1/255, and opacity is at most 1
    const double unbounded = s.opacity * std::exp(exponent);
    if (unbounded < SplatLimits::kMinAlpha) continue;
    const double alpha = std::min(SplatLimits::kMaxAlpha, unbounded);
    const double next = transmittance * (1 - alpha);
    if (next < SplatLimits::kMinTransmittance) break;
    blended.push_back(
        {static_cast<int64_t>(k), alpha, transmittance, unbounded > SplatLimits::kMaxAlpha});
    transmittance = next;
  }
  return transmittance;
}

void mix(uint64_t& hash, uint64_t value) {
  hash = (hash ^ value) * 0x100000001B3U;  // FNV-1a
}

}  // namespace

ReferenceScene::ReferenceScene(const core::GaussianCloud& cloud, const core::PosedCamera& posed,
                               const RasterizeOptions& rasterize_options)
    : count(cloud.size()),
      planes(cloud.parameters.plane_count()),
      ids(cloud.ids.begin(), cloud.ids.end()),
      camera(posed),
      options(rasterize_options),
      background{options.background.x, options.background.y, options.background.z} {
  parameters.reserve(planes * count);
  for (int p = 0; p < planes; ++p) {
    parameters.insert(parameters.end(), cloud.plane(p), cloud.plane(p) + count);
  }
}

ReferencePictures reference_render(const ReferenceScene& scene) {
  const std::vector<ReferenceSplat> splats = ordered_splats(scene);
  const int64_t pixels = scene.pixel_count();
  ReferencePictures out;
  out.color.assign(3 * pixels, 0);
  out.normal.assign(3 * pixels, 0);
  for (auto* picture : {&out.alpha, &out.depth, &out.depth_variance, &out.median_depth}) {
    picture->assign(pixels, 0);
  }
  out.radii.assign(scene.count, 0);
  for (const ReferenceSplat& s : splats) {
    out.radii[s.gaussian] = s.radius;
    out.visible += s.radius > 0 ? 1 : 0;
  }
  std::vector<Blended> blended;
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    const int x = static_cast<int>(pixel % scene.camera.camera.width);
    const int y = static_cast<int>(pixel / scene.camera.camera.width);
    const double behind = blend_pixel(splats, x, y, blended);
    Vec3d color = scene.background * behind;
    Vec3d normal = {0, 0, 0};
    double depth = 0, depth2 = 0;
    for (const Blended& b : blended) {
      const ReferenceSplat& s = splats[b.order];
      const double weight = b.alpha * b.transmittance;
      const double z = s.splat.depth;
      color = color + s.color * weight;
      normal = normal + s.normal * weight;
      depth += weight * z;
      depth2 += weight * z * z;
      const bool crosses = b.transmittance >= 0.5 && b.transmittance * (1 - b.alpha) < 0.5;
      if (crosses) out.median_depth[pixel] = z;
      mix(out.decisions, static_cast<uint64_t>(s.gaussian) * 2 + (b.at_ceiling ? 1 : 0));
    }
    mix(out.decisions, ~uint64_t{0});
    const double alpha = 1 - behind;
    out.alpha[pixel] = alpha;
    if (alpha > 0) {
      out.depth[pixel] = depth / alpha;
      out.depth_variance[pixel] =
          std::max(0.0, depth2 / alpha - out.depth[pixel] * out.depth[pixel]);
    }
    const double colors[3] = {color.x, color.y, color.z};
    const double normals[3] = {normal.x, normal.y, normal.z};
    std::copy_n(colors, 3, out.color.begin() + 3 * pixel);
    std::copy_n(normals, 3, out.normal.begin() + 3 * pixel);
  }
  return out;
}

namespace {

// Gradients of the splats, by their place in the order.
struct SplatSums {
  SplatGradient<double> splat = {{0, 0}, 0, {0, 0, 0}, 0};
  Vec3d color = {0, 0, 0};
  math::Vec2<double> absolute_mean = {0, 0};
};

// Adds what alpha's gradient at (dx, dy) from the mean gives to the splat's.
void add_alpha_gradient(const Splat<double>& s, double dx, double dy, double alpha, double d_alpha,
                        SplatSums& sums) {
  const double d_power = alpha * d_alpha;
  const double d_mean_x = d_power * (s.conic.xx * dx + s.conic.xy * dy);
  const double d_mean_y = d_power * (s.conic.yy * dy + s.conic.xy * dx);
  sums.splat.opacity += d_power / s.opacity;
  sums.splat.conic.xx -= 0.5 * dx * dx * d_power;
  sums.splat.conic.xy -= dx * dy * d_power;
  sums.splat.conic.yy -= 0.5 * dy * dy * d_power;
  sums.splat.mean.x += d_mean_x;
  sums.splat.mean.y += d_mean_y;
  sums.absolute_mean.x += std::fabs(d_mean_x);
  sums.absolute_mean.y += std::fabs(d_mean_y);
}

double at(const std::vector<double>& picture, int64_t i) {
  return picture.empty() ? 0 : picture[i];
}

// Walks a pixel's splats back to front.
void pixel_vjp(const ReferenceScene& scene, const std::vector<ReferenceSplat>& splats,
               const ReferencePictureGradients& d, int64_t pixel,
               const std::vector<Blended>& blended, double behind, std::vector<SplatSums>& sums,
               ReferenceGradients& out) {
  const int x = static_cast<int>(pixel % scene.camera.camera.width);
  const int y = static_cast<int>(pixel / scene.camera.camera.width);
  const Vec3d d_color = {at(d.color, 3 * pixel), at(d.color, 3 * pixel + 1),
                         at(d.color, 3 * pixel + 2)};
  // depth = sum / alpha
  const double alpha_total = 1 - behind;
  double d_depth_sum = 0, d_alpha_total = at(d.alpha, pixel);
  if (alpha_total > 0) {
    double depth_sum = 0;
    for (const Blended& b : blended) {
      depth_sum += b.alpha * b.transmittance * splats[b.order].splat.depth;
    }
    d_depth_sum = at(d.depth, pixel) / alpha_total;
    d_alpha_total -= d_depth_sum * depth_sum / alpha_total;
  }
  out.background = out.background + d_color * behind;
  double suffix = behind * (math::dot(d_color, scene.background) - d_alpha_total);
  for (size_t k = blended.size(); k-- > 0;) {
    const Blended& b = blended[k];
    const ReferenceSplat& s = splats[b.order];
    SplatSums& sum = sums[b.order];
    const double weight = b.alpha * b.transmittance;
    const double d_weight = math::dot(d_color, s.color) + d_depth_sum * s.splat.depth;
    sum.color = sum.color + d_color * weight;
    sum.splat.depth += d_depth_sum * weight;
    const double d_alpha = b.transmittance * d_weight - suffix / (1 - b.alpha);
    suffix += weight * d_weight;
    if (b.at_ceiling) continue;
    add_alpha_gradient(s.splat, x + 0.5 - s.splat.mean.x, y + 0.5 - s.splat.mean.y, b.alpha,
                       d_alpha, sum);
  }
}

// From a splat's gradients to those of its Gaussian and of the camera.
void gaussian_vjp(const ReferenceScene& scene, const SplatCamera<double>& camera,
                  const ReferenceSplat& s, const SplatSums& sums, ReferenceGradients& out) {
  const int64_t i = s.gaussian;
  const auto add = [&](int plane, double value) {
    out.parameters[plane * scene.count + i] += value;
  };
  const ProjectGradient<double> p =
      project_vjp(gaussian(scene, i), camera, scene.options.antialiased, sums.splat);
  const Vec3d offset = offset_from_camera(scene, i);
  const Vec3d d_color = {s.color.x > 0 ? sums.color.x : 0, s.color.y > 0 ? sums.color.y : 0,
                         s.color.z > 0 ? sums.color.z : 0};
  const Vec3d d_direction = sh_color_vjp(
      sh_degree(scene), normalize(offset), coefficients(scene, i), d_color,
      [&](int k, int channel, double value) { add(core::kShPlane + 3 * k + channel, value); });
  const Vec3d d_offset = normalize_vjp(offset, d_direction);
  const Gaussian<double>& g = p.gaussian;
  const double values[core::kShPlane] = {
      g.mean.x + d_offset.x, g.mean.y + d_offset.y, g.mean.z + d_offset.z, g.log_scale.x,
      g.log_scale.y,         g.log_scale.z,         g.quaternion.w,        g.quaternion.x,
      g.quaternion.y,        g.quaternion.z,        g.opacity_logit};
  for (int plane = 0; plane < core::kShPlane; ++plane) add(plane, values[plane]);
  out.mean2d[i] = sums.splat.mean;
  out.absolute_mean2d[i] = sums.absolute_mean;
  // offset = mean + R^T t moves with the camera too.
  const Vec3d in_camera = camera.rotation * d_offset;
  out.camera_rotation = out.camera_rotation + p.omega - math::cross(camera.translation, in_camera);
  out.camera_translation = out.camera_translation + p.translation + in_camera;
}

}  // namespace

ReferenceGradients reference_render_vjp(const ReferenceScene& scene,
                                        const ReferencePictureGradients& gradients) {
  const std::vector<ReferenceSplat> splats = ordered_splats(scene);
  ReferenceGradients out;
  out.parameters.assign(scene.planes * scene.count, 0);
  out.mean2d.assign(scene.count, {0, 0});
  out.absolute_mean2d.assign(scene.count, {0, 0});
  std::vector<SplatSums> sums(splats.size());
  std::vector<Blended> blended;
  for (int64_t pixel = 0; pixel < scene.pixel_count(); ++pixel) {
    const int x = static_cast<int>(pixel % scene.camera.camera.width);
    const int y = static_cast<int>(pixel / scene.camera.camera.width);
    const double behind = blend_pixel(splats, x, y, blended);
    pixel_vjp(scene, splats, gradients, pixel, blended, behind, sums, out);
  }
  const SplatCamera<double> camera = splat_camera(scene);
  for (size_t k = 0; k < splats.size(); ++k) {
    gaussian_vjp(scene, camera, splats[k], sums[k], out);
  }
  return out;
}

}  // namespace tessera::render
