// SPDX-License-Identifier: MIT
#include "viewer/edit/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/math/sh.h"
#include "viewer/draw/splat_state.h"

namespace tessera::viewer {
namespace {

using math::Vec2;
using math::Vec3;

const SplatContent& splats_of(const SceneItem& item) {
  return std::get<SplatContent>(item.content);
}

const core::GaussianCloud& cloud_of(const SceneItem& item) {
  return splats_of(item).scene->cloud;
}

Vec3<double> mean_in_world(const SceneItem& item, int64_t i) {
  const core::GaussianCloud& cloud = cloud_of(item);
  return item.placement({cloud.plane(core::kMeanPlane)[i], cloud.plane(core::kMeanPlane + 1)[i],
                         cloud.plane(core::kMeanPlane + 2)[i]});
}

// The states with each present splat's bits as `change` gives them.
template <class Change>
States changed(const SplatContent& content, const Change& change) {
  auto states = std::make_shared<core::Array<uint8_t>>(*content.states);
  for (int64_t i = 0; i < states->size(); ++i) {
    if (((*states)[i] & kAbsent) == 0) (*states)[i] = change(i, (*states)[i]);
  }
  return states;
}

uint8_t with_bit(uint8_t state, bool on) {
  return static_cast<uint8_t>(on ? state | kSelected : state & ~kSelected);
}

// By the crossings of a ray to the right; corners in order, closed by the first.
bool inside(const std::vector<Vec2<double>>& corners, Vec2<double> p) {
  bool in = false;
  for (size_t i = 0, k = corners.size() - 1; i < corners.size(); k = i++) {
    const Vec2<double> a = corners[i], b = corners[k];
    if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x) {
      in = !in;
    }
  }
  return in;
}

double opacity(const SceneItem& item, int64_t i) {
  return 1 / (1 + std::exp(-double{cloud_of(item).plane(core::kOpacityPlane)[i]}));
}

double scale_along(const SceneItem& item, int64_t i, bool longest) {
  const core::GaussianCloud& cloud = cloud_of(item);
  double found = cloud.plane(core::kLogScalePlane)[i];
  for (int a = 1; a < 3; ++a) {
    const double other = cloud.plane(core::kLogScalePlane + a)[i];
    found = longest ? std::max(found, other) : std::min(found, other);
  }
  return item.placement.scale * std::exp(found);
}

double longest_axis(const SceneItem& item, int64_t i) {
  return scale_along(item, i, true);
}

double elongation(const SceneItem& item, int64_t i) {
  return scale_along(item, i, true) / scale_along(item, i, false);
}

double color_channel(const SceneItem& item, int64_t i, int channel) {
  return 0.5 + math::ShConstants::k0 * cloud_of(item).plane(core::kShPlane + channel)[i];
}

double brightness(const SceneItem& item, int64_t i) {
  return (color_channel(item, i, 0) + color_channel(item, i, 1) + color_channel(item, i, 2)) / 3;
}

constexpr SplatProperty kProperties[] = {
    {"opacity", "Opacity", opacity},
    {"size", "Longest axis", longest_axis},
    {"elongation", "Longest by shortest axis", elongation},
    {"brightness", "Brightness", brightness},
    {"x", "X", [](const SceneItem& item, int64_t i) { return mean_in_world(item, i).x; }},
    {"y", "Y", [](const SceneItem& item, int64_t i) { return mean_in_world(item, i).y; }},
    {"z", "Z", [](const SceneItem& item, int64_t i) { return mean_in_world(item, i).z; }},
};

}  // namespace

SelectOperation select_operation(std::string_view name) {
  if (name == "set") return SelectOperation::kSet;
  if (name == "add") return SelectOperation::kAdd;
  if (name == "remove") return SelectOperation::kRemove;
  if (name == "intersect") return SelectOperation::kIntersect;
  throw core::UsageError("select",
                         fmt::format("ends with set, add, remove or intersect, not {}", name));
}

StateCounts count_states(const core::Array<uint8_t>& states) {
  StateCounts counts;
  for (const uint8_t state : states) {
    if ((state & kDeleted) != 0) {
      ++counts.deleted;
    } else if ((state & kHidden) != 0) {
      ++counts.hidden;
    } else if ((state & kSelected) != 0) {
      ++counts.selected;
    }
  }
  return counts;
}

States select(const SplatContent& content, SelectOperation operation,
              const std::function<bool(int64_t)>& met) {
  return changed(content, [&](int64_t i, uint8_t state) {
    const bool was = (state & kSelected) != 0;
    switch (operation) {
      case SelectOperation::kSet:
        return with_bit(state, met(i));
      case SelectOperation::kAdd:
        return with_bit(state, was || met(i));
      case SelectOperation::kRemove:
        return with_bit(state, was && !met(i));
      case SelectOperation::kIntersect:
        return with_bit(state, was && met(i));
    }
    return state;
  });
}

