// SPDX-License-Identifier: MIT
#include "assets/io.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "assets/formats/usable.h"
#include "assets/origin_sidecar.h"
#include "core/count_text.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/lower_case.h"
#include "core/math/sh.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;

// Formats in use that have no row in the table.
constexpr std::pair<std::string_view, std::string_view> kNotRead[] = {
    {".spz", "SPZ"}, {".sog", "SOG"}, {".ksplat", "KSPLAT"}, {".glb", "glTF"}, {".gltf", "glTF"}};

std::string extension_of(const fs::path& path) {
  return core::lower_case(path.extension().string());
}

const FormatEntry* find_by_extension(const fs::path& path) {
  const std::string extension = extension_of(path);
  for (const FormatEntry& format : formats()) {
    if (std::count(format.extensions.begin(), format.extensions.end(), extension) > 0) {
      return &format;
    }
  }
  return nullptr;
}

std::string extensions_list(bool written) {
  std::vector<std::string_view> names;
  for (const FormatEntry& format : formats()) {
    if (!written || format.write != nullptr) {
      names.insert(names.end(), format.extensions.begin(), format.extensions.end());
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

const FormatEntry& format_of(core::View<const uint8_t> bytes, const fs::path& path) {
  for (const FormatEntry& format : formats()) {
    if (format.probe != nullptr && format.probe(bytes)) return format;
  }
  if (const FormatEntry* format = find_by_extension(path)) return *format;
  const std::string extension = extension_of(path);
  for (const auto& [known, name] : kNotRead) {
    if (extension != known) continue;
    throw core::IoError(path, fmt::format("is {}, which is not read; convert it to PLY first with "
                                          "another program such as splat-transform",
                                          name));
  }
  throw core::IoError(
      path, fmt::format("is of no known scene format; {} are read", extensions_list(false)));
}

const FormatEntry& writable_format(const fs::path& path, std::string_view field) {
  const FormatEntry* format = find_by_extension(path);
  if (format == nullptr || format->write == nullptr) {
    throw core::UsageError(std::string(field),
                           fmt::format("'{}' cannot be written; the formats that can are {}",
                                       path.string(), extensions_list(true)));
  }
  return *format;
}

uint8_t color_byte(float sh0) {
  const double value = (0.5 + math::ShConstants::k0 * sh0) * 255.0;
  return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

PointCloud points_of(const core::GaussianScene& scene) {
  const core::GaussianCloud& cloud = scene.cloud;
  PointCloud result;
  result.has_colors = true;
  result.notes = scene.notes;
  result.dropped = scene.dropped;
  result.points.resize(static_cast<size_t>(cloud.size()));
  for (int64_t i = 0; i < cloud.size(); ++i) {
    core::ColoredPoint& point = result.points[i];
    point.position = {cloud.plane(core::kMeanPlane)[i] + scene.origin_in_file[0],
                      cloud.plane(core::kMeanPlane + 1)[i] + scene.origin_in_file[1],
                      cloud.plane(core::kMeanPlane + 2)[i] + scene.origin_in_file[2]};
    for (int c = 0; c < 3; ++c) point.rgb[c] = color_byte(cloud.plane(core::kShPlane + c)[i]);
  }
  return result;
}

// A scene that was read whole; all of it can be used.
class HeldScene final : public SceneReader {
 public:
  explicit HeldScene(core::GaussianScene scene) : cloud_(std::move(scene.cloud)) {
    scene.cloud = {};
    scene_ = std::move(scene);
    scene_.cloud.sh_degree = cloud_.sh_degree;
  }

  const core::GaussianScene& scene() const override { return scene_; }
  int64_t count() const override { return cloud_.size(); }
  core::GaussianCloud read(int64_t first, int64_t count) override {
    core::GaussianCloud piece(cloud_.sh_degree, count);
    for (int p = 0; p < cloud_.parameters.plane_count(); ++p) {
      std::copy_n(cloud_.plane(p) + first, count, piece.plane(p));
    }
    return piece;
  }

 private:
  core::GaussianCloud cloud_;
  core::GaussianScene scene_;
};

}  // namespace

std::unique_ptr<SceneReader> open_scene(const fs::path& path) {
  constexpr uint64_t kProbed = 1024;
  const core::Array<uint8_t> start = core::read_file_start(path, kProbed);
  const FormatEntry& format = format_of(start.view(), path);
  return format.open != nullptr ? format.open(path) : nullptr;
}

std::unique_ptr<SceneReader> pieces_of(core::GaussianScene scene) {
  return std::make_unique<HeldScene>(std::move(scene));
}

bool names_scene(const fs::path& path) {
  return find_by_extension(path) != nullptr;
}

SceneFile read_scene_or_points(const fs::path& path) {
  const core::Array<uint8_t> bytes = core::read_file(path);
  const FormatEntry& format = format_of(bytes.view(), path);
  SceneFile file = format.read(bytes.view(), path);
  auto* scene = std::get_if<core::GaussianScene>(&file);
  if (scene != nullptr && !format.holds_origin) apply_sidecar(path, *scene);
  return file;
}

core::GaussianScene read_scene(const fs::path& path) {
  SceneFile file = read_scene_or_points(path);
  if (const auto* points = std::get_if<PointCloud>(&file)) {
    throw core::IoError(path, fmt::format("holds {} without extent, but a scene of Gaussians is "
                                          "needed",
                                          core::plural(points->points.size(), "point")));
  }
  return std::get<core::GaussianScene>(std::move(file));
}

PointCloud read_points(const fs::path& path) {
  SceneFile file = read_scene_or_points(path);
  if (auto* points = std::get_if<PointCloud>(&file)) return std::move(*points);
  return points_of(std::get<core::GaussianScene>(file));
}

void check_writable(const fs::path& path, const std::string& field) {
  // After hours of work, a file that stands in the way beside would be met too late.
  if (!writable_format(path, field).holds_origin) has_own_sidecar(path);
}

bool replaces_sidecar(const fs::path& path, const core::GaussianScene& scene) {
  if (!fs::exists(sidecar_path(path))) return false;
  if (has_origin(scene.origin_in_file)) return !sidecar_holds(path, scene.origin_in_file);
  return !writable_format(path, path.string()).holds_origin;
}

int64_t count_written(const core::GaussianCloud& cloud) {
  return count_usable(cloud);
}

struct SceneWriter::Impl {
  fs::path path;
  std::array<double, 3> origin = {};  // for the file beside the scene
  bool stale_sidecar = false;
  std::unique_ptr<FormatWriter> file;
};

SceneWriter::SceneWriter(const fs::path& path, const core::GaussianScene& scene, int64_t count)
    : impl_(std::make_unique<Impl>()) {
  const FormatEntry& format = writable_format(path, path.string());
  impl_->path = path;
  std::copy_n(scene.origin_in_file, 3, impl_->origin.begin());
  impl_->stale_sidecar =
      !has_origin(impl_->origin) && !format.holds_origin && has_own_sidecar(path);
  impl_->file = format.write(path, scene, count);
}

SceneWriter::~SceneWriter() = default;

void SceneWriter::append(const core::GaussianCloud& cloud) {
  if (all_clean(cloud)) {
    impl_->file->append(cloud);
    return;
  }
  core::GaussianScene kept;
  kept.cloud = cloud;
  keep_usable(kept);
  impl_->file->append(kept.cloud);
}

void SceneWriter::commit() {
  impl_->file->commit();
  if (has_origin(impl_->origin)) write_sidecar(impl_->path, impl_->origin);
  if (impl_->stale_sidecar) fs::remove(sidecar_path(impl_->path));
}

void write_scene(const fs::path& path, const core::GaussianScene& scene) {
  SceneWriter writer(path, scene, count_written(scene.cloud));
  writer.append(scene.cloud);
  writer.commit();
}

std::vector<std::string> losses(const fs::path& path, const core::GaussianScene& scene) {
  return writable_format(path, path.string()).losses(scene);
}

}  // namespace tessera::assets
