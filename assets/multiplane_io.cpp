// SPDX-License-Identifier: MIT
#include "assets/multiplane_io.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.h"
#include "core/file_io.h"
#include "core/lower_case.h"
#include "core/table_entry.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;

// "scene.tmpi/" and "scene.tmpi" are the same folder.
fs::path without_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

const MultiplaneFormatEntry* find_by_extension(const fs::path& path) {
  const std::string extension = core::lower_case(without_slash(path).extension().string());
  for (const MultiplaneFormatEntry& format : multiplane_formats()) {
    if (std::count(format.extensions.begin(), format.extensions.end(), extension) > 0) {
      return &format;
    }
  }
  return nullptr;
}

std::string extensions_list(bool read) {
  std::vector<std::string_view> names;
  for (const MultiplaneFormatEntry& format : multiplane_formats()) {
    if (read ? format.read != nullptr : format.write != nullptr) {
      names.insert(names.end(), format.extensions.begin(), format.extensions.end());
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Null if the file or folder is of no format.
const MultiplaneFormatEntry* find_format_of(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return nullptr;
  const bool is_folder = fs::is_directory(path, ignored);
  for (const MultiplaneFormatEntry& format : multiplane_formats()) {
    if (format.probe != nullptr && format.is_folder == is_folder && format.probe(path)) {
      return &format;
    }
  }
  const MultiplaneFormatEntry* format = find_by_extension(path);
  return format != nullptr && format->is_folder == is_folder ? format : nullptr;
}

const MultiplaneFormatEntry& format_of(const fs::path& path) {
  if (!fs::exists(path)) throw core::IoError(path, "there is no such file or folder");
  if (const MultiplaneFormatEntry* format = find_format_of(path)) return *format;
  throw core::IoError(path, fmt::format("is of no known format of multiplane images; {} are read",
                                        extensions_list(true)));
}

const MultiplaneFormatEntry& readable_format(const fs::path& path) {
  const MultiplaneFormatEntry& format = format_of(path);
  if (format.read == nullptr) {
    throw core::IoError(
        path,
        fmt::format("multiplane images are written as {}, and cannot be read from it; use one "
                    "of {} of the same scene",
                    format.name, extensions_list(true)));
  }
  return format;
}

core::MultiplaneImage first_frame(const core::MultiplaneVideo& video) {
  core::MultiplaneImage image = video.image;
  for (const core::MovingPage& page : video.moving) image.pages[page.page] = page.frames.front();
  return image;
}

const MultiplaneFormatEntry& writable_format(const fs::path& path, const std::string& field,
                                             const MultiplaneWriteOptions& options) {
  if (options.planes < 2 || options.planes > 1024) {
    throw core::UsageError(
        "planes", fmt::format("{} planes cannot be written; 2 to 1024 can", options.planes));
  }
  const MultiplaneFormatEntry* format =
      options.format.empty() ? find_by_extension(path)
                             : &core::entry_named(multiplane_formats(), options.format, "format");
  if (format == nullptr || format->write == nullptr) {
    throw core::UsageError(
        field, fmt::format("'{}' cannot be written as a multiplane image; the formats that can are "
                           "{}",
                           path.string(), extensions_list(false)));
  }
  return *format;
}

void check_replaceable(const fs::path& path, const MultiplaneFormatEntry& format) {
  if (!format.is_folder) {
    core::check_file_can_be_written(path);
    return;
  }
  if (!fs::exists(path)) return;
  if (!fs::is_directory(path)) {
    throw core::IoError(path, "is a file, but a folder is to be written there; remove it first");
  }
  if (!fs::is_empty(path) && !format.holds_nothing_else(path)) {
    throw core::IoError(path, fmt::format("is a folder with other things in it than a multiplane "
                                          "image ({}), so it is not replaced; give another name",
                                          format.name));
  }
}

}  // namespace

bool is_multiplane(const fs::path& path) {
  const MultiplaneFormatEntry* format = find_format_of(path);
  return format != nullptr && format->read != nullptr;
}

bool names_multiplane(const fs::path& path) {
  const MultiplaneFormatEntry* format = find_by_extension(path);
  return format != nullptr && format->write != nullptr;
}

core::MultiplaneImage read_multiplane(const fs::path& path) {
  return readable_format(path).read(path);
}

core::MultiplaneVideo read_multiplane_video(const fs::path& path) {
  const MultiplaneFormatEntry& format = readable_format(path);
  if (format.read_video != nullptr) return format.read_video(path);
  core::MultiplaneVideo still;
  still.image = format.read(path);
  return still;
}

void write_multiplane(const fs::path& path, const core::MultiplaneImage& image,
                      const MultiplaneWriteOptions& options) {
  const MultiplaneFormatEntry& format = writable_format(path, path.string(), options);
  check_multiplane_image(image);
  check_replaceable(path, format);
  format.write(path, image, options);
}

void write_multiplane(const fs::path& path, const core::MultiplaneVideo& video,
                      const MultiplaneWriteOptions& options) {
  const MultiplaneFormatEntry& format = writable_format(path, path.string(), options);
  check_multiplane_video(video);
  if (video.moving.empty()) {
    write_multiplane(path, video.image, options);
    return;
  }
  if (format.write_video == nullptr) {
    write_multiplane(path, first_frame(video), options);
    return;
  }
  check_replaceable(path, format);
  format.write_video(path, video, options);
}

void check_multiplane_writable(const fs::path& path, const std::string& field,
                               const MultiplaneWriteOptions& options) {
  check_replaceable(path, writable_format(path, field, options));
}

std::vector<std::string> multiplane_losses(const fs::path& path, const core::MultiplaneImage& image,
                                           const MultiplaneWriteOptions& options) {
  return writable_format(path, path.string(), options).losses(image, options);
}

std::vector<std::string> multiplane_losses(const fs::path& path, const core::MultiplaneVideo& video,
                                           const MultiplaneWriteOptions& options) {
  std::vector<std::string> losses = multiplane_losses(path, video.image, options);
  const bool plays = writable_format(path, path.string(), options).write_video != nullptr;
  if (!video.moving.empty() && !plays) {
    losses.push_back(
        fmt::format("movement: the first of {} frames is written", video.frame_count()));
  }
  return losses;
}

}  // namespace tessera::assets
