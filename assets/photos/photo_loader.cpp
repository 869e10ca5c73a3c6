// SPDX-License-Identifier: MIT
#include "assets/photos/photo_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assets/photos/image_io.h"
#include "assets/photos/undistort.h"
#include "core/error.h"
#include "core/shrink.h"

namespace tessera::assets {
namespace {

constexpr uint8_t kKeepFrom = 128;  // mask and alpha values from here on keep a pixel

// The picture as its camera sees it: turned if only that makes the sizes agree.
core::Image8 read_for_camera(const core::CaptureView& view) {
  core::Image8 image = read_image(view.image_path);
  const core::Camera& camera = view.camera;
  if (image.width == camera.width && image.height == camera.height) return image;
  const int orientation = probe_image(view.image_path).exif_orientation;
  if (orientation >= 5 && image.height == camera.width && image.width == camera.height) {
    return oriented(image, orientation);
  }
  throw core::IoError(view.image_path,
                      fmt::format("the photo is {} x {} pixels but its camera is {} x {}; use the "
                                  "photos that the cameras were made from",
                                  image.width, image.height, camera.width, camera.height));
}

core::Image8 rgb_of_grey(const core::Image8& grey) {
  core::Image8 rgb(grey.width, grey.height, 3);
  for (int64_t i = 0; i < grey.pixel_count(); ++i) {
    std::fill_n(rgb.data.data() + 3 * i, 3, grey.data[i]);
  }
  return rgb;
}

// Takes alpha out of `photo.pixels`; it becomes the mask.
void alpha_to_mask(core::Photo& photo) {
  const core::Image8& rgba = photo.pixels;
  core::Image8 rgb(rgba.width, rgba.height, 3);
  photo.mask = core::Image8(rgba.width, rgba.height, 1);
  for (int64_t i = 0; i < rgba.pixel_count(); ++i) {
    std::copy_n(rgba.data.data() + 4 * i, 3, rgb.data.data() + 3 * i);
    photo.mask.data[i] = rgba.data[4 * i + 3] >= kKeepFrom ? 255 : 0;
  }
  photo.pixels = std::move(rgb);
}

bool same_ratio(const core::Image8& a, int width, int height) {
  return std::abs(static_cast<double>(a.height) * width / a.width - height) <= 1 ||
         std::abs(static_cast<double>(a.width) * height / a.height - width) <= 1;
}

// Masks out what the mask file leaves out. It may be of another size than the photo.
void apply_mask_file(const std::filesystem::path& path, bool invert, core::Photo& photo) {
  const core::Image8 file = read_image(path);
  const int width = photo.pixels.width;
  const int height = photo.pixels.height;
  if (!same_ratio(file, width, height)) {
    throw core::IoError(path, fmt::format("the mask is {} x {} pixels but its photo is {} x {}, "
                                          "another shape; make the mask from that photo",
                                          file.width, file.height, width, height));
  }
  if (photo.mask.empty()) {
    photo.mask = core::Image8(width, height, 1);
    photo.mask.data.fill(255);
  }
  for (int y = 0; y < height; ++y) {
    const int sy = static_cast<int>((y + 0.5) * file.height / height);
    for (int x = 0; x < width; ++x) {
      const int sx = static_cast<int>((x + 0.5) * file.width / width);
      const bool white = file.at(sx, sy) >= kKeepFrom;
      if (white == invert) photo.mask.at(x, y) = 0;
    }
  }
}

// A mask that keeps all says nothing.
void drop_full_mask(core::Photo& photo) {
  const auto is_full = [](uint8_t value) { return value == 255; };
  if (std::all_of(photo.mask.data.begin(), photo.mask.data.end(), is_full)) {
    photo.mask = core::Image8();
  }
}

// Nothing can depend on pixels that count for nothing.
void blacken_masked(core::Photo& photo) {
  const int channels = photo.pixels.channels;
  for (int64_t i = 0; i < photo.mask.data.size(); ++i) {
    if (photo.mask.data[i] == 0) std::fill_n(photo.pixels.data.data() + i * channels, channels, 0);
  }
}

// Depth in metres at the centers of the final pixels, from the nearest pixel of the file.
core::ImageF load_depth(const core::CaptureView& view, const PhotoGeometry& geometry) {
  const Image16 file = read_image16(view.depth_path);
  const core::Camera& camera = geometry.output;
  const Undistortion undistortion(view.camera, camera);
  const double scale_x = static_cast<double>(file.width) / view.camera.width;
  const double scale_y = static_cast<double>(file.height) / view.camera.height;
  std::vector<float> sources;
  core::ImageF depth(camera.width, camera.height, 1);
  for (int y = 0; y < camera.height; ++y) {
    if (geometry.undistorted) undistortion.sources(y, sources);
    for (int x = 0; x < camera.width; ++x) {
      double source_x = (x + 0.5) * view.camera.width / camera.width;
      double source_y = (y + 0.5) * view.camera.height / camera.height;
      if (geometry.undistorted) {
        source_x = sources[2 * x];
        source_y = sources[2 * x + 1];
      }
      const int sx = std::min(static_cast<int>(source_x * scale_x), file.width - 1);
      const int sy = std::min(static_cast<int>(source_y * scale_y), file.height - 1);
      constexpr float kMetresPerUnit = 1e-3F;
      depth.at(x, y) = source_x < 0 ? 0 : kMetresPerUnit * static_cast<float>(file.at(sx, sy));
    }
  }
  return depth;
}

int rounded_side(double length) {
  return std::max(1, static_cast<int>(length + 0.5));
}

}  // namespace

core::Camera at_final_size(const core::Camera& full, int prescaled, const PhotoOptions& options) {
  const int resolution = options.resolution;
  if (resolution < 1 || (resolution < 9 && resolution != 1 && resolution != 2 && resolution != 4 &&
                         resolution != 8)) {
    throw core::UsageError("--resolution",
                           fmt::format("{} is neither 1, 2, 4 or 8 to divide the photos' size by "
                                       "nor a width of at least 9 pixels; give one of these",
                                       resolution));
  }
  double exact_width = full.width;
  if (resolution <= 8) {
    exact_width *= static_cast<double>(std::min(prescaled, resolution)) / resolution;
  } else {
    exact_width = std::min<double>(exact_width, resolution);
  }
  int width = rounded_side(exact_width);
  int height = rounded_side(static_cast<double>(full.height) * width / full.width);
  const int limit = options.max_resolution;
  if (limit > 0 && std::max(width, height) > limit) {
    // From the longer side: rounded from the shorter one it could miss the limit.
    const double ratio = static_cast<double>(limit) / std::max(full.width, full.height);
    width = rounded_side(full.width * ratio);
    height = rounded_side(full.height * ratio);
  }
  return core::scaled(full, width, height);
}

PhotoGeometry photo_geometry(const core::CaptureView& view, const PhotoOptions& options) {
  PhotoGeometry geometry;
  geometry.full = view.camera;
  const bool pinhole = core::is_pinhole(view.camera);
  if (pinhole || !options.native_camera) {
    const PinholeCamera undone = pinhole_of(view.camera);
    geometry.full = undone.camera;
    geometry.undistorted = !pinhole;
    geometry.cropped = undone.cropped;
  }
  geometry.output = at_final_size(geometry.full, view.prescaled, options);
  return geometry;
}

core::Photo load_photo(const core::CaptureView& view, const PhotoGeometry& geometry,
                       bool alpha_is_opacity, const PhotoOptions& options) {
  core::Photo photo;
  photo.pixels = read_for_camera(view);
  if (photo.pixels.channels == 1) photo.pixels = rgb_of_grey(photo.pixels);
  if (photo.pixels.channels == 4 && !alpha_is_opacity) alpha_to_mask(photo);
  if (!view.mask_path.empty()) apply_mask_file(view.mask_path, options.invert_masks, photo);
  drop_full_mask(photo);
  if (geometry.undistorted) {
    photo = undistort(photo, view.camera, geometry.full);
    drop_full_mask(photo);
  }
  const core::Camera& output = geometry.output;
  if (output.width != photo.pixels.width || output.height != photo.pixels.height) {
    photo = core::shrink(photo, output.width, output.height);
  }
  drop_full_mask(photo);
  blacken_masked(photo);
  if (options.load_depth && !view.depth_path.empty()) photo.depth = load_depth(view, geometry);
  photo.counts = counts_of(photo);
  return photo;
}

}  // namespace tessera::assets
