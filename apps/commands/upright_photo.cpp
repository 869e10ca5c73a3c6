// SPDX-License-Identifier: MIT
#include "apps/commands/upright_photo.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "assets/photos/photo_loader.h"
#include "core/shrink.h"

namespace tessera::apps {

UprightPhoto read_upright(const std::filesystem::path& path, int resolution, core::Log& log) {
  UprightPhoto photo;
  photo.info = assets::probe_image(path);
  const core::Image8 stored = assets::read_image(path);
  if (stored.channels == 4) {
    log.info("{} has transparent pixels: they are laid over black.", path.filename().string());
  }
  photo.rgb = assets::oriented(rgb_of(stored), photo.info.exif_orientation);
  photo.full_width = photo.rgb.width;
  if (resolution > 1) {
    core::Photo whole;
    whole.pixels = std::move(photo.rgb);
    core::Camera camera;
    camera.width = whole.pixels.width;
    camera.height = whole.pixels.height;
    camera = reduced(camera, resolution);
    photo.rgb = core::shrink(whole, camera.width, camera.height).pixels;
  }
  return photo;
}

core::Image8 rgb_of(const core::Image8& image) {
  if (image.channels == 3) return image;
  return assets::to_image8(assets::over_background(image, {0, 0, 0}));
}

core::Camera reduced(const core::Camera& camera, int resolution) {
  assets::PhotoOptions options;
  options.resolution = resolution;
  return assets::at_final_size(camera, 1, options);
}

core::PosedCamera camera_of(const UprightPhoto& photo, const Photo3dOptions& options,
                            core::Log& log) {
  const int width = photo.rgb.width;
  const int height = photo.rgb.height;
  const int longer = std::max(width, height);
  double focal = longer;
  if (options.focal_px > 0) {
    focal = options.focal_px * width / photo.full_width;
  } else if (options.fov_deg > 0) {
    focal = 0.5 * height / std::tan(0.5 * options.fov_deg * std::numbers::pi / 180);
  } else if (photo.info.focal_35mm > 0) {
    constexpr double kFilmWidth = 36;
    focal = photo.info.focal_35mm * longer / kFilmWidth;
    log.info("The photo says {} mm on 35 mm film: a focal length of {:.0f} pixels.",
             photo.info.focal_35mm, focal);
  } else {
    log.info(
        "The photo does not say its focal length: it is taken as its longer side, {} pixels; "
        "--focal or --fov gives it.",
        longer);
  }
  core::PosedCamera camera;
  camera.camera.width = width;
  camera.camera.height = height;
  camera.camera.fx = camera.camera.fy = focal;
  camera.camera.cx = 0.5 * width;
  camera.camera.cy = 0.5 * height;
  return camera;
}

}  // namespace tessera::apps
