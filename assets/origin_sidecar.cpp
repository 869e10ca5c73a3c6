// SPDX-License-Identifier: MIT
#include "assets/origin_sidecar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <locale>
#include <optional>
#include <sstream>
#include <string>

#include "core/error.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxBytes = 1024;  // three numbers of any length that a program writes

std::string text_of(Origin origin) {
  return fmt::format("{:.17g} {:.17g} {:.17g}\n", origin[0], origin[1], origin[2]);
}

// The whole file, unless it is too long to be a sidecar.
std::string start_of(const fs::path& sidecar) {
  const core::Array<uint8_t> bytes = core::read_file_start(sidecar, kMaxBytes);
  return {bytes.begin(), bytes.end()};
}

// Three finite numbers and nothing else.
std::optional<std::array<double, 3>> parse_origin(const std::string& text) {
  std::array<double, 3> origin = {};
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  for (double& value : origin) {
    if (!(stream >> value) || !std::isfinite(value)) return std::nullopt;
  }
  stream >> std::ws;
  return stream.eof() ? std::optional(origin) : std::nullopt;
}

}  // namespace

fs::path sidecar_path(const fs::path& scene_path) {
  return scene_path.parent_path() / (scene_path.stem().string() + "_offset.xyz");
}

bool has_origin(Origin origin) {
  return std::any_of(origin.begin(), origin.end(), [](double value) { return value != 0; });
}

void apply_sidecar(const fs::path& scene_path, core::GaussianScene& scene) {
  const fs::path sidecar = sidecar_path(scene_path);
  if (!fs::exists(sidecar)) return;
  const auto origin = parse_origin(start_of(sidecar));
  if (!origin) {
    throw core::IoError(sidecar, fmt::format("does not hold three numbers, the offset of {}; mend "
                                             "it, or rename it to read the scene without one",
                                             scene_path.filename().string()));
  }
  for (int axis = 0; axis < 3; ++axis) scene.origin_in_file[axis] += (*origin)[axis];
  scene.notes.push_back(
      fmt::format("coordinates are relative to {:.6g}, {:.6g}, {:.6g}, which {} "
                  "says",
                  (*origin)[0], (*origin)[1], (*origin)[2], sidecar.string()));
}

bool sidecar_holds(const fs::path& scene_path, Origin origin) {
  return start_of(sidecar_path(scene_path)) == text_of(origin);
}

void write_sidecar(const fs::path& scene_path, Origin origin) {
  core::write_file_atomically(sidecar_path(scene_path), text_of(origin));
}

bool has_own_sidecar(const fs::path& scene_path) {
  const fs::path sidecar = sidecar_path(scene_path);
  if (!fs::exists(sidecar)) return false;
  const std::string text = start_of(sidecar);
  const auto origin = parse_origin(text);
  if (!origin || text != text_of(*origin)) {
    throw core::IoError(sidecar,
                        fmt::format("was not written with a scene, but would be read as the offset "
                                    "of {}; rename it, or give the scene another name",
                                    scene_path.filename().string()));
  }
  return true;
}

}  // namespace tessera::assets
