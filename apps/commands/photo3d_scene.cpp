// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/commands/photo3d_sources.h"
#include "apps/commands/progress.h"
#include "apps/commands/scene_view.h"
#include "apps/commands/upright_photo.h"
#include "assets/io.h"
#include "core/error.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::apps {

// The scene is drawn from its camera; where Gaussians of many depths make up a pixel, its depth is
// trusted less.
Photo3dInput gaussian_scene(const Photo3dOptions& options, core::ThreadPool& pool, core::Log& log) {
  Photo3dInput input;
  input.kind = "a Gaussian scene";
  core::GaussianScene scene = assets::read_scene(options.scene_view.scene);
  for (const std::string& note : scene.notes) log.info("{}", note);
  const RenderViews views = render_views(options.scene_view, scene, log);
  if (views.views.size() != 1) {
    throw core::UsageError("--camera",
                           "of a scene one view is made: name the photo of the capture, "
                           "or a position and target");
  }
  core::PosedCamera camera = views.views[0].camera;
  if (!core::is_pinhole(camera.camera)) {
    camera.camera.model = core::CameraModel::kPinhole;
    camera.camera.distortion = {};
    log.info("The camera's distortion is left out.");
  }
  camera.camera = reduced(camera.camera, options.resolution);
  render::RasterizeOptions draw;
  draw.sh_degree = scene.cloud.sh_degree;
  draw.antialiased = scene.antialiased;
  draw.depth = true;
  render::RenderOutput output;
  render::make_rasterizer("cpu", pool)->forward(scene.cloud, camera, draw, output);
  input.photo.camera = camera;
  input.photo.photo = assets::to_image8(output.color);
  input.photo.inverse_depth.resize(camera.camera.width, camera.camera.height, 1);
  input.photo.weight.resize(camera.camera.width, camera.camera.height, 1);
  constexpr float kCovered = 0.5F;
  int64_t known = 0;
  for (int64_t i = 0; i < output.depth.pixel_count(); ++i) {
    const float depth = output.depth.data[i];
    const bool covered = output.alpha.data[i] >= kCovered && depth > 0;
    known += covered ? 1 : 0;
    input.photo.inverse_depth.data[i] = covered ? 1 / depth : 0;
    // Of inverse depth, to first order.
    const float deviation =
        covered ? std::sqrt(std::max(output.depth_variance.data[i], 0.0F)) / depth : 0;
    constexpr float kExact = 0.02F;
    input.photo.weight.data[i] = kExact * kExact / (kExact * kExact + deviation * deviation);
  }
  if (known == 0) {
    throw core::Error(fmt::format("{}: no Gaussian is seen from there; give another --camera.",
                                  options.scene_view.scene.string()));
  }
  // In the numbers of the scene's file.
  input.photo.camera = shifted(camera, -origin_of(scene));
  log.info("Drew {} at {}x{}; a unit is the scene's.", plural(scene.cloud.size(), "Gaussian"),
           camera.camera.width, camera.camera.height);
  return input;
}

}  // namespace tessera::apps
