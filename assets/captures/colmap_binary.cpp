// COLMAP's binary model: little-endian records without padding, each file opening with a 64-bit
// count. Counts are checked against the bytes that are there before anything is allocated.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstring>

#include "assets/captures/colmap_model.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

constexpr const char* kNewerModels[] = {"RAD_TAN_THIN_PRISM_FISHEYE",
                                        "SIMPLE_DIVISION",
                                        "DIVISION",
                                        "SIMPLE_FISHEYE",
                                        "FISHEYE",
                                        "EUCM",
                                        "EQUIRECTANGULAR"};
constexpr int kModelCount = 11;

class Cursor {
 public:
  explicit Cursor(const std::filesystem::path& file) : file_(file), bytes_(core::read_file(file)) {}

  template <class T>
  T take(const char* what) {
    T value;
    std::memcpy(&value, skip(sizeof(T), what), sizeof(T));
    return value;
  }
  const uint8_t* skip(uint64_t count, const char* what) {
    if (count > remaining()) {
      throw core::IoError(file_, fmt::format("ends inside {}; copy or export it again", what),
                          position_);
    }
    const uint8_t* start = bytes_.data() + position_;
    position_ += count;
    return start;
  }
  // A count of records of at least `record_bytes` each.
  uint64_t take_count(uint64_t record_bytes, const char* what) {
    const auto count = take<uint64_t>(what);
    if (count > remaining() / record_bytes) {
      throw core::IoError(file_,
                          fmt::format("states {} {}, for which its {} remaining bytes are too few",
                                      count, what, remaining()),
                          position_ - sizeof(uint64_t));
    }
    return count;
  }
  std::string take_name() {
    const void* end =
        remaining() > 0 ? std::memchr(bytes_.data() + position_, 0, remaining()) : nullptr;
    if (end == nullptr) throw core::IoError(file_, "ends inside an image's name", position_);
    const char* start = reinterpret_cast<const char*>(bytes_.data() + position_);
    std::string name(start, static_cast<const char*>(end) - start);
    position_ += name.size() + 1;
    return name;
  }
  const std::filesystem::path& file() const { return file_; }

 private:
  uint64_t remaining() const { return static_cast<uint64_t>(bytes_.size()) - position_; }

  std::filesystem::path file_;
  core::Array<uint8_t> bytes_;
  uint64_t position_ = 0;
};

void read_cameras(Cursor cursor, ColmapModel& model) {
  const uint64_t count = cursor.take_count(48, "cameras");
  for (uint64_t i = 0; i < count; ++i) {
    const auto id = cursor.take<uint32_t>("a camera");
    const auto number = cursor.take<int32_t>("a camera");
    const auto width = cursor.take<uint64_t>("a camera");
    const auto height = cursor.take<uint64_t>("a camera");
    const std::string where = fmt::format("camera {}", id);
    if (number < 0 || number >= kModelCount) {
      const size_t newer = static_cast<size_t>(number) - kModelCount;
      refuse_colmap_camera(cursor.file(), where,
                           number > 0 && newer < std::size(kNewerModels)
                               ? fmt::format("{} ({})", number, kNewerModels[newer])
                               : std::to_string(number));
    }
    const auto camera_model = static_cast<core::CameraModel>(number);
    double parameters[12] = {};
    const int bytes = core::parameter_count(camera_model) * static_cast<int>(sizeof(double));
    std::memcpy(parameters, cursor.skip(bytes, "a camera's parameters"), bytes);
    model.cameras[id] =
        make_colmap_camera(cursor.file(), where, camera_model, width, height, parameters);
  }
}

void read_images(Cursor cursor, ColmapModel& model) {
  const uint64_t count = cursor.take_count(73, "images");
  model.images.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    ColmapImage image;
    image.id = cursor.take<uint32_t>("an image");
    const auto quaternion = cursor.take<std::array<double, 4>>("an image's pose");
    const auto translation = cursor.take<std::array<double, 3>>("an image's pose");
    image.camera_id = cursor.take<uint32_t>("an image");
    image.name = cursor.take_name();
    image.cam_from_world =
        make_colmap_pose(cursor.file(), fmt::format("image {} (\"{}\")", image.id, image.name),
                         quaternion, translation);
    constexpr uint64_t kPoint2dBytes = 24;
    const uint64_t points = cursor.take_count(kPoint2dBytes, "2D points of an image");
    cursor.skip(points * kPoint2dBytes, "an image's 2D points");
    model.images.push_back(std::move(image));
  }
}

void read_points(Cursor cursor, ColmapModel& model) {
  const uint64_t count = cursor.take_count(51, "points");
  model.points.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    ColmapPoint point;
    point.id = cursor.take<uint64_t>("a point");
    const auto position = cursor.take<std::array<double, 3>>("a point");
    point.point.position = {position[0], position[1], position[2]};
    std::memcpy(point.point.rgb, cursor.skip(3, "a point"), 3);
    cursor.skip(sizeof(double), "a point");  // its error: -1 means unknown, which does not matter
    constexpr uint64_t kTrackBytes = 8;
    const uint64_t track = cursor.take_count(kTrackBytes, "observations of a point");
    cursor.skip(track * kTrackBytes, "a point's observations");
    add_colmap_point(model, point);
  }
}

}  // namespace

ColmapModel read_colmap_binary(const std::filesystem::path& folder) {
  ColmapModel model;
  read_cameras(Cursor(folder / "cameras.bin"), model);
  read_images(Cursor(folder / "images.bin"), model);
  if (std::filesystem::exists(folder / "points3D.bin")) {
    read_points(Cursor(folder / "points3D.bin"), model);
  }
  return model;
}

}  // namespace tessera::assets
