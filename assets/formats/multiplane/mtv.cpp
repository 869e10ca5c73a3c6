// MTV, the meshes that Ma et al., "3D Video Loops from Asynchronous Input", 2023, show in browsers:
// geometry.obj with a color at each corner, red where texels are those of static.png, green where
// they are those of dynamic/0000.png and so on, one a frame; straight alpha; and meta.json.
// Coordinates are those of the reference camera, x right, y down.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "assets/formats/multiplane/layer_mesh.h"
#include "assets/formats/multiplane/multiplane_formats.h"
#include "assets/formats/multiplane/straight_alpha.h"
#include "assets/photos/image_io.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"geometry.obj", "static.png", "meta.json"};
constexpr const char* kFrames = "dynamic";

std::string frame_name(size_t frame) {
  return fmt::format("{:04}.png", frame);
}

// Where pages stand that are joined to one picture, one below the other.
struct Joining {
  int width = 1;
  int height = 0;
  std::vector<int> tops;  // by page of the image; -1: of another picture
};

Joining joined(const core::MultiplaneImage& image, const std::vector<bool>& moves, bool moving) {
  Joining joining;
  for (size_t i = 0; i < image.pages.size(); ++i) {
    joining.tops.push_back(moves[i] == moving ? joining.height : -1);
    if (moves[i] != moving) continue;
    joining.width = std::max(joining.width, image.pages[i].width);
    joining.height += image.pages[i].height;
  }
  joining.height = std::max(joining.height, 1);
  return joining;
}

// `page_at` gives a page by its index.
core::Image8 picture_of(const Joining& joining, const auto& page_at) {
  core::Image8 picture(joining.width, joining.height, 4);
  picture.data.fill(0);
  for (size_t i = 0; i < joining.tops.size(); ++i) {
    if (joining.tops[i] < 0) continue;
    const core::Image8 page = straight_page(page_at(i));
    copy_pixels(page, 0, 0, picture, 0, joining.tops[i], page.width, page.height);
  }
  return picture;
}

std::string obj_text(const std::vector<LayerPatch>& patches, const Joining& still,
                     const Joining& moving) {
  std::string vertices, texels, faces;
  size_t first = 1;
  for (const LayerPatch& patch : patches) {
    const bool moves = still.tops[patch.page] < 0;
    const Joining& joining = moves ? moving : still;
    for (const LayerCorner& corner : patch.corners) {
      const auto& [x, y, z] = corner.in_camera;
      vertices += fmt::format("v {:.9g} {:.9g} {:.9g} {}\n", x, y, z, moves ? "0 1 0" : "1 0 0");
      texels += fmt::format("vt {:.9g} {:.9g}\n", corner.u / joining.width,
                            1 - (corner.v + joining.tops[patch.page]) / joining.height);
    }
    for (const auto& [a, b, c] : patch.triangles) {
      faces += fmt::format("f {0}/{0} {1}/{1} {2}/{2}\n", first + a, first + b, first + c);
    }
    first += patch.corners.size();
  }
  return vertices + texels + faces;
}

std::string meta_text(const core::Camera& camera, const InverseDepthRange& range,
                      size_t frame_count, double frames_per_second) {
  const double nearest = 1 / range.nearest;
  const double middle = 2 / (range.nearest + range.farthest);
  const double sideways = 0.05 * nearest;
  const nlohmann::json meta = {{"fps", frames_per_second},
                               {"frame_count", frame_count},
                               {"fov", 2 * std::atan(0.5 * camera.height / camera.fy) * 180 / M_PI},
                               {"near", nearest},
                               {"far", 1 / range.farthest},
                               {"up", {0, -1, 0}},
                               {"lookat", {0, 0, middle}},
                               {"limit", {sideways, sideways, sideways}},
                               {"generator", "tessera"}};
  return meta.dump(2);
}

void write_tiles(const fs::path& folder, const core::MultiplaneImage& image,
                 std::span<const core::MovingPage> moving, double frames_per_second) {
  std::vector<bool> moves(image.pages.size(), false);
  for (const core::MovingPage& page : moving) moves[page.page] = true;
  const Joining still_tiles = joined(image, moves, false);
  const Joining moving_tiles = joined(image, moves, true);
  const std::vector<LayerPatch> patches = layer_patches(image, kLargestTexelError);
  core::AtomicFolder written(folder);
  core::write_file_atomically(written.path() / "geometry.obj",
                              obj_text(patches, still_tiles, moving_tiles));
  write_image(written.path() / "static.png",
              picture_of(still_tiles,
                         [&](size_t page) -> const core::Image8& { return image.pages[page]; }));
  const size_t frame_count = moving.empty() ? 0 : moving.front().frames.size();
  if (frame_count > 0) fs::create_directory(written.path() / kFrames);
  for (size_t frame = 0; frame < frame_count; ++frame) {
    write_image(written.path() / kFrames / frame_name(frame),
                picture_of(moving_tiles, [&](size_t page) -> const core::Image8& {
                  const auto found = std::find_if(moving.begin(), moving.end(), [&](const auto& m) {
                    return m.page == static_cast<int>(page);
                  });
                  return found->frames[frame];
                }));
  }
  core::write_file_atomically(
      written.path() / "meta.json",
      meta_text(image.camera.camera, inverse_depth_range(patches), frame_count, frames_per_second));
  written.commit();
}

bool holds_only_frames(const fs::path& folder) {
  size_t count = 0;
  size_t frames = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    ++count;
    const std::string name = entry.path().filename().string();
    const bool numbered = name.size() > 4 && name.ends_with(".png") &&
                          name.find_first_not_of("0123456789") == name.size() - 4;
    frames += entry.is_regular_file() && numbered ? 1 : 0;
  }
  return frames == count;
}

}  // namespace

void write_mtv(const fs::path& folder, const core::MultiplaneImage& image,
               const MultiplaneWriteOptions& /*options*/) {
  constexpr double kUsualRate = 25;
  write_tiles(folder, image, {}, kUsualRate);
}

void write_mtv_video(const fs::path& folder, const core::MultiplaneVideo& video,
                     const MultiplaneWriteOptions& /*options*/) {
  write_tiles(folder, video.image, video.moving, video.frames_per_second);
}

bool holds_only_mtv(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == kFrames && entry.is_directory() && holds_only_frames(entry.path())) continue;
    if (!entry.is_regular_file() ||
        std::find(std::begin(kFiles), std::end(kFiles), name) == std::end(kFiles)) {
      return false;
    }
  }
  constexpr uint64_t kMaxMetaBytes = 1 << 16;
  return fs::exists(folder / "meta.json") &&
         core::read_text_file(folder / "meta.json", kMaxMetaBytes).find("tessera") !=
             std::string::npos;
}

std::vector<std::string> mtv_losses(const core::MultiplaneImage& image,
                                    const MultiplaneWriteOptions& /*options*/) {
  std::vector<std::string> losses = {
      "where the reference camera stands, its principal point and "
      "its metric scale (the format is not read again)"};
  int height = 0;
  for (const core::Image8& page : image.pages) height += page.height;
  if (height > core::kLargestPage) {
    losses.push_back(
        fmt::format("that every GPU takes its pages: they are {} texels high together", height));
  }
  return losses;
}

}  // namespace tessera::assets
