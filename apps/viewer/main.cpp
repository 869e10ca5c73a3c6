// The `tessera-viewer` program: a window, or a picture without one.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands/window_options.h"
#include "apps/program.h"
#include "apps/viewer/viewer_host.h"
#include "core/error.h"
#include "core/options.h"
#include "viewer/gl/offscreen.h"
#include "viewer/viewer.h"
#include "viewer/window.h"

namespace tessera::apps {
namespace {

constexpr const char* kSettingsName = "viewer.json";

// What was asked for of the view, once all files are open.
void prepare(viewer::Viewer& viewer, const WindowOptions& o) {
  if (!o.attach.empty()) viewer.run("attach " + viewer::quoted_word(o.attach.string()));
  viewer.settle();
  for (const viewer::Notice& notice : viewer.notices()) {
    if (notice.is_error) throw core::Error(notice.text);
  }
  viewer.run("mode " + o.mode);
  if (o.fov > 0) viewer.camera().set_fov(o.fov);
  if (!o.camera.empty()) viewer.run(fmt::format("camera {}", fmt::join(o.camera, " ")));
  viewer.settle();
  for (const std::string& line : o.lines) {
    viewer.run(line);
    viewer.settle();
  }
}

std::filesystem::path folder_of_settings(const WindowOptions& o) {
  return o.settings.empty() ? viewer::settings_folder() : o.settings;
}

void take_picture(const WindowOptions& o) {
  const viewer::OffscreenContext context;
  std::optional<viewer::SettingsFile> settings;
  if (!o.settings.empty()) settings.emplace(o.settings / kSettingsName);
  ViewerHost host;
  viewer::Viewer viewer(host);
  if (settings) viewer.remember_in(*settings);
  std::optional<viewer::Recovery> recovery;
  if (settings) viewer.recover_in(recovery.emplace(o.settings));
  viewer.set_view_size(o.width, o.height);
  for (const std::filesystem::path& file : o.files) viewer.open(file);
  prepare(viewer, o);
  if (o.panels) {
    host.save_picture(o.screenshot, viewer.window_picture(o.width, o.height));
    return;
  }
  host.save_picture(o.screenshot, o.exact ? viewer.exact_picture(o.width, o.height)
                                          : viewer.picture(o.width, o.height));
}

void show_window(const WindowOptions& o) {
  std::optional<viewer::SettingsFile> settings;
  const std::filesystem::path folder = folder_of_settings(o);
  if (!folder.empty()) settings.emplace(folder / kSettingsName);
  viewer::Window window("Tessera", o.sized || !settings ? o.width : settings->settings().width,
                        o.sized || !settings ? o.height : settings->settings().height);
  ViewerHost host;
  viewer::Viewer viewer(host);
  if (settings) viewer.remember_in(*settings);
  std::optional<viewer::Recovery> recovery;
  if (settings) viewer.recover_in(recovery.emplace(folder));
  viewer.use_desktop_dialogs();
  for (const std::filesystem::path& file : o.files) viewer.open(file);
  bool prepared = false;
  window.show(viewer, [&] {
    if (!prepared) prepare(viewer, o);
    prepared = true;
  });
}

int run(const std::vector<std::string>& arguments) {
  WindowOptions o;
  core::OptionTable table("tessera-viewer", "Shows scenes, captures and multiplane images.",
                          "tessera-viewer scene.ply");
  bind_window_options(table, o, FilesNeeded::kNone);
  if (const auto help = table.parse(arguments)) {
    fmt::print("{}", *help);
    return kExitDone;
  }
  check(o);
  if (o.screenshot.empty()) {
    show_window(o);
  } else {
    take_picture(o);
  }
  return kExitDone;
}

}  // namespace
}  // namespace tessera::apps

int main(int count, char** arguments) {
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return tessera::apps::run({arguments + 1, arguments + count});
  } catch (...) {
    return tessera::apps::report_current_exception("tessera-viewer");
  }
}
