// COLMAP's text model: one record a line, `#` opens a comment. In images.txt each image has a
// second line of 2D points, which may be empty; a name is the rest of its line, spaces included.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "assets/captures/colmap_model.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

// The lines of a file and, within the current one, its fields.
class Lines {
 public:
  explicit Lines(const std::filesystem::path& file)
      : file_(file), text_(core::read_text_file(file)), rest_(text_) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // The next line, whatever it holds; nullopt at the end.
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return line;
  }
  // The next line that is neither empty nor a comment becomes the current one.
  bool next_record() {
    while (const std::optional<std::string_view> line = next()) {
      fields_ = *line;
      skip_blanks();
      if (!fields_.empty() && fields_.front() != '#') return true;
    }
    return false;
  }
  std::string_view word() {
    const size_t end = std::min(fields_.find_first_of(" \t"), fields_.size());
    if (end == 0) fail("has too few fields");
    const std::string_view field = fields_.substr(0, end);
    fields_.remove_prefix(end);
    skip_blanks();
    return field;
  }
  template <class T>
  T number() {
    const std::string_view field = word();
    T value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) {
      fail(fmt::format("has \"{}\" where a number is due", field.substr(0, 40)));
    }
    return value;
  }
  std::string_view rest() {
    const size_t end = fields_.find_last_not_of(" \t");
    if (end == std::string_view::npos) fail("has too few fields");
    return fields_.substr(0, end + 1);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw core::IoError(file_, fmt::format("line {} {}", number_, what));
  }
  const std::filesystem::path& file() const { return file_; }

 private:
  void skip_blanks() {
    fields_.remove_prefix(std::min(fields_.find_first_not_of(" \t"), fields_.size()));
  }

  std::filesystem::path file_;
  std::string text_;
  std::string_view rest_;
  std::string_view fields_;
  int64_t number_ = 0;
};

std::optional<core::CameraModel> model_of(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(core::CameraModel::kThinPrismFisheye); ++i) {
    const auto model = static_cast<core::CameraModel>(i);
    if (core::name_of(model) == name) return model;
  }
  return std::nullopt;
}

void read_cameras(Lines lines, ColmapModel& model) {
  while (lines.next_record()) {
    const auto id = lines.number<uint32_t>();
    const std::string where = fmt::format("camera {}", id);
    const std::string name(lines.word());
    const std::optional<core::CameraModel> camera_model = model_of(name);
    if (!camera_model) refuse_colmap_camera(lines.file(), where, name);
    const auto width = lines.number<uint64_t>();
    const auto height = lines.number<uint64_t>();
    double parameters[12] = {};
    for (int i = 0; i < core::parameter_count(*camera_model); ++i) {
      parameters[i] = lines.number<double>();
    }
    model.cameras[id] =
        make_colmap_camera(lines.file(), where, *camera_model, width, height, parameters);
  }
}

void read_images(Lines lines, ColmapModel& model) {
  while (lines.next_record()) {
    ColmapImage image;
    image.id = lines.number<uint32_t>();
    std::array<double, 4> quaternion;
    for (double& value : quaternion) value = lines.number<double>();
    std::array<double, 3> translation;
    for (double& value : translation) value = lines.number<double>();
    image.camera_id = lines.number<uint32_t>();
    image.name = lines.rest();
    image.cam_from_world =
        make_colmap_pose(lines.file(), fmt::format("image {} (\"{}\")", image.id, image.name),
                         quaternion, translation);
    model.images.push_back(std::move(image));
    lines.next();  // its 2D points
  }
}

void read_points(Lines lines, ColmapModel& model) {
  while (lines.next_record()) {
    ColmapPoint point;
    point.id = lines.number<uint64_t>();
    const auto x = lines.number<double>();
    const auto y = lines.number<double>();
    const auto z = lines.number<double>();
    point.point.position = {x, y, z};
    for (uint8_t& channel : point.point.rgb) {
      const auto value = lines.number<int>();
      if (value < 0 || value > 255) lines.fail("has a color outside 0 to 255");
      channel = static_cast<uint8_t>(value);
    }
    add_colmap_point(model, point);
  }
}

}  // namespace

ColmapModel read_colmap_text(const std::filesystem::path& folder) {
  ColmapModel model;
  read_cameras(Lines(folder / "cameras.txt"), model);
  read_images(Lines(folder / "images.txt"), model);
  if (std::filesystem::exists(folder / "points3D.txt")) {
    read_points(Lines(folder / "points3D.txt"), model);
  }
  return model;
}

}  // namespace tessera::assets
