// Our own format, which keeps all: a folder with multiplane.json (layers_json.h, and the pages'
// names and sizes) and the pages as PNG.
//
// Texels stand in the PNG files premultiplied, as they are in memory, so that they come back bit
// for bit; a picture viewer, which takes their alpha for straight, shows soft edges too dark.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "assets/formats/multiplane/layers_json.h"
#include "assets/formats/multiplane/multiplane_formats.h"
#include "assets/json_text.h"
#include "assets/photos/image_io.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kLayersFile = "multiplane.json";
constexpr const char* kFormat = "tessera multiplane image";
constexpr int kVersion = 1;
constexpr uint64_t kMaxJsonBytes = uint64_t{64} << 20;

std::string page_name(size_t index) {
  return fmt::format("page_{}.png", index);
}

core::Image8 read_page(const fs::path& folder, const json& root, size_t index, PageBudget& budget) {
  const fs::path file = folder / kLayersFile;
  const std::string within = fmt::format("page {}", index);
  const json& name = json_member(root, "file", within, file);
  if (!name.is_string() || !is_plain_name(name.get<std::string>())) {
    throw core::IoError(file, fmt::format("has no plain file name in {}", within));
  }
  const int width = json_int(json_member(root, "width", within, file), within, file);
  const int height = json_int(json_member(root, "height", within, file), within, file);
  const fs::path picture = folder / name.get<std::string>();
  const ImageInfo info = probe_image(picture);
  if (info.width != width || info.height != height) {
    throw core::IoError(picture, fmt::format("has {}x{} pixels, but {} says {}x{}", info.width,
                                             info.height, kLayersFile, width, height));
  }
  budget.take(width, height);
  core::Image8 page = read_image(picture);
  if (page.channels != 4) {
    throw core::IoError(picture, "has no alpha channel, so it is no page of a multiplane image");
  }
  return page;
}

json read_root(const fs::path& file) {
  json root = parse_json(core::read_text_file(file, kMaxJsonBytes), file);
  if (json_member(root, "format", "its root", file) != kFormat) {
    throw core::IoError(file, fmt::format("is not marked as \"{}\"", kFormat));
  }
  const int version = json_int(json_member(root, "version", "its root", file), "version", file);
  if (version != kVersion) {
    throw core::IoError(file,
                        fmt::format("is of version {}; version {} is read", version, kVersion));
  }
  return root;
}

}  // namespace

bool probe_tmpi(const fs::path& folder) {
  return fs::is_regular_file(folder / kLayersFile);
}

core::MultiplaneImage read_tmpi(const fs::path& folder) {
  const fs::path file = folder / kLayersFile;
  const json root = read_root(file);
  core::MultiplaneImage image = layers_from_json(root, file);
  const json& pages = json_member(root, "pages", "its root", file);
  if (!pages.is_array()) throw core::IoError(file, "has no list as \"pages\"");
  PageBudget budget(file);
  for (size_t i = 0; i < pages.size(); ++i) {
    image.pages.push_back(read_page(folder, pages[i], i, budget));
  }
  check_read_image(image, file);
  return image;
}

void write_tmpi(const fs::path& folder, const core::MultiplaneImage& image,
                const MultiplaneWriteOptions& /*options*/) {
  core::AtomicFolder written(folder);
  json root = layers_to_json(image);
  root["format"] = kFormat;
  root["version"] = kVersion;
  root["texels"] = "RGBA, 8 bits, sRGB, premultiplied by alpha";
  root["pages"] = json::array();
  for (size_t i = 0; i < image.pages.size(); ++i) {
    const core::Image8& page = image.pages[i];
    write_image(written.path() / page_name(i), page);
    root["pages"].push_back(
        {{"file", page_name(i)}, {"width", page.width}, {"height", page.height}});
  }
  core::write_file_atomically(written.path() / kLayersFile, root.dump());
  written.commit();
}

bool holds_only_tmpi(const fs::path& folder) {
  if (!probe_tmpi(folder)) return false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool is_page = name.starts_with("page_") && name.ends_with(".png");
    if (!entry.is_regular_file() || !(is_page || name == kLayersFile)) return false;
  }
  return true;
}

std::vector<std::string> tmpi_losses(const core::MultiplaneImage& /*image*/,
                                     const MultiplaneWriteOptions& /*options*/) {
  return {};
}

}  // namespace tessera::assets
