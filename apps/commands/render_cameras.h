// Which cameras `tessera render` draws from, and the options that say so.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "core/camera.h"
#include "core/gaussian_cloud.h"
#include "core/log.h"
#include "core/multiplane_image.h"
#include "core/options.h"

namespace tessera::apps {

struct ViewOptions {
  std::filesystem::path scene;
  std::filesystem::path capture;
  bool turntable = false;
  std::filesystem::path path;
  std::string camera;  // X,Y,Z,TX,TY,TZ or a photo's name
  std::string motion;  // of a multiplane image, as motion_path() has it
  double amount = 1;   // how far that goes
  std::string up;      // "+z" or x,y,z
  int width = 0;       // 0: the cameras' own
  int height = 0;      // 0: follows from the width
  double fov_deg = 0;  // 0: the cameras' own
  int frames = 120;
};

// "1280x720", or "1280" alone: then `height` is 0. Throws std::invalid_argument with what is due.
void parse_size(const std::string& text, int& width, int& height);
// What parse_size() reads back; "" for a width of 0.
std::string size_text(int width, int height);

void bind_view_options(core::OptionTable& table, ViewOptions& options);

struct RenderView {
  std::string name;  // of its pictures, "left/0001.png" or "00012.png"
  core::PosedCamera camera;
};

struct RenderViews {
  std::vector<RenderView> views;
  double frames_per_second = 0;  // if the path file gives it
};

// `scene` is moved into the capture's coordinates if there is one. What was guessed (up, distance)
// goes to `log`. Throws core::UsageError for options that exclude one another.
RenderViews render_views(const ViewOptions& options, core::GaussianScene& scene, core::Log& log);
// The photo's view, --motion, --path or --camera. Throws core::UsageError for others.
RenderViews render_views(const ViewOptions& options, const core::MultiplaneImage& image);

}  // namespace tessera::apps
