// Our own format, which keeps all: a folder with multiplane.json (layers_json.h, and the pages'
// names and sizes) and the pages as PNG. A page that moves has a list of "files", one a frame,
// instead of its "file"; "frames_per_second" stands beside "pages" then.
//
// Texels stand in the PNG files premultiplied, as they are in memory, so that they come back bit
// for bit; a picture viewer, which takes their alpha for straight, shows soft edges too dark.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

std::string frame_name(size_t index, size_t frame) {
  return fmt::format("page_{}_{:04}.png", index, frame);
}

// Reads the pictures of pages and counts their texels.
class PageReader {
 public:
  explicit PageReader(const fs::path& folder) : folder_(folder), budget_(folder) {}

  core::Image8 read(const json& name, int width, int height, const std::string& within) {
    if (!name.is_string() || !is_plain_name(name.get<std::string>())) {
      throw core::IoError(folder_ / kLayersFile,
                          fmt::format("has no plain file name in {}", within));
    }
    const fs::path picture = folder_ / name.get<std::string>();
    const ImageInfo info = probe_image(picture);
    if (info.width != width || info.height != height) {
      throw core::IoError(picture, fmt::format("has {}x{} pixels, but {} says {}x{}", info.width,
                                               info.height, kLayersFile, width, height));
    }
    budget_.take(width, height);
    core::Image8 page = read_image(picture);
    if (page.channels != 4) {
      throw core::IoError(picture, "has no alpha channel, so it is no page of a multiplane image");
    }
    return page;
  }

 private:
  const fs::path& folder_;
  PageBudget budget_;
};

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

json root_of(const core::MultiplaneImage& image) {
  json root = layers_to_json(image);
  root["format"] = kFormat;
  root["version"] = kVersion;
  root["texels"] = "RGBA, 8 bits, sRGB, premultiplied by alpha";
  root["pages"] = json::array();
  return root;
}

json write_page(const fs::path& folder, const core::Image8& page, const std::string& name) {
  write_image(folder / name, page);
  return {{"file", name}, {"width", page.width}, {"height", page.height}};
}

// At most `most` frames of each page that moves; the image shows the first.
core::MultiplaneVideo read_frames(const fs::path& folder, size_t most) {
  const fs::path file = folder / kLayersFile;
  const json root = read_root(file);
  core::MultiplaneVideo video;
  video.image = layers_from_json(root, file);
  const json& pages = json_member(root, "pages", "its root", file);
  if (!pages.is_array()) throw core::IoError(file, "has no list as \"pages\"");
  if (root.contains("frames_per_second")) {
    const json& rate = root["frames_per_second"];
    video.frames_per_second = rate.is_number() ? rate.get<double>() : NAN;
  }
  PageReader reader(folder);
  for (size_t i = 0; i < pages.size(); ++i) {
    const std::string within = fmt::format("page {}", i);
    const json& page = pages[i];
    const int width = json_int(json_member(page, "width", within, file), within, file);
    const int height = json_int(json_member(page, "height", within, file), within, file);
    if (!page.contains("files")) {
      video.image.pages.push_back(
          reader.read(json_member(page, "file", within, file), width, height, within));
      continue;
    }
    const json& files = page["files"];
    if (!files.is_array() || files.empty()) {
      throw core::IoError(file, fmt::format("has no list of files in {}", within));
    }
    core::MovingPage& moving = video.moving.emplace_back();
    moving.page = static_cast<int>(i);
    for (size_t frame = 0; frame < std::min(most, files.size()); ++frame) {
      moving.frames.push_back(reader.read(files[frame], width, height, within));
    }
    video.image.pages.push_back(moving.frames.front());
  }
  check_read_video(video, file);
  return video;
}

}  // namespace

bool probe_tmpi(const fs::path& folder) {
  return fs::is_regular_file(folder / kLayersFile);
}

core::MultiplaneImage read_tmpi(const fs::path& folder) {
  return read_frames(folder, 1).image;
}

core::MultiplaneVideo read_tmpi_video(const fs::path& folder) {
  return read_frames(folder, SIZE_MAX);
}

void write_tmpi(const fs::path& folder, const core::MultiplaneImage& image,
                const MultiplaneWriteOptions& /*options*/) {
  core::AtomicFolder written(folder);
  json root = root_of(image);
  for (size_t i = 0; i < image.pages.size(); ++i) {
    root["pages"].push_back(write_page(written.path(), image.pages[i], page_name(i)));
  }
  core::write_file_atomically(written.path() / kLayersFile, root.dump());
  written.commit();
}

void write_tmpi_video(const fs::path& folder, const core::MultiplaneVideo& video,
                      const MultiplaneWriteOptions& /*options*/) {
  core::AtomicFolder written(folder);
  json root = root_of(video.image);
  root["frames_per_second"] = video.frames_per_second;
  auto moving = video.moving.begin();
  for (size_t i = 0; i < video.image.pages.size(); ++i) {
    const core::Image8& page = video.image.pages[i];
    if (moving == video.moving.end() || moving->page != static_cast<int>(i)) {
      root["pages"].push_back(write_page(written.path(), page, page_name(i)));
      continue;
    }
    json files = json::array();
    for (size_t frame = 0; frame < moving->frames.size(); ++frame) {
      files.push_back(frame_name(i, frame));
      write_image(written.path() / frame_name(i, frame), moving->frames[frame]);
    }
    root["pages"].push_back({{"files", files}, {"width", page.width}, {"height", page.height}});
    ++moving;
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
