// What is open and how it is seen, as a file: scenes by their paths, where they stand, what of them
// is chosen, hidden and deleted, the camera, bookmarks, the path.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/array.h"
#include "core/similarity.h"
#include "viewer/camera/camera_path.h"
#include "viewer/camera/view_camera.h"
#include "viewer/draw/scene_renderer.h"

namespace tessera::viewer {

inline constexpr const char* kSessionExtension = ".tessera-view";

// Splats that follow one another in the file, and their state (splat_state.h).
struct StateRun {
  int64_t length = 0;
  uint8_t state = 0;

  friend bool operator==(const StateRun&, const StateRun&) = default;
};
std::vector<StateRun> runs_of(const core::Array<uint8_t>& states);
// Null unless the runs are of so many splats.
std::shared_ptr<const core::Array<uint8_t>> states_of(const std::vector<StateRun>& runs,
                                                      int64_t splats);

struct SessionScene {
  std::filesystem::path path;
  std::string name;
  bool visible = true;
  core::Similarity placement;
  std::vector<StateRun> runs;  // empty if it has no splats
};

struct Session {
  std::vector<SessionScene> scenes;
  int current = -1;  // of the scenes; -1: none
  ViewCamera camera;
  math::Vec3<double> up = {0, -1, 0};
  std::array<std::optional<ViewCamera>, 9> bookmarks;
  SceneStyle style;
  CameraPath path;
};

// JSON. Scenes within `folder` are named from there; give none for paths that hold everywhere.
std::string session_text(const Session& session, const std::filesystem::path& folder);
// Relative paths are from `file`'s folder. Throws core::IoError.
Session parsed_session(const std::string& text, const std::filesystem::path& file);

}  // namespace tessera::viewer
