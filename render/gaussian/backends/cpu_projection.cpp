// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/cpu_projection.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace tessera::render {
namespace {

constexpr int64_t kPadding = 16;  // kernels store whole vectors

int64_t chunk_count(int64_t gaussians) {
  return (gaussians + kProjectChunk - 1) / kProjectChunk;
}

}  // namespace

void CpuProjection::forward(const core::GaussianCloud& cloud, const core::PosedCamera& camera,
                            const RasterizeOptions& options) {
  camera_ = camera_values(camera);
  sh_degree_ = std::min(options.sh_degree, cloud.sh_degree);
  antialiased_ = options.antialiased;
  count_ = cloud.size();
  splats_.resize(count_);
  splat_gradients_.resize(count_);
  radii_.resize(count_ + kPadding);
  chunk_visible_.resize(count_);
  const int64_t chunks = chunk_count(count_);
  chunk_counts_.resize(chunks);
  const ProjectTask task = {camera_,         cloud.plane(0),       cloud.parameters.stride(),
                            count_,          sh_degree_,           antialiased_,
                            options.normals, options.near_plane,   splats_.data(),
                            radii_.data(),   chunk_visible_.data()};
  pool_.parallel_for(chunks, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t c = begin; c < end; ++c) {
      chunk_counts_[c] =
          kernels_.project(task, c * kProjectChunk, std::min(count_, (c + 1) * kProjectChunk));
    }
  });
  visible_.clear();
  for (int64_t c = 0; c < chunks; ++c) {
    const int64_t at = visible_.size();
    if (chunk_counts_[c] == 0) continue;
    visible_.resize(at + chunk_counts_[c]);
    std::memcpy(visible_.data() + at, chunk_visible_.data() + c * kProjectChunk,
                sizeof(uint32_t) * chunk_counts_[c]);
  }
}

void CpuProjection::backward(const core::GaussianCloud& cloud, RasterizeGradient& gradient) {
  gradient.mean2d_x.resize(count_ + kPadding);
  gradient.mean2d_y.resize(count_ + kPadding);
  if (gradient.absolute) {
    gradient.absolute_mean2d_x.resize(count_ + kPadding);
    gradient.absolute_mean2d_y.resize(count_ + kPadding);
  }
  const ProjectBackwardTask task = {camera_,
                                    cloud.plane(0),
                                    gradient.parameters.plane(0),
                                    cloud.parameters.stride(),
                                    gradient.parameters.stride(),
                                    count_,
                                    sh_degree_,
                                    antialiased_,
                                    gradient.pose,
                                    gradient.absolute,
                                    splats_.data(),
                                    radii_.data(),
                                    splat_gradients_.data(),
                                    gradient.mean2d_x.data(),
                                    gradient.mean2d_y.data(),
                                    gradient.absolute_mean2d_x.data(),
                                    gradient.absolute_mean2d_y.data()};
  const int64_t chunks = chunk_count(count_);
  std::vector<PoseGradient> poses(chunks);
  pool_.parallel_for(chunks, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t c = begin; c < end; ++c) {
      poses[c] = kernels_.project_backward(task, c * kProjectChunk,
                                           std::min(count_, (c + 1) * kProjectChunk));
    }
  });
  for (const PoseGradient& p : poses) {
    gradient.camera_rotation =
        gradient.camera_rotation + math::Vec3<double>{p.omega[0], p.omega[1], p.omega[2]};
    gradient.camera_translation =
        gradient.camera_translation +
        math::Vec3<double>{p.translation[0], p.translation[1], p.translation[2]};
  }
  gradient.mean2d_x.resize(count_);
  gradient.mean2d_y.resize(count_);
  gradient.absolute_mean2d_x.resize(gradient.absolute ? count_ : 0);
  gradient.absolute_mean2d_y.resize(gradient.absolute ? count_ : 0);
}

}  // namespace tessera::render
