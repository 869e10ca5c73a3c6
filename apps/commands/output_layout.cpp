// SPDX-License-Identifier: MIT
#include "apps/commands/output_layout.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "apps/commands/file_name.h"
#include "apps/commands/progress.h"
#include "apps/commands/replaced_run.h"
#include "apps/commands/result_file.h"
#include "assets/io.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

// What a run writes into its folder, and so replaces there.
constexpr const char* kOwnFiles[] = {"scene.ply",    "cfg_args",      "cameras.json", "input.ply",
                                     "results.json", "per_view.json", "report.html",  "run.json",
                                     "history.json", "log.txt"};
constexpr const char* kOwnFolders[] = {"point_cloud", "checkpoints"};

// Of scenes whose run's folder has the same name.
constexpr const char* kSceneExtensions[] = {".ply", ".splat"};

void refuse_inputs(const OutputLayout& layout, const fs::path& capture,
                   const std::vector<fs::path>& inputs) {
  std::error_code ignored;
  if (fs::equivalent(layout.folder, capture_folder(capture), ignored)) {
    throw core::UsageError("--output", fmt::format("{} is the capture itself, whose files stay as "
                                                   "they are; name another folder",
                                                   layout.folder.string()));
  }
  // What the run would replace, or remove when it ends, must not be anything that is read.
  std::vector<fs::path> read = inputs;
  read.push_back(capture);
  for (const fs::path& input : read) {
    bool hit = fs::equivalent(layout.scene, input, ignored);
    for (const char* name : kOwnFiles) {
      hit = hit || fs::equivalent(layout.folder / name, input, ignored);
    }
    std::vector<fs::path> folders = replaced_runs(layout);
    for (const char* name : kOwnFolders) folders.push_back(layout.folder / name);
    for (const fs::path& own : folders) {
      hit = hit || (fs::exists(input, ignored) && is_within(input, own));
    }
    if (hit) {
      throw core::UsageError("--output",
                             fmt::format("{} is read by this run and would be replaced; "
                                         "name another output",
                                         input.string()));
    }
  }
}

bool holds_more_than(const fs::path& folder, const fs::path& file) {
  const fs::directory_iterator entries(folder);
  return std::any_of(begin(entries), end(entries),
                     [&](const fs::directory_entry& entry) { return entry.path() != file; });
}

// Says what is there and what can be done about it.
void refuse_existing(const OutputLayout& layout) {
  const bool has_files = fs::is_directory(layout.folder)
                             ? holds_more_than(layout.folder, layout.console())
                             : fs::exists(layout.folder);
  const bool has_scene = layout.scene_is_output && fs::exists(layout.scene);
  if (!has_files && !has_scene) return;
  std::string what = (has_scene ? layout.scene : layout.folder).string();
  if (layout.scene_is_output && !has_scene) {
    for (const char* extension : kSceneExtensions) {
      fs::path other = layout.scene;
      if (fs::exists(other.replace_extension(extension))) {
        what += fmt::format(", the run of {},", other.string());
      }
    }
  }
  const bool is_run = fs::exists(layout.record());
  throw core::UsageError(
      "--output",
      fmt::format("{} exists; {}", what,
                  is_run ? "--resume goes on with that run, --force replaces it"
                  : has_scene
                      ? "name another output, or --force replaces it"
                      : "name another output, or --force writes into it and leaves other files"));
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw core::IoError(folder, fmt::format("the folder cannot be made ({}); name another output",
                                            error.message()));
  }
}

// A file is made and removed, since permission bits know nothing of read-only file systems and
// quotas; folders that had to be made for it go again.
void require_writable(const fs::path& folder) {
  std::vector<fs::path> made;  // the deepest first
  for (fs::path at = fs::absolute(folder); !fs::exists(at); at = at.parent_path()) {
    made.push_back(at);
  }
  make_folder(folder);
  std::string probe = (folder / ".tessera_XXXXXX").string();
  const int file = ::mkstemp(probe.data());
  const int error = errno;
  if (file >= 0) {
    ::close(file);
    ::unlink(probe.c_str());
  }
  std::error_code ignored;
  for (const fs::path& empty : made) fs::remove(empty, ignored);
  if (file < 0) {
    throw core::IoError(folder,
                        fmt::format("nothing can be written there ({}); name another output",
                                    std::strerror(error)));
  }
}

std::string python_bool(bool value) {
  return value ? "True" : "False";
}

std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '\'') out += '\\';
    out += c;
  }
  return "'" + out + "'";
}

std::string json_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return "\"" + out + "\"";
}

