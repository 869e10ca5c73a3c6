// SPDX-License-Identifier: MIT
#include "apps/commands/window_options.h"

#include <fmt/format.h>

#include "apps/commands/render_cameras.h"
#include "core/error.h"

namespace tessera::apps {

void bind_window_options(core::OptionTable& table, WindowOptions& o, FilesNeeded needed) {
  core::Option& files =
      table.positional("FILE", o.files, "scenes, point clouds, captures, multiplane images");
  if (needed == FilesNeeded::kNone) files.optional();
  table.add("--screenshot", o.screenshot, "PICTURE", "draw this instead of opening a window")
      .common();
  table
      .add_parsed(
          "--size", "WxH", "of the window or the picture",
          [&o](const std::string& text) {
            parse_size(text, o.width, o.height);
            o.sized = true;
          },
          [&o] { return fmt::format("{}x{}", o.width, o.height); })
      .common();
  table
      .add("--camera", o.camera, "N,...",
           "where it stands and what it looks at: x,y,z,to_x,to_y,to_z")
      .common();
  table.add("--fov", o.fov, "DEGREES", "the vertical field of view; 0: the scene's")
      .range(0, 140)
      .common();
  table
      .add("--mode", o.mode, "MODE",
           "splats, centers, ellipsoids, depth, normals, alpha or overlaps")
      .common();
  table.add("--attach", o.attach, "FOLDER", "watch the training that writes there").common();
  table.flag("--exact", o.exact, "draw the picture by the exact rasterizer").common();
  table.flag("--panels", o.panels, "draw the whole window into the picture");
  table.add("--settings", o.settings, "FOLDER", "where the window remembers things between runs");
  table.add("--run", o.lines, "LINE", "a command of the window, once all is open; repeatable")
      .common();
}

void check(const WindowOptions& o) {
  if (!o.camera.empty() && o.camera.size() != 6) {
    throw core::UsageError("--camera", "takes six numbers: x,y,z,to_x,to_y,to_z");
  }
  if (o.screenshot.empty() && (o.exact || o.panels)) {
    throw core::UsageError(o.exact ? "--exact" : "--panels",
                           "is for pictures; give --screenshot, too");
  }
  if (!o.screenshot.empty() && o.files.empty() && o.attach.empty()) {
    throw core::UsageError("--screenshot", "needs a file to show");
  }
}

}  // namespace tessera::apps
