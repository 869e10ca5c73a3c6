// A viewer without a window on made scenes, and its hands.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "tests/support/random_scene.h"
#include "viewer/gl/offscreen.h"
#include "viewer/viewer.h"

namespace tessera::test {

// "made.ply" and "other.ply" are scenes, "points.ply" points, "capture" a capture of three photos;
// anything else is refused.
class MadeHost : public viewer::Host {
 public:
  viewer::OpenedFile open(const std::filesystem::path& path) override {
    const std::filesystem::path name = path.filename();
    viewer::OpenedFile file;
    const core::PosedCamera camera = pinhole_camera(64, 48);
    if (name == "made.ply" || name == "other.ply") {
      RandomCloud spec;
      spec.seed = name == "made.ply" ? 1 : 2;
      spec.count = name == "made.ply" ? 400 : 100;
      core::GaussianScene scene;
      scene.cloud = random_cloud(spec, camera);
      file.content = std::move(scene);
      file.cameras = {camera};
    } else if (name == "points.ply") {
      file.content = viewer::PointSet{{{{0, 0, 2}, {255, 0, 0}}, {{1, 0, 3}, {0, 255, 0}}}};
    } else if (name == "capture") {
      core::Capture capture;
      capture.kind = "made";
      for (int i = 0; i < 3; ++i) {
        core::CaptureView view;
        view.name = "photo " + std::to_string(i);
        view.camera = camera.camera;
        view.cam_from_world.translation = {-0.5 * i, 0, 0};
        file.cameras.push_back({view.camera, view.cam_from_world});
        capture.views.push_back(view);
      }
      capture.points = {{{0, 0, 2}, {255, 0, 0}}, {{0, 1, 4}, {0, 0, 255}}};
      file.content = std::move(capture);
    } else {
      throw core::IoError(path, "is no scene of a kind that is made here");
    }
    return file;
  }
  // Gray, of the camera's own size.
  viewer::PinholePhoto photo(const core::CaptureView& view, int /*longest*/) override {
    if (view.name == "photo 2") throw core::IoError("photo 2", "is broken");
    viewer::PinholePhoto photo;
    photo.camera = view.camera;
    photo.pixels = core::Image8(view.camera.width, view.camera.height, 3);
    photo.pixels.data.fill(128);
    return photo;
  }
  std::vector<std::string> readable_extensions() const override { return {".ply", ".splat"}; }
  std::filesystem::path sample() const override { return "capture"; }
  std::vector<viewer::SaveFormat> save_formats() const override { return {{"PLY", ".ply"}}; }
  std::vector<std::string> losses(const std::filesystem::path& /*path*/,
                                  const core::GaussianScene& /*scene*/) const override {
    return {};
  }
  void save(const std::filesystem::path& path, const core::GaussianScene& scene) override {
    if (!path.has_extension()) throw core::IoError(path, "has no extension that says its format");
    saved[path] = scene;
  }
  void save_picture(const std::filesystem::path& path, const core::Image8& picture) override {
    pictures[path] = picture;
  }

  std::unique_ptr<viewer::Film> film(const std::filesystem::path& path, int width, int height,
                                     double frames_per_second) override {
    films[path] = {width, height, frames_per_second, false, {}};
    return std::make_unique<MadeFilm>(films[path]);
  }
  std::unique_ptr<viewer::Training> attach(const std::filesystem::path& output) override {
    if (output != "run") throw core::IoError(output, "is no folder of a run that is made here");
    return std::make_unique<MadeTraining>(training);
  }
  void start_training(const std::filesystem::path& capture, const std::filesystem::path& output,
                      const std::vector<std::string>& options) override {
    started = {capture.string(), output.string()};
    started.insert(started.end(), options.begin(), options.end());
  }

  struct FilmMade {
    int width = 0, height = 0;
    double frames_per_second = 0;
    bool finished = false;
    std::vector<core::Image8> frames;
  };
  std::map<std::filesystem::path, FilmMade> films;

  // Steps as the test sets them; what was asked of it.
  struct TrainingState {
    std::mutex mutex;
    viewer::TrainingFigures figures;
    viewer::TrainedScene scene;
    std::vector<std::string> asked;
  };
  std::shared_ptr<TrainingState> training = std::make_shared<TrainingState>();
  std::vector<std::string> started;

