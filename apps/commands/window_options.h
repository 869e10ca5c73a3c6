// What `tessera view` and `tessera-viewer` take: the first checks it before the second is started.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/options.h"

namespace tessera::apps {

struct WindowOptions {
  std::vector<std::filesystem::path> files;
  std::filesystem::path screenshot;  // empty: a window
  int width = 1280;
  int height = 720;
  bool sized = false;              // width and height were asked for
  std::filesystem::path settings;  // their folder; empty: the user's for a window, else none
  std::vector<double> camera;  // where it stands, what it looks at; empty: where the scene begins
  double fov = 0;              // degrees; 0: the scene's
  std::string mode = "splats";
  std::filesystem::path attach;  // a run's folder, whose training is watched
  bool exact = false;
  bool panels = false;
  std::vector<std::string> lines;
};

enum class FilesNeeded { kNone, kOne };
void bind_window_options(core::OptionTable& table, WindowOptions& options, FilesNeeded needed);
// Throws core::UsageError for what cannot be meant together.
void check(const WindowOptions& options);

}  // namespace tessera::apps
