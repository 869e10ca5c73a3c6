// Where a run's files go, so that other programs open the folder too (the layout of the original
// implementation), and what may be overwritten.
//
//   OUT/scene.ply                                      the scene as last saved
//   OUT/point_cloud/iteration_N/point_cloud.ply        each scene saved
//   OUT/cfg_args, cameras.json, input.ply              what viewers of that layout read
//   OUT/results.json, per_view.json, report.html       figures
//   OUT/run.json, history.json, log.txt, checkpoints/  the run's own record
//   OUT/console.txt                                    what a run printed that the viewer started,
//                                                      or the viewer that a run started
//   OUT/.live                                          the socket of those who watch, while it runs
//   OUT/replaced_run/                                  the run before, until this one has finished
//
// With a scene file as the output (x.ply, x.splat) the file is the scene and all else stands in
// x_run/ beside it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/camera.h"
#include "core/capture.h"
#include "core/math/vec.h"

namespace tessera::apps {

struct OutputLayout {
  std::filesystem::path scene;   // the scene file
  std::filesystem::path folder;  // of everything else
  bool scene_is_output = false;  // the output is the scene file, not the folder

  std::filesystem::path record() const { return folder / "run.json"; }
  std::filesystem::path history() const { return folder / "history.json"; }
  std::filesystem::path log() const { return folder / "log.txt"; }
  std::filesystem::path console() const { return folder / "console.txt"; }
  std::filesystem::path report() const { return folder / "report.html"; }
  std::filesystem::path checkpoints() const { return folder / "checkpoints"; }
  std::filesystem::path saved_scene(int64_t iteration) const;
};

// A folder, or a scene file if the name ends like one. Throws core::UsageError for a file that is
// of no scene format that can be written.
OutputLayout output_layout(const std::filesystem::path& output);

// Refuses an output that exists (unless `force`), or that is the capture or one of `inputs`.
// Throws core::UsageError.
void check_output(const OutputLayout& layout, bool force, const std::filesystem::path& capture,
                  const std::vector<std::filesystem::path>& inputs);

// Throws core::IoError if nothing can be written there. Leaves nothing behind, no folder either.
void require_writable(const OutputLayout& layout);

// Throws core::IoError if `file`, unless it is empty or belongs into the output's folder, names a
// folder that is not there.
void require_folder_of(const std::filesystem::path& file, const OutputLayout& layout);

// Makes the folders that a run writes to. Throws core::IoError.
void make_folders(const OutputLayout& layout);

// Throws core::IoError if the file system that holds `folder` has less than `bytes` left.
void require_space(const std::filesystem::path& folder, uint64_t bytes, const std::string& what);

struct NamedCamera {
  std::string name;
  core::PosedCamera camera;
};

// cfg_args, cameras.json and, if there are points, input.ply: in the scene file's own numbers, so
// that they fit together in programs that know of no offset.
void write_viewer_files(const OutputLayout& layout, const core::Capture& capture,
                        std::span<const NamedCamera> cameras, int sh_degree, bool white_background,
                        bool eval);

}  // namespace tessera::apps
