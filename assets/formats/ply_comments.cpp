// SPDX-License-Identifier: MIT
#include "assets/formats/ply_comments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <locale>
#include <optional>
#include <sstream>
#include <string_view>

namespace tessera::assets {
namespace {

constexpr std::string_view kModeKey = "SplatRenderMode:";
constexpr std::string_view kAxisKey = "Vertical axis:";
constexpr std::string_view kOriginKey = "origin_in_file:";
constexpr std::string_view kAxes = "xyz";

std::optional<std::string> value_after(const std::string& comment, std::string_view key) {
  if (!comment.starts_with(key)) return std::nullopt;
  const size_t begin = comment.find_first_not_of(' ', key.size());
  return begin == std::string::npos ? "" : comment.substr(begin);
}

std::optional<std::array<double, 3>> parse_vector(const std::string& text) {
  std::array<double, 3> v = {};
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  for (double& x : v) {
    if (!(stream >> x) || !std::isfinite(x)) return std::nullopt;
  }
  return v;
}

// "y", "-y" and "0 -1 0" give "+y", "-y", "-y"; an axis that is oblique stays as three numbers.
std::string parse_axis(const std::string& text) {
  const size_t letter = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  if (text.size() == letter + 1 && kAxes.find(text[letter]) != std::string_view::npos) {
    return (text[0] == '-' ? "-" : "+") + text.substr(letter);
  }
  const std::optional<std::array<double, 3>> v = parse_vector(text);
  if (!v) return "";
  for (size_t axis = 0; axis < 3; ++axis) {
    const double others = std::abs((*v)[(axis + 1) % 3]) + std::abs((*v)[(axis + 2) % 3]);
    if (others == 0 && (*v)[axis] != 0) {
      return fmt::format("{}{}", (*v)[axis] < 0 ? '-' : '+', kAxes[axis]);
    }
  }
  return fmt::format("{} {} {}", (*v)[0], (*v)[1], (*v)[2]);
}

std::string axis_text(const std::string& axis) {
  if (axis.size() != 2) return axis;
  if (axis[0] == '+') return axis.substr(1);
  std::string text;
  for (const char letter : kAxes) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", letter == axis[1] ? "-1" : "0");
  }
  return text;
}

}  // namespace

void apply_ply_comments(const std::vector<std::string>& comments, core::GaussianScene& scene) {
  for (const std::string& comment : comments) {
    if (const auto mode = value_after(comment, kModeKey)) scene.antialiased = *mode == "mip";
    if (comment.starts_with("antialiased 1")) scene.antialiased = true;
    if (const auto axis = value_after(comment, kAxisKey)) scene.vertical_axis = parse_axis(*axis);
    if (const auto text = value_after(comment, kOriginKey)) {
      if (const auto origin = parse_vector(*text)) {
        std::copy(origin->begin(), origin->end(), scene.origin_in_file);
      }
    }
  }
}

std::vector<std::string> ply_comments(const core::GaussianScene& scene) {
  std::vector<std::string> comments = {"Written by Tessera"};
  comments.push_back(fmt::format("{} {}", kModeKey, scene.antialiased ? "mip" : "default"));
  if (!scene.vertical_axis.empty()) {
    comments.push_back(fmt::format("{} {}", kAxisKey, axis_text(scene.vertical_axis)));
  }
  const double* o = scene.origin_in_file;
  if (o[0] != 0 || o[1] != 0 || o[2] != 0) {
    comments.push_back(fmt::format("{} {:.17g} {:.17g} {:.17g}", kOriginKey, o[0], o[1], o[2]));
  }
  return comments;
}

}  // namespace tessera::assets
