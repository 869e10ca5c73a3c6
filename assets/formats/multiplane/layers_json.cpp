// SPDX-License-Identifier: MIT
#include "assets/formats/multiplane/layers_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

double finite_number(const json& value, const std::string& what, const fs::path& path) {
  const double number = value.is_number() ? value.get<double>() : NAN;
  if (!std::isfinite(number)) {
    throw core::IoError(path, fmt::format("has no finite number as {}", what));
  }
  return number;
}

const json& list_of(size_t count, const json& value, const std::string& what,
                    const fs::path& path) {
  if (!value.is_array() || value.size() != count) {
    throw core::IoError(path, fmt::format("has no list of {} as {}", count, what));
  }
  return value;
}

void check_rotation(const math::Mat3<double>& rotation, const fs::path& path) {
  const math::Mat3<double> product = rotation * transpose(rotation);
  double farthest = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      farthest = std::max(farthest, std::abs(product.m[i][j] - (i == j ? 1 : 0)));
    }
  }
  if (farthest > 1e-3 || determinant(rotation) < 0) {
    throw core::IoError(path, "has a cam_from_world that is no rigid motion");
  }
}

core::PosedCamera camera_from_json(const json& root, const fs::path& path) {
  const auto member = [&](const char* name) -> const json& {
    return json_member(root, name, "camera", path);
  };
  const auto number = [&](const char* name) {
    return finite_number(member(name), fmt::format("the camera's {}", name), path);
  };
  core::PosedCamera posed;
  posed.camera.width = json_int(member("width"), "the camera's width", path);
  posed.camera.height = json_int(member("height"), "the camera's height", path);
  constexpr int kMaxSide = 65535;
  constexpr int64_t kMaxPixels = int64_t{1} << 28;
  if (std::max(posed.camera.width, posed.camera.height) > kMaxSide ||
      int64_t{posed.camera.width} * posed.camera.height > kMaxPixels) {
    throw core::IoError(path,
                        fmt::format("has a camera of {}x{} pixels; at most {} on a side and "
                                    "{} in all are read",
                                    posed.camera.width, posed.camera.height, kMaxSide, kMaxPixels));
  }
  posed.camera.fx = number("fx");
  posed.camera.fy = number("fy");
  posed.camera.cx = number("cx");
  posed.camera.cy = number("cy");
  const json& rows = list_of(3, member("cam_from_world"), "cam_from_world", path);
  double translation[3];
  for (int i = 0; i < 3; ++i) {
    const json& row = list_of(4, rows[i], "a row of cam_from_world", path);
    for (int j = 0; j < 3; ++j) {
      posed.cam_from_world.rotation.m[i][j] = finite_number(row[j], "cam_from_world", path);
    }
    translation[i] = finite_number(row[3], "cam_from_world", path);
  }
  posed.cam_from_world.translation = {translation[0], translation[1], translation[2]};
  check_rotation(posed.cam_from_world.rotation, path);
  return posed;
}

json camera_to_json(const core::PosedCamera& posed) {
  const core::Camera& camera = posed.camera;
  const auto& [rotation, translation] = posed.cam_from_world;
  const double t[3] = {translation.x, translation.y, translation.z};
  json rows = json::array();
  for (int i = 0; i < 3; ++i) {
    rows.push_back({rotation.m[i][0], rotation.m[i][1], rotation.m[i][2], t[i]});
  }
  return {{"width", camera.width}, {"height", camera.height}, {"fx", camera.fx},
          {"fy", camera.fy},       {"cx", camera.cx},         {"cy", camera.cy},
          {"cam_from_world", rows}};
}

core::MultiplaneLayer layer_from_json(const json& root, size_t index, const fs::path& path) {
  const std::string within = fmt::format("layer {}", index);
  const auto numbers = [&](const char* name, size_t count) -> const json& {
    return list_of(count, json_member(root, name, within, path),
                   fmt::format("{} of {}", name, within), path);
  };
  const json& plane = numbers("plane", 3);
  const json& window = numbers("window", 4);
  const json& at = numbers("at", 2);
  const auto inverse_depth = [&](int k) {
    return static_cast<float>(finite_number(plane[k], "plane of " + within, path));
  };
  const auto whole = [&](const json& value) { return json_int(value, within, path); };
  core::MultiplaneLayer layer;
  layer.plane = {inverse_depth(0), inverse_depth(1), inverse_depth(2)};
  layer.window = {whole(window[0]), whole(window[1]), whole(window[2]), whole(window[3])};
  layer.page = whole(json_member(root, "page", within, path));
  layer.x = whole(at[0]);
  layer.y = whole(at[1]);
  if (layer.window.width < 0 || layer.window.height < 0) {
    throw core::IoError(path, fmt::format("has a window of {}x{} pixels in {}", layer.window.width,
                                          layer.window.height, within));
  }
  return layer;
}

json layer_to_json(const core::MultiplaneLayer& layer) {
  return {
      {"plane", {layer.plane.x, layer.plane.y, layer.plane.z}},
      {"window", {layer.window.left, layer.window.top, layer.window.width, layer.window.height}},
      {"page", layer.page},
      {"at", {layer.x, layer.y}}};
}

void as_io_error(const fs::path& path, const auto& check) {
  try {
    check();
  } catch (const core::Error& error) {
    throw core::IoError(path, fmt::format("cannot be shown: {}", error.what()));
  }
}

}  // namespace

const json& json_member(const json& object, const char* name, const std::string& within,
                        const fs::path& path) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end()) {
    throw core::IoError(path, fmt::format("has no \"{}\" in {}", name, within));
  }
  return *found;
}

int json_int(const json& value, const std::string& what, const fs::path& path) {
  constexpr int64_t kLargest = int64_t{1} << 24;
  const double number = value.is_number() ? value.get<double>() : NAN;
  if (!(std::abs(number) <= kLargest) || number != std::floor(number)) {
    throw core::IoError(path, fmt::format("has no whole number within {} in {}", kLargest, what));
  }
  return static_cast<int>(number);
}

json layers_to_json(const core::MultiplaneImage& image) {
  json layers = json::array();
  for (const core::MultiplaneLayer& layer : image.layers) layers.push_back(layer_to_json(layer));
  return {{"camera", camera_to_json(image.camera)}, {"metric", image.metric}, {"layers", layers}};
}

core::MultiplaneImage layers_from_json(const json& root, const fs::path& path) {
  core::MultiplaneImage image;
  image.camera = camera_from_json(json_member(root, "camera", "its root", path), path);
  const json& metric = json_member(root, "metric", "its root", path);
  if (!metric.is_boolean()) throw core::IoError(path, "has no true or false as \"metric\"");
  image.metric = metric.get<bool>();
  const json& layers = json_member(root, "layers", "its root", path);
  if (!layers.is_array()) throw core::IoError(path, "has no list as \"layers\"");
  image.layers.reserve(layers.size());
  for (size_t i = 0; i < layers.size(); ++i) {
    image.layers.push_back(layer_from_json(layers[i], i, path));
  }
  return image;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

void PageBudget::take(int width, int height) {
  left_ -= int64_t{width} * height;
  if (left_ < 0) throw core::IoError(path_, "has pages of more than 2^29 texels");
}

void check_read_image(const core::MultiplaneImage& image, const fs::path& path) {
  as_io_error(path, [&] { check_multiplane_image(image); });
}

void check_read_video(const core::MultiplaneVideo& video, const fs::path& path) {
  as_io_error(path, [&] { check_multiplane_video(video); });
}

}  // namespace tessera::assets
