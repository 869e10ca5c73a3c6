// Gaussians as the PLY that every viewer reads: Kerbl et al. 2023's layout, normals included.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "assets/formats/formats.h"
#include "assets/formats/ply_comments.h"
#include "assets/formats/usable.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

constexpr int64_t kBlockRows = 128;

struct FileColumn {
  std::string name;
  int plane;  // -1: zeros
};

std::vector<FileColumn> file_columns(int sh_degree) {
  std::vector<FileColumn> columns = {
      {"x", core::kMeanPlane}, {"y", core::kMeanPlane + 1}, {"z", core::kMeanPlane + 2}};
  for (const char* normal : {"nx", "ny", "nz"}) columns.push_back({normal, -1});
  for (int c = 0; c < 3; ++c) columns.push_back({fmt::format("f_dc_{}", c), core::kShPlane + c});
  const int rest = core::sh_coefficient_count(sh_degree) - 1;
  for (int c = 0; c < 3; ++c) {
    for (int k = 0; k < rest; ++k) {
      columns.push_back({fmt::format("f_rest_{}", c * rest + k), core::kShPlane + 3 * (k + 1) + c});
    }
  }
  columns.push_back({"opacity", core::kOpacityPlane});
  for (int i = 0; i < 3; ++i) {
    columns.push_back({fmt::format("scale_{}", i), core::kLogScalePlane + i});
  }
  for (int i = 0; i < 4; ++i) {
    columns.push_back({fmt::format("rot_{}", i), core::kQuaternionPlane + i});
  }
  return columns;
}

// The last four floats of each row, for Gaussians from `first` on.
void normalize_rotations(const core::GaussianCloud& cloud, int64_t first, int64_t count,
                         float* rows, int64_t floats_per_row) {
  for (int64_t i = 0; i < count; ++i) {
    const std::array<float, 4> unit = unit_quaternion(cloud, first + i);
    std::copy(unit.begin(), unit.end(), rows + (i + 1) * floats_per_row - 4);
  }
}

class PlyWriter final : public FormatWriter {
 public:
  PlyWriter(const std::filesystem::path& path, const core::GaussianScene& scene, int64_t count)
      : columns_(file_columns(scene.cloud.sh_degree)), file_(path), missing_(count) {
    file_.write("ply\nformat binary_little_endian 1.0\n");
    for (const std::string& comment : ply_comments(scene)) {
      file_.write(fmt::format("comment {}\n", comment));
    }
    file_.write(fmt::format("element vertex {}\n", count));
    for (const FileColumn& column : columns_) {
      file_.write(fmt::format("property float {}\n", column.name));
    }
    file_.write("end_header\n");
  }

  void append(const core::GaussianCloud& cloud) override {
    const auto width = static_cast<int64_t>(columns_.size());
    std::vector<float> rows(static_cast<size_t>(kBlockRows * width));
    for (int64_t first = 0; first < cloud.size(); first += kBlockRows) {
      const int64_t count = std::min(kBlockRows, cloud.size() - first);
      for (size_t c = 0; c < columns_.size(); ++c) {
        if (columns_[c].plane < 0) continue;
        const float* from = cloud.plane(columns_[c].plane) + first;
        float* to = rows.data() + c;
        for (int64_t i = 0; i < count; ++i) to[i * width] = from[i];
      }
      normalize_rotations(cloud, first, count, rows.data(), width);
      file_.write(rows.data(), static_cast<size_t>(count * width) * sizeof(float));
    }
    missing_ -= cloud.size();
  }

  void commit() override {
    if (missing_ != 0)
      throw std::logic_error("PlyWriter: not as many Gaussians as its header says");
    file_.commit();
  }

 private:
  const std::vector<FileColumn> columns_;
  core::AtomicFile file_;
  int64_t missing_;
};

}  // namespace

std::vector<std::string> ply_losses(const core::GaussianScene&) {
  return {};
}

std::unique_ptr<FormatWriter> write_ply(const std::filesystem::path& path,
                                        const core::GaussianScene& scene, int64_t count) {
  return std::make_unique<PlyWriter>(path, scene, count);
}

}  // namespace tessera::assets
