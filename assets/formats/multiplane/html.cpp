// A page for browsers that shows the image and moves with the viewer: one file, which fetches
// nothing, with the mesh and the pages in it as base64.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "assets/formats/multiplane/layer_mesh.h"
#include "assets/formats/multiplane/multiplane_formats.h"
#include "assets/formats/multiplane/straight_alpha.h"
#include "assets/formats/multiplane/viewer_html.h"
#include "assets/photos/image_io.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string base64(const uint8_t* bytes, size_t size) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (size_t i = 0; i < size; i += 3) {
    const size_t count = std::min<size_t>(size - i, 3);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? bytes[i + k] : 0U);
    for (size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

template <class T>
std::string base64(const std::vector<T>& values) {
  return base64(reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T));
}

std::string page_text(const core::Image8& page) {
  return base64(encode_png(straight_page(page)));
}

// A page is a string; one that moves is a list of them, one a frame.
std::string scene_text(const core::MultiplaneImage& image, std::span<const core::MovingPage> moving,
                       double frames_per_second) {
  const std::vector<LayerPatch> patches = layer_patches(image, kProjectiveTexels);
  const LayerMesh mesh = layer_mesh(image, patches);
  const InverseDepthRange range = inverse_depth_range(patches);
  const core::Camera& camera = image.camera.camera;
  json scene = {{"width", camera.width},
                {"height", camera.height},
                {"fx", camera.fx},
                {"fy", camera.fy},
                {"cx", camera.cx},
                {"cy", camera.cy},
                {"nearest", range.nearest},
                {"farthest", range.farthest},
                {"positions", base64(mesh.positions)},
                {"texels", base64(mesh.texels)},
                {"indices", base64(mesh.indices)},
                {"frames_per_second", frames_per_second},
                {"runs", json::array()},
                {"pages", json::array()}};
  for (const MeshRun& run : mesh.runs) {
    scene["runs"].push_back(json::array({run.page, run.first_index, run.index_count}));
  }
  auto next = moving.begin();
  for (size_t i = 0; i < image.pages.size(); ++i) {
    if (next == moving.end() || next->page != static_cast<int>(i)) {
      scene["pages"].push_back(page_text(image.pages[i]));
      continue;
    }
    json frames = json::array();
    for (const core::Image8& frame : next->frames) frames.push_back(page_text(frame));
    scene["pages"].push_back(std::move(frames));
    ++next;
  }
  return scene.dump();
}

void write_page(const fs::path& path, const std::string& scene) {
  constexpr std::string_view kPlace = "/*SCENE*/null";
  const std::string_view page = kViewerHtml;
  const size_t place = page.find(kPlace);
  core::AtomicFile file(path);
  file.write(page.substr(0, place));
  file.write(scene);
  file.write(page.substr(place + kPlace.size()));
  file.commit();
}

}  // namespace

void write_html(const fs::path& path, const core::MultiplaneImage& image,
                const MultiplaneWriteOptions& /*options*/) {
  write_page(path, scene_text(image, {}, 0));
}

void write_html_video(const fs::path& path, const core::MultiplaneVideo& video,
                      const MultiplaneWriteOptions& /*options*/) {
  write_page(path, scene_text(video.image, video.moving, video.frames_per_second));
}

std::vector<std::string> html_losses(const core::MultiplaneImage& image,
                                     const MultiplaneWriteOptions& /*options*/) {
  std::vector<std::string> losses = {
      "where the reference camera stands and its metric scale (the "
      "page is not read again)",
      "the order of layers that cross, drawn one behind the other"};
  if (std::any_of(image.pages.begin(), image.pages.end(), [](const core::Image8& page) {
        return std::max(page.width, page.height) > core::kLargestPage;
      })) {
    losses.push_back(
        fmt::format("sharpness on GPUs that take pages of {} texels only", core::kLargestPage));
  }
  return losses;
}

}  // namespace tessera::assets
