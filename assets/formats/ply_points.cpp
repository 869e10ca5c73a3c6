// SPDX-License-Identifier: MIT
#include "assets/formats/ply_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "assets/formats/ply_ending.h"
#include "assets/formats/ply_records.h"
#include "core/count_text.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

constexpr std::array<std::array<const char*, 3>, 3> kColorNames = {{
    {"red", "green", "blue"},
    {"diffuse_red", "diffuse_green", "diffuse_blue"},
    {"r", "g", "b"},
}};

struct Colors {
  std::array<size_t, 3> properties = {};
  PlyType type = PlyType::kUint8;
};

std::optional<Colors> find_colors(const PlyElement& element) {
  for (const auto& names : kColorNames) {
    Colors colors;
    bool all = true;
    for (size_t c = 0; c < 3; ++c) {
      const std::optional<size_t> found = element.find(names[c]);
      all = all && found && !element.properties[*found].length_type;
      if (all) colors.properties[c] = *found;
    }
    if (!all) continue;
    colors.type = element.properties[colors.properties[0]].type;
    return colors;
  }
  return std::nullopt;
}

// What 255 stands for: integers reach their type's end, floats 1 (or 255, where any is above 1).
double color_scale(PlyType type, const std::vector<float>& values) {
  if (type == PlyType::kUint16 || type == PlyType::kInt16) return 255.0 / 65535.0;
  if (type != PlyType::kFloat32 && type != PlyType::kFloat64) return 1.0;
  const bool above_one = std::any_of(values.begin(), values.end(), [](float v) { return v > 1; });
  return above_one ? 1.0 : 255.0;
}

}  // namespace

PointCloud read_ply_points(Bytes bytes, const PlyHeader& header, size_t vertex,
                           const std::filesystem::path& path) {
  const PlyElement& element = header.elements[vertex];
  const auto count = static_cast<size_t>(element.count);
  std::vector<double> positions(3 * count);
  std::vector<PlyColumn> columns;
  constexpr const char* kAxes[] = {"x", "y", "z"};
  for (size_t axis = 0; axis < 3; ++axis) {
    columns.push_back({*element.find(kAxes[axis]), nullptr, positions.data() + axis * count});
  }
  const std::optional<Colors> found = find_colors(element);
  std::vector<float> colors(found ? 3 * count : 0);
  for (size_t c = 0; found && c < 3; ++c) {
    columns.push_back({found->properties[c], colors.data() + c * count, nullptr});
  }
  read_ply_columns(bytes, header, vertex, columns, path);

  PointCloud cloud;
  if (auto note = ply_ending_note(bytes, header, vertex, path)) cloud.notes.push_back(*note);
  cloud.has_colors = found.has_value();
  const double scale = found ? color_scale(found->type, colors) : 1.0;
  cloud.points.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    core::ColoredPoint point;
    point.position = {positions[i], positions[count + i], positions[2 * count + i]};
    if (!std::isfinite(point.position.x + point.position.y + point.position.z)) continue;
    for (size_t c = 0; found && c < 3; ++c) {
      const double value = colors[c * count + i] * scale;
      point.rgb[c] =
          static_cast<uint8_t>(std::isnan(value) ? 128 : std::clamp(value, 0.0, 255.0) + 0.5);
    }
    cloud.points.push_back(point);
  }
  cloud.dropped = static_cast<int64_t>(count - cloud.points.size());
  if (cloud.dropped > 0) {
    cloud.notes.push_back(fmt::format("{} of {} points {} no finite position and {} left out",
                                      cloud.dropped, count, cloud.dropped == 1 ? "has" : "have",
                                      cloud.dropped == 1 ? "is" : "are"));
  }
  for (const PlyElement& other : header.elements) {
    if (other.name == "face" && other.count > 0) {
      cloud.notes.push_back(fmt::format("the file is a mesh of {}; only its vertices are read",
                                        core::plural(static_cast<int64_t>(other.count), "face")));
    }
  }
  return cloud;
}

}  // namespace tessera::assets
