// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "assets/captures/capture_reader.h"
#include "assets/captures/colmap.h"
#include "assets/captures/transforms.h"
#include "assets/captures/view_files.h"
#include "core/error.h"
#include "core/lower_case.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;

// The first that fits is taken. A folder with Blender's files beside a transforms.json is what its
// splits say; a model in colmap/sparse is what the transforms.json above it was made from, whose
// frames and masks and world count.
constexpr CaptureReader kReaders[] = {
    {"COLMAP", probe_colmap, read_colmap},
    {"Blender", probe_blender, read_blender},
    {"transforms.json", probe_transforms, read_transforms},
    {"COLMAP", probe_nested_colmap, read_colmap},
};

bool has_extension(const fs::path& path, std::initializer_list<std::string_view> extensions) {
  const std::string extension = core::lower_case(path.extension().string());
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

const CaptureReader* reader_of(const fs::path& path) {
  const auto* reader = std::find_if(std::begin(kReaders), std::end(kReaders),
                                    [&](const CaptureReader& r) { return r.probe(path); });
  return reader == std::end(kReaders) ? nullptr : reader;
}

// Folders in `path` that are captures, sorted.
std::vector<fs::path> captures_inside(const fs::path& path) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored)) {
    if (entry.is_directory(ignored) && reader_of(entry.path()) != nullptr) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::span<const CaptureReader> capture_readers() {
  return kReaders;
}

bool is_capture(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) || reader_of(path) != nullptr;
}

std::string no_capture_reason(const fs::path& path) {
  const std::string colmap =
      "make a COLMAP model with `colmap automatic_reconstructor --workspace_path FOLDER "
      "--image_path PHOTOS` and give that folder";
  if (!fs::is_directory(path)) {
    if (has_extension(path, {".mp4", ".mov", ".avi", ".mkv"})) {
      return "a video is not read as a capture; take frames out of it with `ffmpeg -i VIDEO -r 2 "
             "PHOTOS/%04d.png`, then " +
             colmap;
    }
    return "this file is not a capture; give a folder with a COLMAP model, a transforms.json or "
           "Blender's transforms_train.json";
  }
  if (const std::vector<fs::path> inside = captures_inside(path); !inside.empty()) {
    std::vector<std::string> names;
    names.reserve(inside.size());
    for (const fs::path& folder : inside) names.push_back(folder.string());
    return fmt::format("holds no capture itself; give {} in it, {}",
                       inside.size() == 1 ? "the one" : "one of those", list_first(names));
  }
  if (fs::exists(path / "reconstruction.json") ||
      fs::exists(path / "opensfm" / "reconstruction.json")) {
    return "an OpenSfM reconstruction is not read; export it with `opensfm export_colmap` and give "
           "that folder";
  }
  if (fs::exists(path / "poses_bounds.npy")) {
    return "LLFF's poses_bounds.npy is not read; " + colmap;
  }
  bool photos = false;
  for (const fs::path& folder : {path, path / "images"}) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.path().filename().string().ends_with("_par.txt")) {
        return "Middlebury's camera list is not read; " + colmap;
      }
      photos = photos ||
               has_extension(entry.path(), {".jpg", ".jpeg", ".png", ".tif", ".tiff", ".webp"});
    }
  }
  if (photos) return "holds photos but no cameras; " + colmap;
  return "holds no capture; expected sparse/0 with a COLMAP model, a transforms.json or Blender's "
         "transforms_train.json";
}

core::Capture read_capture(const fs::path& path, const CaptureOptions& options) {
  if (!fs::exists(path)) throw core::IoError(path, "no such file or folder");
  const CaptureReader* reader = reader_of(path);
  if (reader == nullptr) throw core::IoError(path, no_capture_reason(path));
  if (!options.images.empty() && !fs::is_directory(options.images)) {
    throw core::IoError(options.images, "the photo folder given by --images does not exist");
  }
  core::Capture capture = reader->read(path, options);
  if (capture.views.empty()) throw core::IoError(path, "the capture has no images");
  if (reader->read == read_colmap && probe_transforms(path)) {
    capture.notes.emplace_back("transforms.json is there too; give it by its path to use it.");
  }
  std::sort(capture.views.begin(), capture.views.end(),
            [](const core::CaptureView& a, const core::CaptureView& b) { return a.name < b.name; });
  const auto same = [](const core::CaptureView& a, const core::CaptureView& b) {
    return a.name == b.name;
  };
  const auto twice = std::adjacent_find(capture.views.begin(), capture.views.end(), same);
  if (twice != capture.views.end()) {
    throw core::IoError(
        path, fmt::format("the image \"{}\" is listed twice; remove one of them", twice->name));
  }
  find_photos(capture, options);
  find_masks(capture);
  fit_cameras_to_photos(capture);
  shift_to_origin(capture);
  return capture;
}

}  // namespace tessera::assets
