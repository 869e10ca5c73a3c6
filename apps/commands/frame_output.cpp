// SPDX-License-Identifier: MIT
#include "apps/commands/frame_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/commands/file_name.h"
#include "apps/commands/video.h"
#include "assets/photos/image_io.h"
#include "core/color_map.h"
#include "core/error.h"
#include "core/lower_case.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

assets::Image16 depth_in_millimetres(const core::ImageF& depth) {
  assets::Image16 image(depth.width, depth.height, 1);
  for (int64_t i = 0; i < depth.pixel_count(); ++i) {
    image.data[i] = static_cast<uint16_t>(std::clamp(depth.data[i] * 1000 + 0.5F, 0.0F, 65535.0F));
  }
  return image;
}

class PictureFiles final : public FrameOutput {
 public:
  // `single`: the output is the color picture's own path.
  PictureFiles(fs::path output, bool single) : output_(std::move(output)), single_(single) {}

  void add(const std::string& name, const Frame& frame) override {
    write(path_of(name, ""), frame.color);
    if (!frame.depth.empty()) {
      write(path_of(name, "depth"), depth_in_millimetres(frame.depth));
      write(path_of(name, "depth_preview"), core::depth_picture(frame.depth));
    }
    if (!frame.normal.empty()) write(path_of(name, "normals"), core::normal_picture(frame.normal));
  }
  void finish() override {}

 private:
  template <class Image>
  static void write(const fs::path& path, const Image& image) {
    if (path.has_parent_path()) fs::create_directories(path.parent_path());
    assets::write_image(path, image);
  }
  // x.png gives x_depth.png; a folder gives depth/NAME.
  fs::path path_of(const std::string& name, const std::string& kind) const {
    if (!single_) return kind.empty() ? output_ / name : output_ / kind / name;
    if (kind.empty()) return output_;
    fs::path path = output_;
    path.replace_filename(output_.stem().string() + "_" + kind + output_.extension().string());
    return path;
  }

  fs::path output_;
  bool single_;
};

class Film final : public FrameOutput {
 public:
  Film(const fs::path& path, const core::Camera& camera, double frames_per_second, bool depth,
       bool normals) {
    const auto writer = [&](const char* suffix) {
      fs::path file = path;
      file.replace_filename(path.stem().string() + suffix + ".mp4");
      return std::make_unique<VideoWriter>(file, camera.width, camera.height, frames_per_second);
    };
    if (path.has_parent_path()) fs::create_directories(path.parent_path());
    color_ = writer("");
    if (depth) depth_ = writer("_depth");
    if (normals) normals_ = writer("_normals");
  }
  void add(const std::string&, const Frame& frame) override {
    color_->add(frame.color);
    if (depth_) depth_->add(core::depth_picture(frame.depth));
    if (normals_) normals_->add(core::normal_picture(frame.normal));
  }
  void finish() override {
    color_->finish();
    if (depth_) depth_->finish();
    if (normals_) normals_->finish();
  }

 private:
  std::unique_ptr<VideoWriter> color_, depth_, normals_;
};

bool ends_in(const fs::path& path, const char* extension) {
  return core::lower_case(path.extension().string()) == extension;
}

// H.264 in 4:2:0 has even sides only: an odd last row or column is not drawn.
void make_even(RenderViews& views, core::Log& log) {
  for (RenderView& view : views.views) {
    core::Camera& camera = view.camera.camera;
    if (camera.width < 2 || camera.height < 2) {
      throw core::UsageError("--size", fmt::format("{}x{} is too small for a film, which has at "
                                                   "least 2x2 pixels; give a larger size",
                                                   camera.width, camera.height));
    }
    const bool odd = camera.width % 2 == 1 || camera.height % 2 == 1;
    camera.width -= camera.width % 2;
    camera.height -= camera.height % 2;
    if (odd && &view == &views.views.front()) {
      log.info("The sides of a film are even: it becomes {}x{}.", camera.width, camera.height);
    }
  }
}

}  // namespace

std::unique_ptr<FrameOutput> open_frame_output(const FrameOptions& options, RenderViews& views,
                                               core::Log& log) {
  const fs::path& output = options.output;
  const bool taken = fs::is_directory(output) ? !fs::is_empty(output) : fs::exists(output);
  if (taken && !options.force) {
    throw core::UsageError("--output",
                           fmt::format("{} exists; --force replaces it", output.string()));
  }
  if (ends_in(output, ".mp4")) {
    make_even(views, log);
    const core::Camera& first = views.views.front().camera.camera;
    for (const RenderView& view : views.views) {
      if (view.camera.camera.width != first.width || view.camera.camera.height != first.height) {
        throw core::UsageError(
            "--output", "the cameras have several sizes, and a film has one: give --size WxH");
      }
    }
    double rate = options.frames_per_second;
    if (rate == 0) rate = views.frames_per_second > 0 ? views.frames_per_second : 30;
    return std::make_unique<Film>(output, first, rate, options.depth, options.normals);
  }
  const bool picture =
      ends_in(output, ".png") || ends_in(output, ".jpg") || ends_in(output, ".jpeg");
  if (picture && options.depth && !ends_in(output, ".png")) {
    throw core::UsageError("--depth", "depth is written as a 16-bit PNG: name x.png");
  }
  if (picture && views.views.size() > 1) {
    throw core::UsageError("--output",
                           fmt::format("{} pictures do not fit into one; name a folder or "
                                       "x.mp4",
                                       views.views.size()));
  }
  if (!picture && !fs::is_directory(output) && names_file(output)) {
    throw core::UsageError("--output",
                           fmt::format("{} cannot be written: films are x.mp4, single pictures "
                                       "x.png or x.jpg, all else a folder",
                                       output.string()));
  }
  return std::make_unique<PictureFiles>(output, picture);
}

}  // namespace tessera::apps
