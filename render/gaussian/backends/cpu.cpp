// The CPU backend's order of work: project, sort by depth, bin into tiles, blend; and back.
//
// Everything that is summed across tiles or threads is written to a place of its own first and
// added in a fixed order, so results are the same bits for any number of threads. Buffers live
// across steps.
// SPDX-License-Identifier: MIT
#include "render/gaussian/backends/cpu.h"

#include "render/gaussian/backends/cpu_blending.h"
#include "render/gaussian/backends/cpu_kernel_table.h"
#include "render/gaussian/backends/cpu_projection.h"

namespace tessera::render {
namespace {

class CpuRasterizer final : public Rasterizer {
 public:
  explicit CpuRasterizer(core::ThreadPool& pool)
      : projection_(pool, chosen_cpu_kernels()), blending_(pool, chosen_cpu_kernels()) {}

  std::span<const float> radii() const override { return projection_.radii(); }
  RasterizeCounts counts() const override { return blending_.counts(); }
  void take_stage_times(std::vector<StageTime>& times) override {
    times_.take(times);
    blending_.take_stage_times(times);
  }

 private:
  void forward_impl(const core::GaussianCloud& cloud, const core::PosedCamera& camera,
                    const RasterizeOptions& options, RenderOutput& output) override {
    times_.timed("project", [&] { projection_.forward(cloud, camera, options); });
    blending_.forward({projection_.splats(), cloud.ids.data(), projection_.visible()},
                      {0, 0, camera.camera.width, camera.camera.height}, options, output);
  }

  void backward_impl(const core::GaussianCloud& cloud, const RenderOutputGradient& output_gradient,
                     RasterizeGradient& gradient) override {
    const math::Vec3<double> background =
        blending_.backward(output_gradient, gradient.absolute, projection_.splat_gradients());
    gradient.background = gradient.background + background;
    times_.timed("project backward", [&] { projection_.backward(cloud, gradient); });
  }

  CpuProjection projection_;
  CpuBlending blending_;
  StageTimes times_;
};

}  // namespace

const CpuKernels& chosen_cpu_kernels() {
  return *TESSERA_CHOOSE_KERNEL(core::chosen_isa(), kCpuKernels);
}

std::unique_ptr<Rasterizer> make_cpu_rasterizer(core::ThreadPool& pool) {
  return std::make_unique<CpuRasterizer>(pool);
}

}  // namespace tessera::render
