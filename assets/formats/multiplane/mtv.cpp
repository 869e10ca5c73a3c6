// MTV, the meshes that Ma et al., "3D Video Loops from Asynchronous Input", 2023, show in browsers:
// geometry.obj with a red color at each corner, which marks what does not move, static.png with
// straight alpha, and meta.json. Coordinates are those of the reference camera, x right, y down.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "assets/formats/multiplane/layer_mesh.h"
#include "assets/formats/multiplane/multiplane_formats.h"
#include "assets/formats/multiplane/straight_alpha.h"
#include "assets/photos/image_io.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFiles[] = {"geometry.obj", "static.png", "meta.json"};

// All pages as one picture, one below the other; `tops` says where each begins.
core::Image8 joined_pages(const core::MultiplaneImage& image, std::vector<int>& tops) {
  int width = 1;
  int height = 0;
  for (const core::Image8& page : image.pages) {
    tops.push_back(height);
    width = std::max(width, page.width);
    height += page.height;
  }
  core::Image8 joined(width, std::max(height, 1), 4);
  joined.data.fill(0);
  for (size_t i = 0; i < image.pages.size(); ++i) {
    const core::Image8 page = straight_page(image.pages[i]);
    copy_pixels(page, 0, 0, joined, 0, tops[i], page.width, page.height);
  }
  return joined;
}

std::string obj_text(const std::vector<LayerPatch>& patches, const core::Image8& joined,
                     const std::vector<int>& tops) {
  std::string vertices, texels, faces;
  size_t first = 1;
  for (const LayerPatch& patch : patches) {
    for (const LayerCorner& corner : patch.corners) {
      const auto& [x, y, z] = corner.in_camera;
      vertices += fmt::format("v {:.9g} {:.9g} {:.9g} 1 0 0\n", x, y, z);
      texels += fmt::format("vt {:.9g} {:.9g}\n", corner.u / joined.width,
                            1 - (corner.v + tops[patch.page]) / joined.height);
    }
    for (const auto& [a, b, c] : patch.triangles) {
      faces += fmt::format("f {0}/{0} {1}/{1} {2}/{2}\n", first + a, first + b, first + c);
    }
    first += patch.corners.size();
  }
  return vertices + texels + faces;
}

std::string meta_text(const core::Camera& camera, const InverseDepthRange& range) {
  const double nearest = 1 / range.nearest;
  const double middle = 2 / (range.nearest + range.farthest);
  const double sideways = 0.05 * nearest;
  const nlohmann::json meta = {{"fps", 25},
                               {"frame_count", 0},
                               {"fov", 2 * std::atan(0.5 * camera.height / camera.fy) * 180 / M_PI},
                               {"near", nearest},
                               {"far", 1 / range.farthest},
                               {"up", {0, -1, 0}},
                               {"lookat", {0, 0, middle}},
                               {"limit", {sideways, sideways, sideways}},
                               {"generator", "tessera"}};
  return meta.dump(2);
}

}  // namespace

void write_mtv(const fs::path& folder, const core::MultiplaneImage& image,
               const MultiplaneWriteOptions& /*options*/) {
  const std::vector<LayerPatch> patches = layer_patches(image, kLargestTexelError);
  std::vector<int> tops;
  const core::Image8 joined = joined_pages(image, tops);
  core::AtomicFolder written(folder);
  core::write_file_atomically(written.path() / "geometry.obj", obj_text(patches, joined, tops));
  write_image(written.path() / "static.png", joined);
  core::write_file_atomically(written.path() / "meta.json",
                              meta_text(image.camera.camera, inverse_depth_range(patches)));
  written.commit();
}

bool holds_only_mtv(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
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
        fmt::format("that every GPU takes its pages: static.png is {} texels high", height));
  }
  return losses;
}

}  // namespace tessera::assets