States select_all(const SplatContent& content) {
  return changed(content, [](int64_t, uint8_t state) { return with_bit(state, true); });
}

States select_none(const SplatContent& content) {
  return changed(content, [](int64_t, uint8_t state) { return with_bit(state, false); });
}

States invert_selection(const SplatContent& content) {
  return changed(content,
                 [](int64_t, uint8_t state) { return with_bit(state, (state & kSelected) == 0); });
}

States hide_selected(const SplatContent& content) {
  return changed(content,
                 [](int64_t, uint8_t state) { return (state & kSelected) != 0 ? kHidden : state; });
}

States delete_selected(const SplatContent& content) {
  return changed(
      content, [](int64_t, uint8_t state) { return (state & kSelected) != 0 ? kDeleted : state; });
}

States show_hidden(const SplatContent& content) {
  auto states = std::make_shared<core::Array<uint8_t>>(*content.states);
  for (uint8_t& state : *states) state = static_cast<uint8_t>(state & ~kHidden);
  return states;
}

std::function<bool(int64_t)> within_polygon(const SceneItem& item, const Projection& projection,
                                            std::vector<Vec2<double>> corners) {
  return [&item, projection, corners = std::move(corners)](int64_t i) {
    const Vec3<double> at = projection.pixel_of(mean_in_world(item, i));
    return at.z > projection.nearest && inside(corners, {at.x, at.y});
  };
}

std::function<bool(int64_t)> within_circles(const SceneItem& item, const Projection& projection,
                                            std::vector<Vec2<double>> centers, double radius) {
  return [&item, projection, centers = std::move(centers), radius](int64_t i) {
    const Vec3<double> at = projection.pixel_of(mean_in_world(item, i));
    return at.z > projection.nearest &&
           std::any_of(centers.begin(), centers.end(), [&](const Vec2<double>& center) {
             return std::hypot(at.x - center.x, at.y - center.y) <= radius;
           });
  };
}

std::function<bool(int64_t)> within_sphere(const SceneItem& item, Vec3<double> center,
                                           double radius) {
  return [&item, center, radius](int64_t i) {
    const Vec3<double> d = mean_in_world(item, i) - center;
    return dot(d, d) <= radius * radius;
  };
}

std::function<bool(int64_t)> within_box(const SceneItem& item, Vec3<double> low,
                                        Vec3<double> high) {
  return [&item, low, high](int64_t i) {
    const Vec3<double> p = mean_in_world(item, i);
    return p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z &&
           p.z <= high.z;
  };
}

std::function<bool(int64_t)> of_color(const SceneItem& item, Vec3<double> color, double tolerance) {
  return [&item, color, tolerance](int64_t i) {
    return std::abs(color_channel(item, i, 0) - color.x) <= tolerance &&
           std::abs(color_channel(item, i, 1) - color.y) <= tolerance &&
           std::abs(color_channel(item, i, 2) - color.z) <= tolerance;
  };
}

std::span<const SplatProperty> splat_properties() {
  return kProperties;
}

const SplatProperty& splat_property(std::string_view name) {
  std::vector<std::string_view> names;
  for (const SplatProperty& property : splat_properties()) {
    if (property.name == name) return property;
    names.push_back(property.name);
  }
  throw core::UsageError("select property",
                         fmt::format("is one of {}, not {}", fmt::join(names, ", "), name));
}

std::function<bool(int64_t)> of_property(const SceneItem& item, const SplatProperty& property,
                                         double low, double high) {
  return [&item, value = property.value, low, high](int64_t i) {
    const double v = value(item, i);
    return v >= low && v <= high;
  };
}

PropertyHistogram histogram_of(const SceneItem& item, const SplatProperty& property, int bins) {
  const core::Array<uint8_t>& states = *splats_of(item).states;
  std::vector<double> values;
  for (int64_t i = 0; i < states.size(); ++i) {
    const double value = property.value(item, i);
    if ((states[i] & kAbsent) == 0 && std::isfinite(value)) values.push_back(value);
  }
  PropertyHistogram histogram;
  histogram.counts.assign(bins, 0);
  if (values.empty()) return histogram;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  histogram.low = *low;
  histogram.high = *high;
  const double width = (histogram.high - histogram.low) / bins;
  for (const double value : values) {
    const int bin =
        width > 0 ? std::min(bins - 1, static_cast<int>((value - histogram.low) / width)) : 0;
    histogram.counts[bin] += 1;
  }
  return histogram;
}

}  // namespace tessera::viewer
