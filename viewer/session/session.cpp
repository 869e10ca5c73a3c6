// SPDX-License-Identifier: MIT
#include "viewer/session/session.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "viewer/draw/draw_mode.h"
#include "viewer/draw/splat_state.h"

namespace tessera::viewer {
namespace {

using Json = nlohmann::json;
using math::Mat3;
using math::Vec3;

constexpr int kVersion = 1;
constexpr int64_t kMostSplats = int64_t{1} << 31;

Json json_of(Vec3<double> v) {
  return {v.x, v.y, v.z};
}

Json json_of(const Mat3<double>& m) {
  Json rows = Json::array();
  for (const auto& row : m.m) {
    for (const double value : row) rows.push_back(value);
  }
  return rows;
}

Json json_of(const ViewCamera& camera) {
  return {{"center", json_of(camera.center)},
          {"rotation", json_of(camera.rotation)},
          {"pivot_distance", camera.pivot_distance},
          {"fov_deg", camera.fov_y},
          {"orthographic", camera.orthographic}};
}

Json json_of(const SessionScene& scene, const std::filesystem::path& folder) {
  std::filesystem::path path = scene.path;
  if (!folder.empty()) {
    const std::filesystem::path near = path.lexically_relative(folder);
    if (!near.empty() && *near.begin() != "..") path = near;
  }
  Json json = {{"path", path.string()},
               {"name", scene.name},
               {"visible", scene.visible},
               {"rotation", json_of(scene.placement.rotation)},
               {"translation", json_of(scene.placement.translation)},
               {"scale", scene.placement.scale}};
  json["states"] = Json::array();  // lengths and states in turn
  for (const StateRun& run : scene.runs) {
    json["states"].push_back(run.length);
    json["states"].push_back(run.state);
  }
  return json;
}

// What is not a number, or not finite, is refused like any other word in the wrong place.
double number(const Json& json) {
  const double value = json.get<double>();
  if (!std::isfinite(value)) throw core::Error("a number is not finite");
  return value;
}

Vec3<double> vector(const Json& json) {
  return {number(json.at(0)), number(json.at(1)), number(json.at(2))};
}

Mat3<double> rotation(const Json& json) {
  Mat3<double> m;
  for (int i = 0; i < 9; ++i) m.m[i / 3][i % 3] = number(json.at(i));
  const Mat3<double> square = m * transpose(m);
  for (int i = 0; i < 9; ++i) {
    const double wanted = i % 4 == 0 ? 1 : 0;
    if (std::abs(square.m[i / 3][i % 3] - wanted) > 1e-6) {
      throw core::Error("a rotation is none");
    }
  }
  return m;
}

ViewCamera camera(const Json& json) {
  ViewCamera camera;
  camera.center = vector(json.at("center"));
  camera.rotation = rotation(json.at("rotation"));
  camera.pivot_distance = std::max(1e-9, number(json.at("pivot_distance")));
  camera.fov_y = std::clamp(number(json.at("fov_deg")), 1.0, 170.0);
  camera.orthographic = json.at("orthographic").get<bool>();
  return camera;
}

std::vector<StateRun> runs(const Json& json) {
  std::vector<StateRun> runs;
  for (size_t i = 0; i + 1 < json.size(); i += 2) {
    const auto length = json.at(i).get<int64_t>();
    const auto state = json.at(i + 1).get<int>();
    if (length <= 0 || length > kMostSplats || state < 0 ||
        state > (kSelected | kHidden | kDeleted)) {
      throw core::Error("what it says of splats is wrong");
    }
    runs.push_back({length, static_cast<uint8_t>(state)});
  }
  return runs;
}

SessionScene scene(const Json& json, const std::filesystem::path& folder) {
  SessionScene scene;
  scene.path = folder / json.at("path").get<std::string>();
  scene.name = json.at("name").get<std::string>();
  scene.visible = json.at("visible").get<bool>();
  scene.placement.rotation = rotation(json.at("rotation"));
  scene.placement.translation = vector(json.at("translation"));
  scene.placement.scale = number(json.at("scale"));
  if (scene.placement.scale <= 0) throw core::Error("a scale is not above 0");
  scene.runs = runs(json.at("states"));
  return scene;
}

Json json_of(const SceneStyle& style) {
  return {{"mode", kDrawModes[static_cast<int>(style.splats.mode)].name},
          {"antialiased", style.splats.antialiased},
          {"sh_degree", style.splats.sh_degree},
          {"background",
           {style.splats.background.x, style.splats.background.y, style.splats.background.z}},
          {"cameras", style.cameras},
          {"outlines", style.outlines},
          {"point_size", style.point_size}};
}

SceneStyle style(const Json& json) {
  SceneStyle style;
  const auto named = json.at("mode").get<std::string>();
  const auto* const mode = std::find_if(std::begin(kDrawModes), std::end(kDrawModes),
                                        [&](const DrawModeEntry& e) { return e.name == named; });
  if (mode == std::end(kDrawModes)) throw core::Error("it draws in no mode of this program");
  style.splats.mode = static_cast<DrawMode>(mode - std::begin(kDrawModes));
  style.splats.antialiased = json.at("antialiased").get<bool>();
  style.splats.sh_degree = std::clamp(json.at("sh_degree").get<int>(), 0, core::kMaxShDegree);
  const Vec3<double> background = vector(json.at("background"));
  style.splats.background = {static_cast<float>(background.x), static_cast<float>(background.y),
                             static_cast<float>(background.z)};
  style.cameras = json.at("cameras").get<bool>();
  style.outlines = json.at("outlines").get<bool>();
  style.point_size = static_cast<float>(std::clamp(number(json.at("point_size")), 0.5, 64.0));
  return style;
}

Json json_of(const CameraPath& path) {
  Json keys = Json::array();
  for (const core::CameraKey& key : path.keys) {
    keys.push_back({{"position", json_of(key.position)},
                    {"target", json_of(key.target)},
                    {"up", json_of(key.up)},
                    {"fov_deg", key.fov_deg}});
  }
  return {{"keys", keys}, {"seconds", path.seconds}, {"frames_per_second", path.frames_per_second}};
}

CameraPath path(const Json& json) {
  CameraPath path;
  for (const Json& key : json.at("keys")) {
    path.keys.push_back({vector(key.at("position")), vector(key.at("target")), vector(key.at("up")),
                         std::clamp(number(key.at("fov_deg")), 1.0, 170.0)});
  }
  path.seconds = std::clamp(number(json.at("seconds")), 0.1, 3600.0);
  path.frames_per_second = std::clamp(number(json.at("frames_per_second")), 1.0, 240.0);
  return path;
}

Session session(const Json& json, const std::filesystem::path& folder) {
  if (json.at("tessera_view").get<int>() != kVersion) throw core::Error("its version is another");
  Session session;
  for (const Json& entry : json.at("scenes")) session.scenes.push_back(scene(entry, folder));
  session.current = json.at("current").get<int>();
  if (session.current < -1 || session.current >= static_cast<int>(session.scenes.size())) {
    throw core::Error("the chosen scene is none of it");
  }
  session.camera = camera(json.at("camera"));
  session.up = vector(json.at("up"));
  if (dot(session.up, session.up) < 1e-12) throw core::Error("its vertical is no direction");
  for (size_t i = 0; i < session.bookmarks.size(); ++i) {
    const Json& kept = json.at("bookmarks").at(i);
    if (!kept.is_null()) session.bookmarks[i] = camera(kept);
  }
  session.style = style(json.at("style"));
  session.path = path(json.at("path"));
  return session;
}

}  // namespace

std::vector<StateRun> runs_of(const core::Array<uint8_t>& states) {
  std::vector<StateRun> runs;
  for (int64_t begin = 0; begin < states.size();) {
    const auto* end = std::find_if(states.begin() + begin, states.end(),
                                   [&](uint8_t state) { return state != states[begin]; });
    const auto length = static_cast<int64_t>(end - states.begin()) - begin;
    runs.push_back({length, states[begin]});
    begin += length;
  }
  return runs;
}

std::shared_ptr<const core::Array<uint8_t>> states_of(const std::vector<StateRun>& runs,
                                                      int64_t splats) {
  int64_t left = splats;
  for (const StateRun& run : runs) left -= std::min(run.length, left + 1);
  if (left != 0) return nullptr;
  auto states = std::make_shared<core::Array<uint8_t>>(splats);
  uint8_t* to = states->data();
  for (const StateRun& run : runs) to = std::fill_n(to, run.length, run.state);
  return states;
}

std::string session_text(const Session& session, const std::filesystem::path& folder) {
  Json scenes = Json::array(), bookmarks = Json::array();
  for (const SessionScene& scene : session.scenes) scenes.push_back(json_of(scene, folder));
  for (const std::optional<ViewCamera>& kept : session.bookmarks) {
    bookmarks.push_back(kept ? json_of(*kept) : Json());
  }
  const Json json = {{"tessera_view", kVersion},        {"scenes", scenes},
                     {"current", session.current},      {"camera", json_of(session.camera)},
                     {"up", json_of(session.up)},       {"bookmarks", bookmarks},
                     {"style", json_of(session.style)}, {"path", json_of(session.path)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Session parsed_session(const std::string& text, const std::filesystem::path& file) {
  try {
    return session(Json::parse(text), file.parent_path());
  } catch (const Json::exception&) {
    throw core::IoError(file, "is no session of this program, or damaged");
  } catch (const core::Error& error) {
    throw core::IoError(file, std::string("is a damaged session: ") + error.what());
  }
}

}  // namespace tessera::viewer