  std::map<std::filesystem::path, core::GaussianScene> saved;
  std::map<std::filesystem::path, core::Image8> pictures;

 private:
  class MadeFilm : public viewer::Film {
   public:
    explicit MadeFilm(FilmMade& film) : film_(film) {}
    void add(const core::Image8& frame) override { film_.frames.push_back(frame); }
    void finish() override { film_.finished = true; }

   private:
    FilmMade& film_;
  };

  class MadeTraining : public viewer::Training {
   public:
    explicit MadeTraining(std::shared_ptr<TrainingState> state) : state_(std::move(state)) {}

    viewer::TrainingFigures figures() const override {
      const std::lock_guard lock(state_->mutex);
      return state_->figures;
    }
    viewer::TrainedScene newer_scene(int64_t step, double seconds) override {
      {
        const std::lock_guard lock(state_->mutex);
        if (state_->scene.step > step) return state_->scene;
      }
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 10));
      return {};
    }
    void watch(double share) override { ask("watch " + std::to_string(share)); }
    bool pause() override { return ask("pause"); }
    bool resume() override { return ask("resume"); }
    bool save() override { return ask("save"); }
    bool stop() override { return ask("stop"); }

   private:
    bool ask(const std::string& what) {
      const std::lock_guard lock(state_->mutex);
      state_->asked.push_back(what);
      return state_->figures.attached;
    }

    std::shared_ptr<TrainingState> state_;
  };
};

// A window of 900x600 at 60 frames a second.
class DrivenViewer {
 public:
  DrivenViewer() : viewer(host) {
    canvas.resize(kWidth, kHeight);
    frames(2);
  }

  void frames(int count, double seconds = 1.0 / 60) {
    for (int i = 0; i < count; ++i) {
      viewer.frame(canvas.framebuffer(), kWidth, kHeight, 1, seconds);
    }
  }
  void run(const std::string& line) {
    viewer.run(line);
    viewer.settle();
    frames(2);
  }
  void move(double x, double y) {
    viewer::InputEvent event;
    event.x = x;
    event.y = y;
    event.modifiers = modifiers;
    viewer.handle(event);
    frames(1);
  }
  void button(viewer::MouseButton which, bool down, double x, double y) {
    viewer::InputEvent event;
    event.kind = viewer::InputEvent::Kind::kButton;
    event.button = which;
    event.down = down;
    event.x = x;
    event.y = y;
    event.modifiers = modifiers;
    viewer.handle(event);
    frames(1);
  }
  void drag(viewer::MouseButton which, double from_x, double from_y, double to_x, double to_y) {
    move(from_x, from_y);
    button(which, true, from_x, from_y);
    for (int i = 1; i <= 8; ++i) {
      move(from_x + (to_x - from_x) * i / 8, from_y + (to_y - from_y) * i / 8);
    }
    button(which, false, to_x, to_y);
    settle();
  }
  void wheel(double steps) {
    viewer::InputEvent event;
    event.kind = viewer::InputEvent::Kind::kWheel;
    event.y = steps;
    viewer.handle(event);
    settle();
  }
  void key(const std::string& chord) {
    viewer::InputEvent event;
    event.kind = viewer::InputEvent::Kind::kKey;
    const auto parsed = viewer::parse_chord(chord);
    if (!parsed) throw core::UsageError(chord, "is no key");
    event.key = parsed->key;
    event.modifiers = parsed->modifiers;
    event.down = true;
    viewer.handle(event);
    frames(1);
    event.down = false;
    viewer.handle(event);
    settle();
  }
  void settle() {
    frames(10, 0.1);
    viewer.settle();
    frames(2);
  }
  // Of the view, from the window's corner.
  double middle_x() const { return viewer.view_rect().x + viewer.view_rect().width / 2.0; }
  double middle_y() const { return viewer.view_rect().y + viewer.view_rect().height / 2.0; }

  static constexpr int kWidth = 900, kHeight = 600;
  viewer::OffscreenContext context;
  MadeHost host;
  viewer::Viewer viewer;
  viewer::Canvas canvas{viewer::CanvasPixels::kByte};
  viewer::Modifiers modifiers;
};

}  // namespace tessera::test
