// The differentiable Gaussian rasterizer: what every backend gives.
//
// Kerbl et al., "3D Gaussian Splatting for Real-Time Radiance Field Rendering", 2023; antialiasing
// as in Yu et al., "Mip-Splatting", 2024 (opacity compensated for the dilation).
// Splats are blended front to back in the order of depth, then of the projected splat's own bits,
// then of the id's low half. Results are the same bit for bit for any number of threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/array.h"
#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "core/image.h"
#include "core/math/vec.h"
#include "core/thread_pool.h"
#include "render/gaussian/stage_times.h"

namespace tessera::render {

// Orders splats of equal bits, such as those of a Gaussian and its clone: half an id, since half is
// what a message to another rank has room for.
constexpr uint32_t tie_key(uint64_t id) {
  return static_cast<uint32_t>(id);
}

struct RasterizeOptions {
  int sh_degree = core::kMaxShDegree;  // degrees used, at most the cloud's own
  bool antialiased = false;
  float near_plane = 0.01F;  // what is nearer along z is not drawn
  math::Vec3<float> background = {0, 0, 0};
  bool depth = false;    // also depth, depth_variance and median_depth
  bool normals = false;  // also normals
};

// T_i: transmittance before splat i; w_i = alpha_i T_i. Pictures are [H][W][channels].
struct RenderOutput {
  core::ImageF color;           // 3: sum w_i c_i + T_end background; sRGB, not clamped above
  core::ImageF alpha;           // 1: 1 - T_end
  core::ImageF depth;           // 1: sum w_i z_i / alpha along the camera's z; 0 where alpha is 0
  core::ImageF depth_variance;  // 1: sum w_i z_i^2 / alpha - depth^2
  core::ImageF median_depth;    // 1: z of the splat at which T falls below 1/2; 0 if none
  core::ImageF normal;  // 3: sum w_i n_i in camera axes; n = shortest axis, turned to the camera
};

// dL/d of the pictures above; an empty one counts as zero. `color` must not be empty.
struct RenderOutputGradient {
  core::ImageF color;
  core::ImageF alpha;
  core::ImageF depth;
};

// What backward gives. It adds to `parameters`, `camera_*` and `background`, which callers zero,
// and overwrites the rest.
struct RasterizeGradient {
  core::Planes parameters;  // same planes and size as the cloud's
  // Per Gaussian, of the last view: dL/d(projected mean) in 1/pixels, and the same with the
  // absolute value taken per pixel before the sum (only if `absolute` is set). Zero where not
  // visible.
  bool absolute = false;
  core::Array<float> mean2d_x, mean2d_y;
  core::Array<float> absolute_mean2d_x, absolute_mean2d_y;
  // dL/d of cam_from_world: a left rotation exp([omega]x) R, and the translation (only if `pose`).
  bool pose = false;
  math::Vec3<double> camera_rotation = {0, 0, 0};
  math::Vec3<double> camera_translation = {0, 0, 0};
  math::Vec3<double> background = {0, 0, 0};
};

// Counts of the last forward, for profiles and benchmarks.
struct RasterizeCounts {
  int64_t visible = 0;          // Gaussians projected into the picture
  int64_t tile_pairs = 0;       // (tile, splat) entries
  int64_t evaluated_pairs = 0;  // (pixel, splat) evaluations, lanes of partly used vectors included
};

class Rasterizer {
 public:
  virtual ~Rasterizer() = default;

  // Draws `cloud` from `camera` (any model and principal point; what lies beyond 89 degrees from
  // the axis, or where a lens folds back, is not drawn) and keeps what backward needs. Throws
  // core::Error for a picture without pixels, a focal length that is not positive or a degree
  // beyond 4.
  void forward(const core::GaussianCloud& cloud, const core::PosedCamera& camera,
               const RasterizeOptions& options, RenderOutput& output);

  // Gradients of the last forward; `cloud` is the one given there, unchanged.
  void backward(const core::GaussianCloud& cloud, const RenderOutputGradient& output_gradient,
                RasterizeGradient& gradient);

  // Per Gaussian of the last forward: half the larger extent of the projected splat's level set
  // alpha = 1/255, in pixels; 0 where not visible.
  virtual std::span<const float> radii() const = 0;
  virtual RasterizeCounts counts() const = 0;
  // Appends the stages timed since the last call and resets them.
  virtual void take_stage_times(std::vector<StageTime>& times) = 0;

 private:
  virtual void forward_impl(const core::GaussianCloud& cloud, const core::PosedCamera& camera,
                            const RasterizeOptions& options, RenderOutput& output) = 0;
  virtual void backward_impl(const core::GaussianCloud& cloud,
                             const RenderOutputGradient& output_gradient,
                             RasterizeGradient& gradient) = 0;

  core::PosedCamera camera_;
  int64_t cloud_size_ = -1;
};

// The table of backends: "cpu" and "reference" (double, brute force: for tests).
struct RasterizerEntry {
  std::string_view name;
  std::unique_ptr<Rasterizer> (*make)(core::ThreadPool& pool);
};
std::span<const RasterizerEntry> rasterizers();

// Throws core::UsageError naming the known ones if there is none of that name. `pool` must outlive
// it.
std::unique_ptr<Rasterizer> make_rasterizer(std::string_view name, core::ThreadPool& pool);

}  // namespace tessera::render
