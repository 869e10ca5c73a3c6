// `tessera render`: a scene as pictures or a film, from a capture's cameras, a circle or a path; a
// scene of Gaussians or a multiplane image.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "apps/command_table.h"
#include "apps/commands/frame_output.h"
#include "apps/commands/interrupt.h"
#include "apps/commands/multiplane_view.h"
#include "apps/commands/reconstruct_options.h"
#include "apps/commands/render_cameras.h"
#include "apps/commands/run_folder.h"
#include "apps/commands/run_log.h"
#include "apps/program.h"
#include "assets/io.h"
#include "assets/multiplane_io.h"
#include "assets/photos/image_io.h"
#include "core/error.h"
#include "core/options.h"
#include "core/thread_pool.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::apps {
namespace {

struct RenderOptions {
  ViewOptions view;
  FrameOptions frames;
  std::array<float, 3> background = {0, 0, 0};
  bool antialiasing = false;
  float near_plane = 0.01F;
  int threads = 0;
  bool quiet = false;
};

void bind(core::OptionTable& table, RenderOptions& o) {
  bind_view_options(table, o.view);
  table.group("What is written");
  table
      .add("-o, --output", o.frames.output, "OUT",
           "x.mp4: a film; x.png, x.jpg: one picture; else a folder of PNGs")
      .required()
      .common();
  table
      .flag("--depth", o.frames.depth, "also depth: 16-bit PNGs in mm, and colored ones to look at")
      .common();
  table.flag("--normals", o.frames.normals, "also normals, colored").common();
  table
      .add("--fps", o.frames.frames_per_second, "N",
           "of a film; 0: that of the path, of what plays, or 30")
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
  table.flag("--force", o.frames.force, "replace an output that exists");
  table.flag("--quiet", o.quiet, "nothing but warnings and errors");
}

// What views are drawn of.
class Drawing {
 public:
  virtual ~Drawing() = default;
  virtual std::string what() const = 0;  // "12,000 Gaussians"
  virtual Frame draw(const core::PosedCamera& camera) = 0;
};

class GaussianDrawing final : public Drawing {
 public:
  GaussianDrawing(const core::GaussianScene& scene, const RenderOptions& options,
                  core::ThreadPool& pool)
      : scene_(scene), rasterizer_(render::make_rasterizer("cpu", pool)) {
    options_.sh_degree = scene.cloud.sh_degree;
    options_.antialiased = scene.antialiased || options.antialiasing;
    options_.near_plane = options.near_plane;
    options_.background = {options.background[0], options.background[1], options.background[2]};
    options_.depth = options.frames.depth;
    options_.normals = options.frames.normals;
  }

  std::string what() const override { return plural(scene_.cloud.size(), "Gaussian"); }
  Frame draw(const core::PosedCamera& camera) override {
    rasterizer_->forward(scene_.cloud, camera, options_, output_);
    return {assets::to_image8(output_.color), output_.depth, output_.normal};
  }

 private:
  const core::GaussianScene& scene_;
  std::unique_ptr<render::Rasterizer> rasterizer_;
  render::RasterizeOptions options_;
  render::RenderOutput output_;
};

// What plays does so at its own rate.
class MultiplaneDrawing final : public Drawing {
 public:
  MultiplaneDrawing(core::MultiplaneVideo& video, double pictures_per_second,
                    const RenderOptions& options, core::ThreadPool& pool)
      : video_(video),
        pictures_per_second_(pictures_per_second),
        painter_(video.image, pool),
        depth_(options.frames.depth) {
    if (options.frames.normals) {
      throw core::UsageError("--normals", "a multiplane image has none; leave it out");
    }
  }

  std::string what() const override {
    return plural(static_cast<int64_t>(video_.image.layers.size()), "layer");
  }
  Frame draw(const core::PosedCamera& camera) override {
    video_.show_in_film(drawn_++, pictures_per_second_);
    Frame frame;
    frame.color = assets::to_image8(painter_.paint(camera));
    if (depth_) frame.depth = painter_.depth();
    return frame;
  }

 private:
  core::MultiplaneVideo& video_;
  double pictures_per_second_;
  int64_t drawn_ = 0;
  MultiplanePainter painter_;
  bool depth_;
};

void draw(const RenderOptions& options, Drawing& drawing, RenderViews views, RunLog& log) {
  const std::unique_ptr<FrameOutput> output = open_frame_output(options.frames, views, log);
  const auto total = static_cast<int64_t>(views.views.size());
  const core::Camera& first = views.views.front().camera.camera;
  log.info("{}, {} of {}x{}", drawing.what(), plural(total, "picture"), first.width, first.height);
  const InterruptGuard interrupt("Stopping after this picture; once more to quit at once.");
  const std::unique_ptr<Progress> progress = log.progress("picture", 0, total);
  log.set_bar(progress.get());
  for (int64_t i = 0; i < total; ++i) {
    output->add(views.views[i].name, drawing.draw(views.views[i].camera));
    progress->update(i + 1, "");
    if (interrupt.requested() && i + 1 < total) {
      log.set_bar(nullptr);
      output->finish();
      throw core::Interrupted(fmt::format("Stopped after {} of {} pictures; {} holds them.", i + 1,
                                          total, options.frames.output.string()));
    }
  }
  log.set_bar(nullptr);
  output->finish();
}

void draw_multiplane(const RenderOptions& options, core::ThreadPool& pool, RunLog& log) {
  core::MultiplaneVideo video = assets::read_multiplane_video(options.view.scene);
  RenderViews views = render_views(options.view, video.image);
  if (!video.moving.empty() && views.frames_per_second == 0) {
    views.frames_per_second = video.frames_per_second;
  }
  const double rate = options.frames.frames_per_second;
  MultiplaneDrawing drawing(video, rate > 0 ? rate : views.frames_per_second, options, pool);
  draw(options, drawing, std::move(views), log);
}

void draw_gaussians(RenderOptions& options, core::ThreadPool& pool, RunLog& log) {
  options.view.scene = scene_file(options.view.scene);
  core::GaussianScene scene = assets::read_scene(options.view.scene);
  for (const std::string& note : scene.notes) log.info("{}", note);
  if (scene.cloud.size() == 0) {
    throw core::IoError(options.view.scene, "it holds no Gaussians: there is nothing to draw");
  }
  const RenderViews views = render_views(options.view, scene, log);
  GaussianDrawing drawing(scene, options, pool);
  draw(options, drawing, views, log);
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
  core::ThreadPool pool(options.threads);
  options.view.scene = multiplane_file(options.view.scene);
  if (assets::is_multiplane(options.view.scene) || assets::names_multiplane(options.view.scene)) {
    draw_multiplane(options, pool, log);
  } else {
    draw_gaussians(options, pool, log);
  }
  log.info("Wrote {} in {}", options.frames.output.string(), duration_text(timer.seconds()));
  return kExitDone;
}

}  // namespace tessera::apps
