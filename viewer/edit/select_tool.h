// What the mouse draws in the view to choose splats: when a shape is closed it is a command line.
// (Points that are measured need the scene; the viewer takes those itself.)
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/math/vec.h"
#include "viewer/ui/input.h"

namespace tessera::viewer {

enum class Tool : int { kNone, kRectangle, kLasso, kPolygon, kBrush, kMeasure };

struct ToolEntry {
  std::string_view name;   // as typed
  std::string_view title;  // as shown
};
// In the order of Tool.
inline constexpr ToolEntry kTools[] = {{"none", "Move the camera"}, {"rectangle", "Rectangle"},
                                       {"lasso", "Lasso"},          {"polygon", "Polygon"},
                                       {"brush", "Brush"},          {"measure", "Measure"}};

class SelectTool {
 public:
  Tool tool() const { return tool_; }
  void set_tool(Tool tool);
  double brush_radius() const { return brush_radius_; }  // pixels
  void set_brush_radius(double pixels);

  // A left button or movement at x, y of the view. What is drawn is added to the choice with
  // Shift, taken from it with Ctrl. Gives a line of a command when the shape is closed.
  std::optional<std::string> press(double x, double y, Modifiers modifiers, bool is_double);
  void move(double x, double y);
  std::optional<std::string> release(double x, double y);
  void cancel() { stroke_.clear(); }

  // The corners so far, the last one under the cursor.
  const std::vector<math::Vec2<double>>& stroke() const { return stroke_; }

 private:
  std::string line();

  Tool tool_ = Tool::kNone;
  double brush_radius_ = 20;
  bool pressed_ = false;
  Modifiers modifiers_;
  std::vector<math::Vec2<double>> stroke_;
};

}  // namespace tessera::viewer
