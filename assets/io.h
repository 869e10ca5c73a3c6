// Scenes and points from and to files of any format in the table.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "assets/format.h"

namespace tessera::assets {

// Gaussians or points, whichever the file holds; the format is told by the content first, then by
// the extension. Throws IoError if it is of no known format or broken.
SceneFile read_scene_or_points(const std::filesystem::path& path);

// The scene's Gaussians in pieces, as read_scene would give them; null if the file has to be read
// whole: for its format, for what is odd about it, or because it is no scene.
std::unique_ptr<SceneReader> open_scene(const std::filesystem::path& path);
// Of a scene that was read.
std::unique_ptr<SceneReader> pieces_of(core::GaussianScene scene);

// Throws IoError also if the file holds points only.
core::GaussianScene read_scene(const std::filesystem::path& path);

// A point cloud's points, or a scene's means with the colors of its degree 0.
PointCloud read_points(const std::filesystem::path& path);

// Whether a path's extension is that of a scene or a point cloud that is read.
bool names_scene(const std::filesystem::path& path);

// Throws UsageError if no format that is written has this extension: to be called before work
// starts. Throws IoError if a file NAME_offset.xyz of others would be read with it. `field` is the
// option that gave the path, "--output".
void check_writable(const std::filesystem::path& path, const std::string& field);

// Whether write_scene would replace or remove a file NAME_offset.xyz that says anything else than
// this scene's origin.
bool replaces_sidecar(const std::filesystem::path& path, const core::GaussianScene& scene);

// How many of these Gaussians a file gets: those that can be used (formats/usable.h).
int64_t count_written(const core::GaussianCloud& cloud);

// A scene written in pieces, by extension; whole or not at all, and so the origin's file beside it.
// Such a file that this program wrote for an earlier scene of that name is removed if it would move
// this one, which has no origin; throws IoError if one of others would.
class SceneWriter {
 public:
  // `scene` says all but the Gaussians, `count` how many will be written: count_written() of all
  // that are appended.
  SceneWriter(const std::filesystem::path& path, const core::GaussianScene& scene, int64_t count);
  ~SceneWriter();
  SceneWriter(const SceneWriter&) = delete;
  SceneWriter& operator=(const SceneWriter&) = delete;

  void append(const core::GaussianCloud& cloud);
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The whole scene as one piece.
void write_scene(const std::filesystem::path& path, const core::GaussianScene& scene);

// What of the scene a file of this extension cannot hold, as phrases.
std::vector<std::string> losses(const std::filesystem::path& path,
                                const core::GaussianScene& scene);

}  // namespace tessera::assets
