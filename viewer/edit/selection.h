// Which splats of an item are chosen: shapes in the picture and in the scene, colors, properties.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/math/vec.h"
#include "viewer/camera/view_camera.h"
#include "viewer/scene/scene_item.h"

namespace tessera::viewer {

// How what was met and what was chosen before make the new choice.
enum class SelectOperation { kSet, kAdd, kRemove, kIntersect };
// "set", "add", "remove", "intersect"; throws core::UsageError.
SelectOperation select_operation(std::string_view name);

struct StateCounts {
  int64_t selected = 0, hidden = 0, deleted = 0;
};
StateCounts count_states(const core::Array<uint8_t>& states);

// New states after a choice among the splats that are neither hidden nor deleted; those keep
// theirs.
using States = std::shared_ptr<const core::Array<uint8_t>>;
States select(const SplatContent& content, SelectOperation operation,
              const std::function<bool(int64_t splat)>& met);
States select_all(const SplatContent& content);
States select_none(const SplatContent& content);
States invert_selection(const SplatContent& content);
// Of what is selected, which is not any more.
States hide_selected(const SplatContent& content);
States delete_selected(const SplatContent& content);
States show_hidden(const SplatContent& content);

// Tests for select(). Pixels are those of `projection`; the item stands as it does.
std::function<bool(int64_t)> within_polygon(const SceneItem& item, const Projection& projection,
                                            std::vector<math::Vec2<double>> corners);
std::function<bool(int64_t)> within_circles(const SceneItem& item, const Projection& projection,
                                            std::vector<math::Vec2<double>> centers, double radius);
std::function<bool(int64_t)> within_sphere(const SceneItem& item, math::Vec3<double> center,
                                           double radius);
// Sides along the world's axes.
std::function<bool(int64_t)> within_box(const SceneItem& item, math::Vec3<double> low,
                                        math::Vec3<double> high);
// By the color of degree 0; all three channels within `tolerance` (0 to 1).
std::function<bool(int64_t)> of_color(const SceneItem& item, math::Vec3<double> color,
                                      double tolerance);

// A number of each splat, to be chosen by and shown as a histogram.
struct SplatProperty {
  std::string_view name;   // as typed
  std::string_view title;  // as shown
  double (*value)(const SceneItem& item, int64_t splat);
};
std::span<const SplatProperty> splat_properties();
// Throws core::UsageError that lists them if there is none of that name.
const SplatProperty& splat_property(std::string_view name);
std::function<bool(int64_t)> of_property(const SceneItem& item, const SplatProperty& property,
                                         double low, double high);

struct PropertyHistogram {
  double low = 0, high = 0;   // values of the first bin's beginning and the last one's end
  std::vector<float> counts;  // of what is present
};
// A histogram that is shown, made anew only when what it counts has changed.
struct ShownHistogram {
  const void* states = nullptr;  // null: it is to begin anew
  size_t property = 0;
  PropertyHistogram histogram;
  float low = 0, high = 0;  // the range that is marked
};
PropertyHistogram histogram_of(const SceneItem& item, const SplatProperty& property, int bins);

}  // namespace tessera::viewer