std::string cameras_json(std::span<const NamedCamera> cameras) {
  std::string json = "[";
  for (size_t i = 0; i < cameras.size(); ++i) {
    const core::Camera& c = cameras[i].camera.camera;
    const core::Rigid world_from_cam = cameras[i].camera.cam_from_world.inverse();
    const math::Vec3<double> p = world_from_cam.translation;
    const auto& m = world_from_cam.rotation.m;
    json += fmt::format(
        "{}\n{{\"id\": {}, \"img_name\": {}, \"width\": {}, \"height\": {}, \"position\": [{}, {}, "
        "{}], \"rotation\": [[{}, {}, {}], [{}, {}, {}], [{}, {}, {}]], \"fx\": {}, \"fy\": {}, "
        "\"cx\": {}, \"cy\": {}}}",
        i == 0 ? "" : ",", i, json_quoted(cameras[i].name), c.width, c.height, p.x, p.y, p.z,
        m[0][0], m[0][1], m[0][2], m[1][0], m[1][1], m[1][2], m[2][0], m[2][1], m[2][2], c.fx, c.fy,
        c.cx, c.cy);
  }
  return json + "\n]\n";
}

// x y z, normals of zero (readers of this layout ask for them) and colors.
std::string points_ply(const core::Capture& capture) {
  std::string ply = fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float "
      "y\nproperty float z\nproperty float nx\nproperty float ny\nproperty float nz\nproperty "
      "uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n",
      capture.points.size());
  for (const core::ColoredPoint& point : capture.points) {
    const float row[6] = {static_cast<float>(point.position.x),
                          static_cast<float>(point.position.y),
                          static_cast<float>(point.position.z),
                          0,
                          0,
                          0};
    ply.append(reinterpret_cast<const char*>(row), sizeof row);
    ply.append(reinterpret_cast<const char*>(point.rgb), sizeof point.rgb);
  }
  return ply;
}

}  // namespace

fs::path OutputLayout::saved_scene(int64_t iteration) const {
  return folder / "point_cloud" / fmt::format("iteration_{}", iteration) / "point_cloud.ply";
}

OutputLayout output_layout(const fs::path& output) {
  if (!fs::is_directory(output) && names_file(output)) {
    assets::check_writable(output, "--output");
    fs::path folder = output;
    folder.replace_filename(output.stem().string() + "_run");
    return {output, folder, true};
  }
  // "out/" is "out".
  const fs::path folder = output.has_filename() ? output : output.parent_path();
  return {folder / "scene.ply", folder, false};
}

void check_output(const OutputLayout& layout, bool force, const fs::path& capture,
                  const std::vector<fs::path>& inputs) {
  refuse_inputs(layout, capture, inputs);
  const fs::path& output = layout.scene_is_output ? layout.scene : layout.folder;
  if (!layout.scene_is_output && fs::exists(output) && !fs::is_directory(output)) {
    throw core::UsageError("--output",
                           fmt::format("{} is a file, and neither a folder nor of a scene format; "
                                       "name a folder or x.ply",
                                       output.string()));
  }
  if (!force) refuse_existing(layout);
}

void require_writable(const OutputLayout& layout) {
  require_writable(layout.folder);
  require_writable(fs::absolute(layout.scene).parent_path());
}

void require_folder_of(const fs::path& file, const OutputLayout& layout) {
  if (file.empty()) return;
  const fs::path folder = fs::absolute(file).parent_path();
  if (fs::exists(folder) || fs::weakly_canonical(folder) == fs::weakly_canonical(layout.folder)) {
    return;
  }
  throw core::IoError(file, "cannot be written, for its folder does not exist; create that first");
}

void make_folders(const OutputLayout& layout) {
  make_folder(layout.folder);
  make_folder(fs::absolute(layout.scene).parent_path());
}

void require_space(const fs::path& folder, uint64_t bytes, const std::string& what) {
  struct statvfs info = {};
  if (statvfs(folder.c_str(), &info) != 0) return;
  const uint64_t free = static_cast<uint64_t>(info.f_bavail) * info.f_frsize;
  if (free < bytes) {
    throw core::IoError(folder, fmt::format("only {} are free there, and {} need {}; make room or "
                                            "name another output",
                                            bytes_text(static_cast<double>(free)), what,
                                            bytes_text(static_cast<double>(bytes))));
  }
}

void write_viewer_files(const OutputLayout& layout, const core::Capture& capture,
                        std::span<const NamedCamera> cameras, int sh_degree, bool white_background,
                        bool eval) {
  core::write_file_atomically(
      layout.folder / "cfg_args",
      fmt::format("Namespace(data_device='cpu', eval={}, images='images', model_path={}, "
                  "resolution=-1, sh_degree={}, source_path={}, white_background={})",
                  python_bool(eval), quoted(fs::absolute(layout.folder).string()), sh_degree,
                  quoted(fs::absolute(capture.folder).string()), python_bool(white_background)));
  core::write_file_atomically(layout.folder / "cameras.json", cameras_json(cameras));
  if (capture.points.empty()) {
    fs::remove(layout.folder / "input.ply");  // of a run that was replaced
  } else {
    core::write_file_atomically(layout.folder / "input.ply", points_ply(capture));
  }
}

}  // namespace tessera::apps
