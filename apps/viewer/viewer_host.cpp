// SPDX-License-Identifier: MIT
#include "apps/viewer/viewer_host.h"

#include <fmt/format.h>

#include <utility>

#include "apps/commands/camera_path.h"
#include "apps/commands/run_folder.h"
#include "apps/commands/scene_view.h"
#include "apps/commands/video.h"
#include "apps/live/detached_process.h"
#include "apps/live/live_training.h"
#include "apps/viewer/watched_training.h"
#include "assets/captures/capture_reader.h"
#include "assets/io.h"
#include "assets/multiplane_io.h"
#include "assets/photos/image_io.h"
#include "assets/photos/photo_loader.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::apps {
namespace {

viewer::OpenedFile open_capture(const std::filesystem::path& path) {
  assets::CaptureOptions wanted;
  wanted.photos_required = false;
  core::Capture capture = assets::read_capture(path, wanted);
  viewer::OpenedFile file;
  for (const core::CaptureView& view : capture.views) {
    file.cameras.push_back({view.camera, view.cam_from_world});
  }
  file.notes = capture.warnings;
  file.origin_in_file = capture.origin_in_file;
  file.content = std::move(capture);
  return file;
}

// Cameras beside a scene are in its file's numbers.
std::vector<core::PosedCamera> moved(std::vector<core::PosedCamera> cameras,
                                     math::Vec3<double> origin) {
  for (core::PosedCamera& camera : cameras) camera = shifted(camera, origin);
  return cameras;
}

viewer::OpenedFile open_scene_file(const std::filesystem::path& path) {
  assets::SceneFile read = assets::read_scene_or_points(path);
  viewer::OpenedFile file;
  if (auto* scene = std::get_if<core::GaussianScene>(&read)) {
    file.notes = scene->notes;
    file.origin_in_file = origin_of(*scene);
    file.cameras = moved(cameras_beside(path), file.origin_in_file);
    file.content = std::move(*scene);
  } else {
    auto& cloud = std::get<assets::PointCloud>(read);
    file.notes = std::move(cloud.notes);
    file.content = viewer::PointSet{std::move(cloud.points)};
  }
  return file;
}

class VideoFilm : public viewer::Film {
 public:
  VideoFilm(const std::filesystem::path& path, int width, int height, double frames_per_second)
      : writer_(path, width, height, frames_per_second) {}
  void add(const core::Image8& frame) override { writer_.add(frame); }
  void finish() override { writer_.finish(); }

 private:
  VideoWriter writer_;
};

class PictureFilm : public viewer::Film {
 public:
  explicit PictureFilm(const std::filesystem::path& path) : folder_(path) {
    if (std::filesystem::exists(path)) {
      throw core::IoError(path, "is there already; give a folder that is not");
    }
  }
  void add(const core::Image8& frame) override {
    assets::write_image(folder_.path() / fmt::format("{:05}.png", count_++), frame);
  }
  void finish() override { folder_.commit(); }

 private:
  core::AtomicFolder folder_;
  int count_ = 0;
};

}  // namespace

viewer::OpenedFile ViewerHost::open(const std::filesystem::path& path) {
  const std::filesystem::path image_path = multiplane_file(path);
  if (assets::is_multiplane(image_path) || assets::names_multiplane(image_path)) {
    viewer::OpenedFile file;
    core::MultiplaneImage image = assets::read_multiplane(image_path);
    file.cameras.push_back(image.camera);
    file.content = std::move(image);
    return file;
  }
  if (is_run_folder(path)) return open_scene_file(scene_file(path));
  if (assets::is_capture(path)) return open_capture(path);
  return open_scene_file(path);
}

viewer::PinholePhoto ViewerHost::photo(const core::CaptureView& view, int longest) {
  if (view.image_path.empty()) {
    throw core::Error(view.name + ": the capture has no file of this photo");
  }
  assets::PhotoOptions options;
  options.max_resolution = longest;
  const assets::PhotoGeometry geometry = assets::photo_geometry(view, options);
  core::Photo photo = assets::load_photo(view, geometry, false, options);
  return {std::move(photo.pixels), std::move(photo.mask), geometry.output};
}

std::vector<std::string> ViewerHost::readable_extensions() const {
  std::vector<std::string> all;
  for (const assets::FormatEntry& format : assets::formats()) {
    all.insert(all.end(), format.extensions.begin(), format.extensions.end());
  }
  for (const assets::MultiplaneFormatEntry& format : assets::multiplane_formats()) {
    all.insert(all.end(), format.extensions.begin(), format.extensions.end());
  }
  return all;
}

std::filesystem::path ViewerHost::sample() const {
  const std::filesystem::path here = program_beside("");
  std::vector<std::string> looked;
  // Beside the program, as installed, and from a build's folder in the source tree.
  for (const char* place :
       {"samples/banana", "../share/tessera/samples/banana", "../../assets/samples/banana"}) {
    std::filesystem::path path = (here / place).lexically_normal();
    if (std::filesystem::exists(path)) return path;
    looked.push_back(path.string());
  }
  throw core::Error(
      fmt::format("the sample scene is not here; it is looked for in {}", fmt::join(looked, ", ")));
}

std::vector<viewer::SaveFormat> ViewerHost::save_formats() const {
  std::vector<viewer::SaveFormat> formats;
  for (const assets::FormatEntry& format : assets::formats()) {
    if (format.write == nullptr) continue;
    formats.push_back({std::string(format.name), std::string(format.extensions.front())});
  }
  return formats;
}

std::vector<std::string> ViewerHost::losses(const std::filesystem::path& path,
                                            const core::GaussianScene& scene) const {
  return assets::losses(path, scene);
}

void ViewerHost::save(const std::filesystem::path& path, const core::GaussianScene& scene) {
  assets::check_writable(path, path.string());
  assets::write_scene(path, scene);
}

void ViewerHost::save_picture(const std::filesystem::path& path, const core::Image8& picture) {
  assets::write_image(path, picture);
}

std::unique_ptr<viewer::Film> ViewerHost::film(const std::filesystem::path& path, int width,
                                               int height, double frames_per_second) {
  if (path.extension() == ".mp4") {
    return std::make_unique<VideoFilm>(path, width, height, frames_per_second);
  }
  if (path.has_extension()) {
    throw core::UsageError(path.string(),
                           "is no film; give a name that ends in .mp4, or a folder "
                           "for PNG pictures");
  }
  return std::make_unique<PictureFilm>(path);
}

std::unique_ptr<viewer::Training> ViewerHost::attach(const std::filesystem::path& output) {
  is_training(output);  // refuses what could never be watched
  return watched_training(output);
}

void ViewerHost::start_training(const std::filesystem::path& capture,
                                const std::filesystem::path& output,
                                const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {capture.string()};
  arguments.insert(arguments.end(), options.begin(), options.end());
  apps::start_training(program_beside("tessera"), arguments, output);
}

}  // namespace tessera::apps
