// What the viewer asks of the program around it: files, training. The viewer knows only core's
// structures; apps implements this over assets and models.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/camera.h"
#include "core/capture.h"
#include "core/gaussian_cloud.h"
#include "core/image.h"
#include "core/multiplane_image.h"
#include "viewer/training/training.h"

namespace tessera::viewer {

// Points without extent.
struct PointSet {
  std::vector<core::ColoredPoint> points;
};

struct OpenedFile {
  std::variant<core::GaussianScene, PointSet, core::Capture, core::MultiplaneImage> content;
  // Where photos of it were taken, the first one first; empty if nothing beside the file says.
  std::vector<core::PosedCamera> cameras;
  std::vector<std::string> notes;                 // what the reader noticed, one sentence each
  math::Vec3<double> origin_in_file = {0, 0, 0};  // file coordinates = the content's + origin
};

// A photo without the distortion of its lens.
struct PinholePhoto {
  core::Image8 pixels;  // 3 channels
  core::Image8 mask;    // 0: the pixel says nothing; empty: all do
  core::Camera camera;  // a pinhole of the picture's size
};

struct SaveFormat {
  std::string name;       // "PLY"
  std::string extension;  // ".ply"
};

// Frames that are written, one after the other; without finish() nothing is left of them.
class Film {
 public:
  virtual ~Film() = default;
  virtual void add(const core::Image8& frame) = 0;  // RGB of the size that was said
  virtual void finish() = 0;
};

// open() and photo() are called on threads of the viewer's, several at once; all others on its own
// thread. All throw core::Error, whose sentence is shown.
class Host {
 public:
  virtual ~Host() = default;

  virtual OpenedFile open(const std::filesystem::path& path) = 0;
  // The photo of a view, at most `longest` pixels on a side.
  virtual PinholePhoto photo(const core::CaptureView& view, int longest) = 0;

  // Of the files that open() reads, with the dot, in lower case.
  virtual std::vector<std::string> readable_extensions() const = 0;
  // The sample scene. Throws core::Error that says where it was looked for.
  virtual std::filesystem::path sample() const = 0;

  virtual std::vector<SaveFormat> save_formats() const = 0;
  // What of the scene a file of this extension cannot hold, as phrases.
  virtual std::vector<std::string> losses(const std::filesystem::path& path,
                                          const core::GaussianScene& scene) const = 0;
  // Whole or not at all.
  virtual void save(const std::filesystem::path& path, const core::GaussianScene& scene) = 0;
  virtual void save_picture(const std::filesystem::path& path, const core::Image8& picture) = 0;

  // A film (.mp4), or a folder of PNG pictures for any other name.
  virtual std::unique_ptr<Film> film(const std::filesystem::path& path, int width, int height,
                                     double frames_per_second) = 0;

  // The training whose output folder that is, now or as soon as one runs there.
  virtual std::unique_ptr<Training> attach(const std::filesystem::path& output) = 0;
  // Starts one in a process that outlives this program; `options` are those of the command line.
  virtual void start_training(const std::filesystem::path& capture,
                              const std::filesystem::path& output,
                              const std::vector<std::string>& options) = 0;
};

}  // namespace tessera::viewer
