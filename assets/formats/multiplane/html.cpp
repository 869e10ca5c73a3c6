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

// A JSON string.
std::string page_text(const core::Image8& page) {
  return '"' + base64(encode_png(straight_page(page))) + '"';
}

// All but the pages, as a JSON object without its end.
std::string scene_text(const core::MultiplaneImage& image, double frames_per_second) {
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
                {"runs", json::array()}};
  for (const MeshRun& run : mesh.runs) {
    scene["runs"].push_back(json::array({run.page, run.first_index, run.index_count}));
  }
  std::string text = scene.dump();
  text.pop_back();
  return text;
}

// A page is a string; one that moves is a list of them, one a frame. One by one, as all of them as
// text are larger than the image.
void write_pages(const core::MultiplaneImage& image, std::span<const core::MovingPage> moving,
                 core::AtomicFile& file) {
  auto next = moving.begin();
  for (size_t i = 0; i < image.pages.size(); ++i) {
    file.write(i == 0 ? "" : ",");
    if (next == moving.end() || next->page != static_cast<int>(i)) {
      file.write(page_text(image.pages[i]));
      continue;
    }
    for (size_t frame = 0; frame < next->frames.size(); ++frame) {
      file.write(frame == 0 ? "[" : ",");
      file.write(page_text(next->frames[frame]));
    }
    file.write("]");
    ++next;
  }
}

void write_viewer(const fs::path& path, const core::MultiplaneImage& image,
                  std::span<const core::MovingPage> moving, double frames_per_second) {
  constexpr std::string_view kPlace = "/*SCENE*/null";
  const std::string_view viewer = kViewerHtml;
  const size_t place = viewer.find(kPlace);
  core::AtomicFile file(path);
  file.write(viewer.substr(0, place));
  file.write(scene_text(image, frames_per_second));
  file.write(",\"pages\":[");
  write_pages(image, moving, file);
  file.write("]}");
  file.write(viewer.substr(place + kPlace.size()));
  file.commit();
}

}  // namespace

void write_html(const fs::path& path, const core::MultiplaneImage& image,
                const MultiplaneWriteOptions& /*options*/) {
  write_viewer(path, image, {}, 0);
}

void write_html_video(const fs::path& path, const core::MultiplaneVideo& video,
                      const MultiplaneWriteOptions& /*options*/) {
  write_viewer(path, video.image, video.moving, video.frames_per_second);
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
