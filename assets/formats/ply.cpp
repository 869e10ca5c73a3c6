// Gaussians in PLY, in the layout of Kerbl et al. 2023 and its variants: any order of properties,
// any number types, with or without normals, degrees 0 to 4.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assets/formats/far_origin.h"
#include "assets/formats/formats.h"
#include "assets/formats/ply_comments.h"
#include "assets/formats/ply_ending.h"
#include "assets/formats/ply_points.h"
#include "assets/formats/ply_records.h"
#include "assets/formats/usable.h"
#include "core/error.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAxes[] = {"x", "y", "z"};

size_t find_vertex_element(const PlyHeader& header, const fs::path& path) {
  for (size_t i = 0; i < header.elements.size(); ++i) {
    if (header.elements[i].name == "vertex") return i;
  }
  throw core::IoError(path, "has no element 'vertex', so there is nothing in it that can be shown");
}

bool has_gaussians(const PlyElement& element) {
  return element.find("f_dc_0") || element.find("scale_0") || element.find("rot_0");
}

// The property that must be there as a number.
size_t find_number(const PlyElement& element, const std::string& name, const fs::path& path) {
  const std::optional<size_t> found = element.find(name);
  if (!found) {
    throw core::IoError(path, fmt::format("has no property '{}' in its element vertex", name));
  }
  if (element.properties[*found].length_type) {
    throw core::IoError(path,
                        fmt::format("has a list as its property '{}' where a number is due", name));
  }
  return *found;
}

int sh_degree_of(const PlyElement& element, const fs::path& path) {
  const auto rest =
      std::count_if(element.properties.begin(), element.properties.end(),
                    [](const PlyProperty& p) { return p.name.starts_with("f_rest_"); });
  for (int degree = 0; degree <= core::kMaxShDegree; ++degree) {
    if (rest == 3 * (core::sh_coefficient_count(degree) - 1)) return degree;
  }
  throw core::IoError(path, fmt::format("has {} properties f_rest_*; spherical harmonics of degree "
                                        "0, 1, 2, 3 and 4 have 0, 9, 24, 45 and 72",
                                        rest));
}

// Columns for everything but the position.
std::vector<PlyColumn> parameter_columns(const PlyElement& element, core::GaussianCloud& cloud,
                                         const fs::path& path) {
  std::vector<PlyColumn> columns;
  const auto add = [&](const std::string& name, int plane) {
    columns.push_back({find_number(element, name, path), cloud.plane(plane), nullptr});
  };
  for (int i = 0; i < 3; ++i) add(fmt::format("scale_{}", i), core::kLogScalePlane + i);
  for (int i = 0; i < 4; ++i) add(fmt::format("rot_{}", i), core::kQuaternionPlane + i);
  add("opacity", core::kOpacityPlane);
  for (int c = 0; c < 3; ++c) add(fmt::format("f_dc_{}", c), core::kShPlane + c);
  // f_rest is channel-major: all of red, then green, then blue.
  const int rest = core::sh_coefficient_count(cloud.sh_degree) - 1;
  for (int c = 0; c < 3; ++c) {
    for (int k = 0; k < rest; ++k) {
      add(fmt::format("f_rest_{}", c * rest + k), core::kShPlane + 3 * (k + 1) + c);
    }
  }
  return columns;
}

core::GaussianScene read_gaussians(Bytes bytes, const PlyHeader& header, size_t vertex,
                                   const fs::path& path) {
  const PlyElement& element = header.elements[vertex];
  const auto count = static_cast<int64_t>(element.count);
  core::GaussianScene scene;
  scene.cloud = core::GaussianCloud(sh_degree_of(element, path), count);
  std::vector<PlyColumn> columns = parameter_columns(element, scene.cloud, path);
  std::vector<double> positions[3];
  for (int axis = 0; axis < 3; ++axis) {
    positions[axis].resize(static_cast<size_t>(count));
    columns.push_back({find_number(element, kAxes[axis], path), nullptr, positions[axis].data()});
  }
  read_ply_columns(bytes, header, vertex, columns, path);
  if (auto note = ply_ending_note(bytes, header, vertex, path)) scene.notes.push_back(*note);
  apply_ply_comments(header.comments, scene);
  set_means(scene, positions);
  keep_usable(scene);
  return scene;
}

}  // namespace

bool probe_ply(Bytes bytes) {
  return is_ply(bytes);
}

SceneFile read_ply(Bytes bytes, const fs::path& path) {
  const PlyHeader header = parse_ply_header(bytes, path);
  const size_t vertex = find_vertex_element(header, path);
  const PlyElement& element = header.elements[vertex];
  if (element.find("packed_position")) {
    throw core::IoError(path,
                        "is a compressed PLY, which is not read; convert it to a plain PLY first");
  }
  for (const char* axis : kAxes) find_number(element, axis, path);
  check_ply_element(bytes, header, vertex, path);
  if (has_gaussians(element)) return read_gaussians(bytes, header, vertex, path);
  return read_ply_points(bytes, header, vertex, path);
}

}  // namespace tessera::assets
