// SPDX-License-Identifier: MIT
#include "viewer/edit/select_tool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::viewer {
namespace {

constexpr double kLeastStep = 2;  // pixels between corners of what is drawn by hand

}  // namespace

void SelectTool::set_tool(Tool tool) {
  tool_ = tool;
  stroke_.clear();
  pressed_ = false;
}

void SelectTool::set_brush_radius(double pixels) {
  brush_radius_ = std::clamp(pixels, 1.0, 500.0);
}

std::string SelectTool::line() {
  std::string text = "select ";
  if (tool_ == Tool::kRectangle) {
    text += fmt::format("rectangle {} {} {} {}", stroke_.front().x, stroke_.front().y,
                        stroke_.back().x, stroke_.back().y);
  } else {
    text += tool_ == Tool::kBrush ? fmt::format("brush {}", brush_radius_) : "polygon";
    for (const math::Vec2<double>& corner : stroke_) {
      text += fmt::format(" {} {}", corner.x, corner.y);
    }
  }
  stroke_.clear();
  const char* operation = modifiers_.shift ? "add" : (modifiers_.control ? "remove" : "set");
  return text + " " + operation;
}

std::optional<std::string> SelectTool::press(double x, double y, Modifiers modifiers,
                                             bool is_double) {
  if (tool_ == Tool::kNone || tool_ == Tool::kMeasure) return std::nullopt;
  if (tool_ == Tool::kPolygon) {
    if (is_double && stroke_.size() >= 3) {
      stroke_.pop_back();  // that followed the cursor
      return line();
    }
    if (stroke_.empty()) {
      modifiers_ = modifiers;
      stroke_.push_back({x, y});
    }
    stroke_.back() = {x, y};
    stroke_.push_back({x, y});
    return std::nullopt;
  }
  pressed_ = true;
  modifiers_ = modifiers;
  stroke_ = {{x, y}};
  if (tool_ == Tool::kRectangle) stroke_.push_back({x, y});
  return std::nullopt;
}

void SelectTool::move(double x, double y) {
  if (stroke_.empty()) return;
  if (tool_ == Tool::kPolygon || tool_ == Tool::kRectangle) {
    stroke_.back() = {x, y};
  } else if (pressed_ && std::hypot(x - stroke_.back().x, y - stroke_.back().y) >= kLeastStep) {
    stroke_.push_back({x, y});
  }
}

std::optional<std::string> SelectTool::release(double x, double y) {
  if (tool_ == Tool::kPolygon || !pressed_) return std::nullopt;
  move(x, y);
  pressed_ = false;
  if (tool_ == Tool::kLasso && stroke_.size() < 3) {
    stroke_.clear();
    return std::nullopt;
  }
  return line();
}

}  // namespace tessera::viewer
