// Gaussians in PLY, in the layout of Kerbl et al. 2023 and its variants: any order of properties,
// any number types, with or without normals, degrees 0 to 4.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "assets/formats/far_origin.h"
#include "assets/formats/formats.h"
#include "assets/formats/ply_comments.h"
#include "assets/formats/ply_ending.h"
#include "assets/formats/ply_points.h"
#include "assets/formats/ply_records.h"
#include "assets/formats/usable.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/file_parts.h"

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

void add_position_columns(const PlyElement& element, std::vector<double> (&positions)[3],
                          std::vector<PlyColumn>& columns, const fs::path& path) {
  for (int axis = 0; axis < 3; ++axis) {
    positions[axis].resize(static_cast<size_t>(element.count));
    columns.push_back({find_number(element, kAxes[axis], path), nullptr, positions[axis].data()});
  }
}

core::GaussianScene read_gaussians(Bytes bytes, const PlyHeader& header, size_t vertex,
                                   const fs::path& path) {
  const PlyElement& element = header.elements[vertex];
  const auto count = static_cast<int64_t>(element.count);
  core::GaussianScene scene;
  scene.cloud = core::GaussianCloud(sh_degree_of(element, path), count);
  std::vector<PlyColumn> columns = parameter_columns(element, scene.cloud, path);
  std::vector<double> positions[3];
  add_position_columns(element, positions, columns, path);
  read_ply_columns(bytes, header, vertex, columns, path);
  if (auto note = ply_ending_note(bytes, header, vertex, path)) scene.notes.push_back(*note);
  apply_ply_comments(header.comments, scene);
  set_means(scene.cloud, positions, shift_of(positions, scene));
  keep_usable(scene);
  return scene;
}

// Binary records of Gaussians that follow the header: pieces of the file are such files again.
class PlyReader final : public SceneReader {
 public:
  PlyReader(const fs::path& path, PlyHeader header)
      : path_(path), file_(path), header_(std::move(header)) {
    scene_.cloud.sh_degree = sh_degree_of(vertex(), path_);
    apply_ply_comments(header_.comments, scene_);
    shift_ = shift_of_file();
  }

  const core::GaussianScene& scene() const override { return scene_; }
  int64_t count() const override { return static_cast<int64_t>(vertex().count); }

  core::GaussianCloud read(int64_t first, int64_t count) override {
    core::GaussianScene piece;
    piece.cloud = core::GaussianCloud(scene_.cloud.sh_degree, count);
    const PlyHeader header = header_of(count);
    std::vector<PlyColumn> columns = parameter_columns(header.elements[0], piece.cloud, path_);
    std::vector<double> positions[3];
    add_position_columns(header.elements[0], positions, columns, path_);
    read_records(first, header, columns);
    set_means(piece.cloud, positions, shift_);
    keep_usable(piece);
    return std::move(piece.cloud);
  }

 private:
  const PlyElement& vertex() const { return header_.elements[0]; }

  // Of a file of so many of the records.
  PlyHeader header_of(int64_t count) const {
    PlyHeader header;
    header.encoding = header_.encoding;
    header.elements = {vertex()};
    header.elements[0].count = static_cast<uint64_t>(count);
    return header;
  }

  void read_records(int64_t first, const PlyHeader& header, const std::vector<PlyColumn>& columns) {
    const uint64_t size = vertex().record_size();
    bytes_.resize(static_cast<int64_t>(header.elements[0].count * size));
    file_.read(header_.size + static_cast<uint64_t>(first) * size, bytes_.data(),
               static_cast<size_t>(bytes_.size()));
    read_ply_columns(bytes_.view(), header, 0, columns, path_);
  }

  Shift shift_of_file() {
    std::vector<double> samples[3], one[3];
    const PlyHeader header = header_of(1);
    std::vector<PlyColumn> columns;
    add_position_columns(header.elements[0], one, columns, path_);
    const auto step = static_cast<int64_t>(shift_sample_step(vertex().count));
    for (int64_t i = 0; i < count(); i += step) {
      read_records(i, header, columns);
      for (int axis = 0; axis < 3; ++axis) samples[axis].push_back(one[axis][0]);
    }
    return shift_of(samples, scene_);
  }

  const fs::path path_;
  const core::FileParts file_;
  const PlyHeader header_;
  core::GaussianScene scene_;
  Shift shift_ = {};
  core::Array<uint8_t> bytes_;
};

}  // namespace

std::unique_ptr<SceneReader> open_ply(const fs::path& path) {
  constexpr uint64_t kLongestHeader = 65536;
  const core::Array<uint8_t> start = core::read_file_start(path, kLongestHeader);
  const std::string_view text(reinterpret_cast<const char*>(start.data()),
                              static_cast<size_t>(start.size()));
  if (text.find("end_header") == std::string_view::npos) return nullptr;
  PlyHeader header = parse_ply_header(start.view(), path);
  if (header.encoding == PlyEncoding::kAscii || header.elements.empty()) return nullptr;
  const PlyElement& element = header.elements[0];
  const uint64_t size = core::size_of_file(path);
  if (element.name != "vertex" || element.has_list() || element.find("packed_position") ||
      !has_gaussians(element) || header.size > size ||
      !fits(element.count, element.record_size(), size - header.size)) {
    return nullptr;
  }
  return std::make_unique<PlyReader>(path, std::move(header));
}

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
