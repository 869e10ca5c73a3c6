// COLMAP captures: where the model and its photos lie, and the model as a core::Capture.
// SPDX-License-Identifier: MIT
#include "assets/captures/colmap.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

#include "assets/captures/colmap_model.h"
#include "core/count_text.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;

// Models in the first of the folders that has any. Numbered ones are sub-models of one
// reconstruction.
std::vector<fs::path> first_models(std::initializer_list<fs::path> parents) {
  for (const fs::path& parent : parents) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
      const std::string name = entry.path().filename().string();
      const bool numbered = name.find_first_not_of("0123456789") == std::string::npos;
      if (numbered && has_colmap_model(entry.path())) found.push_back(entry.path());
    }
    if (has_colmap_model(parent)) found.push_back(parent);
    if (!found.empty()) {
      std::sort(found.begin(), found.end());
      return found;
    }
  }
  return {};
}

std::vector<fs::path> top_models(const fs::path& root) {
  return first_models({root / "sparse", root});
}

// Nearest to the standard layout first.
std::vector<fs::path> model_folders(const fs::path& root) {
  const std::vector<fs::path> top = top_models(root);
  return top.empty() ? first_models({root / "colmap" / "sparse"}) : top;
}

// The folder that photos are named from. A model folder given by itself has them beside `sparse`.
fs::path photo_folder(const fs::path& root, const CaptureOptions& options) {
  if (!options.images.empty()) return options.images;
  for (fs::path folder = root; folder.has_filename(); folder = folder.parent_path()) {
    if (fs::is_directory(folder / "images")) return folder / "images";
    const fs::path name = folder.filename();
    const bool inside = name == "sparse" || name == "colmap" ||
                        name.string().find_first_not_of("0123456789") == std::string::npos;
    if (!inside) break;
  }
  return root / "images";
}

// What is said of the choice goes to the capture's notes and warnings. A damaged sub-model is left
// out as long as another one can be read.
ColmapModel read_largest(const std::vector<fs::path>& folders, core::Capture& capture) {
  if (folders.size() == 1) return read_colmap_model(folders.front());
  std::optional<ColmapModel> best;
  fs::path best_folder;
  std::optional<core::IoError> first_error;
  for (const fs::path& folder : folders) {
    try {
      ColmapModel model = read_colmap_model(folder);
      if (best && model.images.size() <= best->images.size()) continue;
      best = std::move(model);
      best_folder = folder;
    } catch (const core::IoError& error) {
      if (!first_error) first_error = error;
      capture.warnings.push_back(
          fmt::format("The sub-model {} is left out: {}", folder.string(), error.what()));
    }
  }
  if (!best) throw core::IoError(*first_error);
  capture.notes.push_back(
      fmt::format("Of {} sub-models, {} is used, which has the most images "
                  "({}).",
                  folders.size(), best_folder.string(), best->images.size()));
  return std::move(*best);
}

}  // namespace

bool probe_colmap(const fs::path& path) {
  return fs::is_directory(path) && !top_models(path).empty();
}

bool probe_nested_colmap(const fs::path& path) {
  return fs::is_directory(path) && !model_folders(path).empty();
}

core::Capture read_colmap(const fs::path& path, const CaptureOptions& options) {
  core::Capture capture;
  capture.folder = path;
  capture.kind = "COLMAP";
  const ColmapModel model = read_largest(model_folders(path), capture);
  const fs::path photos = photo_folder(fs::absolute(path).lexically_normal(), options);
  for (const ColmapImage& image : model.images) {
    core::CaptureView view;
    view.name = image.name;
    std::replace(view.name.begin(), view.name.end(), '\\', '/');
    view.image_path = photos / view.name;
    view.camera = model.cameras.at(image.camera_id);
    view.cam_from_world = image.cam_from_world;
    capture.views.push_back(std::move(view));
  }
  for (const ColmapPoint& point : model.points) capture.points.push_back(point.point);
  if (model.dropped_points > 0) {
    capture.warnings.push_back(fmt::format("Left out: {} whose position is not a number.",
                                           core::plural(model.dropped_points, "point")));
  }
  return capture;
}

std::vector<core::ColoredPoint> read_colmap_points(const fs::path& path,
                                                   std::vector<std::string>& warnings) {
  core::Capture model;
  std::vector<core::ColoredPoint> points;
  for (const ColmapPoint& point : read_largest(model_folders(path), model).points) {
    points.push_back(point.point);
  }
  warnings.insert(warnings.end(), model.warnings.begin(), model.warnings.end());
  return points;
}

}  // namespace tessera::assets
