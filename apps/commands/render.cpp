// `tessera render`: a scene as pictures or a film, from a capture's cameras, a circle or a path.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "apps/command_table.h"
#include "apps/commands/color_map.h"
#include "apps/commands/file_name.h"
#include "apps/commands/interrupt.h"
#include "apps/commands/reconstruct_options.h"
#include "apps/commands/render_cameras.h"
#include "apps/commands/run_folder.h"
#include "apps/commands/run_log.h"
#include "apps/commands/video.h"
#include "apps/program.h"
#include "assets/io.h"
#include "assets/photos/image_io.h"
#include "core/error.h"
#include "core/lower_case.h"
#include "core/options.h"
#include "core/thread_pool.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

struct RenderOptions {
  ViewOptions view;
  fs::path output;
  double frames_per_second = 0;  // 0: the path's own, or 30
  bool depth = false;
  bool normals = false;
  std::array<float, 3> background = {0, 0, 0};
  bool antialiasing = false;
  float near_plane = 0.01F;
  int threads = 0;
  bool force = false;
  bool quiet = false;
};

void bind(core::OptionTable& table, RenderOptions& o) {
  bind_view_options(table, o.view);
  table.group("What is written");
  table
      .add("-o, --output", o.output, "OUT",
           "x.mp4: a film; x.png, x.jpg: one picture; else a folder of PNGs")
      .required()
      .common();
  table.flag("--depth", o.depth, "also depth: 16-bit PNGs in mm, and colored ones to look at")
      .common();
  table.flag("--normals", o.normals, "also normals, colored").common();
  table.add("--fps", o.frames_per_second, "N", "of a film; 0: the path's own, or 30")
      .range(0, 1000);
  table
      .add_parsed(
          "--background", "COLOR", "black, white, #rrggbb or r,g,b of 0 to 1",
          [&o](const std::string& text) { o.background = parse_color(text); },
          [&o] { return color_text(o.background); })
      .common();
  table.flag("-a, --antialiasing", o.antialiasing,
             "as a scene trained with it that does not say so");
  table.add("--near", o.near_plane, "Z", "what is nearer than this is not drawn").range(1e-6);
  table.group("Running");
  table.add("--threads", o.threads, "N", "0: one per core").range(0, 1024);
  table.flag("--force", o.force, "replace an output that exists");
  table.flag("--quiet", o.quiet, "nothing but warnings and errors");
}

assets::Image16 depth_in_millimetres(const core::ImageF& depth) {
  assets::Image16 image(depth.width, depth.height, 1);
  for (int64_t i = 0; i < depth.pixel_count(); ++i) {
    image.data[i] = static_cast<uint16_t>(std::clamp(depth.data[i] * 1000 + 0.5F, 0.0F, 65535.0F));
  }
  return image;
}

// Where one view's pictures go.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void add(const std::string& name, const render::RenderOutput& output) = 0;
  virtual void finish() = 0;
};

class PictureFiles : public FrameSink {
 public:
  // `single`: the output is the color picture's own path.
  PictureFiles(fs::path output, bool single) : output_(std::move(output)), single_(single) {}

  void add(const std::string& name, const render::RenderOutput& output) override {
    write(path_of(name, ""), assets::to_image8(output.color));
    if (!output.depth.empty()) {
      write(path_of(name, "depth"), depth_in_millimetres(output.depth));
      write(path_of(name, "depth_preview"), depth_picture(output.depth));
    }
    if (!output.normal.empty()) write(path_of(name, "normals"), normal_picture(output.normal));
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

class Film : public FrameSink {
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
  void add(const std::string&, const render::RenderOutput& output) override {
    color_->add(assets::to_image8(output.color));
    if (depth_) depth_->add(depth_picture(output.depth));
    if (normals_) normals_->add(normal_picture(output.normal));
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

std::unique_ptr<FrameSink> open_output(const RenderOptions& options, const RenderViews& views) {
  const fs::path& output = options.output;
  const bool taken = fs::is_directory(output) ? !fs::is_empty(output) : fs::exists(output);
  if (taken && !options.force) {
    throw core::UsageError("--output",
                           fmt::format("{} exists; --force replaces it", output.string()));
  }
  if (ends_in(output, ".mp4")) {
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

void draw(const RenderOptions& options, const core::GaussianScene& scene, const RenderViews& views,
          FrameSink& sink, RunLog& log) {
  core::ThreadPool pool(options.threads);
  const std::unique_ptr<render::Rasterizer> rasterizer = render::make_rasterizer("cpu", pool);
  render::RasterizeOptions draw;
  draw.sh_degree = scene.cloud.sh_degree;
  draw.antialiased = scene.antialiased || options.antialiasing;
  draw.near_plane = options.near_plane;
  draw.background = {options.background[0], options.background[1], options.background[2]};
  draw.depth = options.depth;
  draw.normals = options.normals;
  const InterruptGuard interrupt;
  const auto total = static_cast<int64_t>(views.views.size());
  const std::unique_ptr<Progress> progress = log.progress("picture", 0, total);
  log.set_bar(progress.get());
  render::RenderOutput output;
  for (int64_t i = 0; i < total; ++i) {
    rasterizer->forward(scene.cloud, views.views[i].camera, draw, output);
    sink.add(views.views[i].name, output);
    progress->update(i + 1, "");
    if (interrupt.requested() && i + 1 < total) {
      log.set_bar(nullptr);
      sink.finish();
      throw core::Interrupted(fmt::format("Stopped after {} of {} pictures; {} holds them.", i + 1,
                                          total, options.output.string()));
    }
  }
  log.set_bar(nullptr);
  sink.finish();
}

}  // namespace

int run_render(const std::vector<std::string>& arguments) {
  RenderOptions options;
  core::OptionTable table("tessera render", "Draws a scene as pictures or as a film.",
                          "tessera render out/banana/scene.ply --turntable -o banana.mp4");
  bind(table, options);
  if (const std::optional<std::string> help = table.parse(arguments)) {
    std::fputs(help->c_str(), stdout);
    return kExitDone;
  }
  RunLog log(options.quiet);
  const core::Timer timer;
  options.view.scene = scene_file(options.view.scene);
  core::GaussianScene scene = assets::read_scene(options.view.scene);
  for (const std::string& note : scene.notes) log.info("{}", note);
  if (scene.cloud.size() == 0) {
    throw core::IoError(options.view.scene, "it holds no Gaussians: there is nothing to draw");
  }
  RenderViews views = render_views(options.view, scene, log);
  if (ends_in(options.output, ".mp4")) make_even(views, log);
  const std::unique_ptr<FrameSink> sink = open_output(options, views);
  const core::Camera& first = views.views.front().camera.camera;
  log.info("{}, {} of {}x{}", plural(scene.cloud.size(), "Gaussian"),
           plural(static_cast<int64_t>(views.views.size()), "picture"), first.width, first.height);
  draw(options, scene, views, *sink, log);
  log.info("Wrote {} in {}", options.output.string(), duration_text(timer.seconds()));
  return kExitDone;
}

}  // namespace tessera::apps
