// The viewer's hands: what mouse and keys do in the view.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

constexpr double kDoubleClickSeconds = 0.35;
constexpr double kClickPixels = 4;  // more is a drag
constexpr double kLeastSpeed = 0.02, kMostSpeed = 50;

bool inside(const ViewRect& view, double x, double y) {
  return x >= view.x && y >= view.y && x < view.x + view.width && y < view.y + view.height;
}

}  // namespace

void Viewer::handle(const InputEvent& event) {
  if (event.kind == InputEvent::Kind::kDrop) {
    for (const std::filesystem::path& path : event.dropped) open(path);
    return;
  }
  imgui_.feed(event);
  if (event.kind == InputEvent::Kind::kKey) {
    handle_key(event);
  } else if (event.kind != InputEvent::Kind::kText) {
    handle_mouse(event);
  }
}

void Viewer::handle_key(const InputEvent& event) {
  const int number = static_cast<int>(event.key);
  if (number <= 0 || number >= kKeyCount) return;
  if (!event.down) {
    held_.reset(number);
    return;
  }
  if (handle_dialog_key(event.key) || imgui_.wants_text()) return;
  const KeyChord chord = {event.key, event.modifiers};
  for (const ActionEntry& action : actions()) {
    if (!action.key.empty() && parse_chord(action.key) == chord) {
      act(action.line);
      return;
    }
  }
  constexpr Key kFlyKeys[] = {Key::kW, Key::kA, Key::kS, Key::kD, Key::kQ, Key::kE};
  if (!event.modifiers.control && !event.modifiers.alt &&
      std::find(std::begin(kFlyKeys), std::end(kFlyKeys), event.key) != std::end(kFlyKeys)) {
    held_.set(number);
  }
}

void Viewer::handle_mouse(const InputEvent& event) {
  const double dx = event.x - mouse_x_, dy = event.y - mouse_y_;
  const bool ours = inside(view_, mouse_x_, mouse_y_) && !imgui_.wants_mouse();
  switch (event.kind) {
    case InputEvent::Kind::kMove:
      mouse_x_ = event.x;
      mouse_y_ = event.y;
      tool_.move(event.x - view_.x, event.y - view_.y);
      if (!dragging_) {
        hover_photo(inside(view_, event.x, event.y) && !imgui_.wants_mouse());
        return;
      }
      dragged_ += std::hypot(dx, dy);
      if (comparison_ == Comparison::kSplit && *dragging_ == MouseButton::kLeft) {
        drag_split(dx);
        return;
      }
      comparison_ = Comparison::kOff;
      if (*dragging_ == MouseButton::kLeft && drag_modifiers_.control) {
        camera_.look(dx, dy, view_.height);
      } else if (*dragging_ == MouseButton::kLeft && !drag_modifiers_.shift) {
        camera_.orbit(dx, dy, view_.height);
      } else {
        camera_.pan(dx, dy, view_.height);
      }
      return;
    case InputEvent::Kind::kButton:
      mouse_x_ = event.x;
      mouse_y_ = event.y;
      if (!event.down) {
        if (event.button == MouseButton::kLeft) {
          if (const auto line = tool_.release(event.x - view_.x, event.y - view_.y)) act(*line);
          if (dragging_ == event.button && pressed_photo_ && dragged_ < kClickPixels) {
            go_to(*pressed_photo_);
            hovered_photo_.reset();
          }
        }
        if (dragging_ == event.button) dragging_.reset();
        return;
      }
      if (!inside(view_, event.x, event.y) || imgui_.wants_mouse()) return;
      if (event.button == MouseButton::kLeft && tool_.tool() != Tool::kNone) {
        const bool is_double = seconds_since_click_ < kDoubleClickSeconds;
        seconds_since_click_ = 0;
        if (tool_.tool() == Tool::kMeasure) {
          if (const auto point = pick(event.x - view_.x, event.y - view_.y)) {
            act(fmt::format("measure point {} {} {}", point->x, point->y, point->z));
          } else {
            say("There is nothing at that place to measure");
          }
          return;
        }
        if (const auto line =
                tool_.press(event.x - view_.x, event.y - view_.y, event.modifiers, is_double)) {
          act(*line);
        }
        return;
      }
      dragging_ = event.button;
      drag_modifiers_ = event.modifiers;
      dragged_ = 0;
      pressed_photo_.reset();
      if (event.button == MouseButton::kLeft) {
        if (hovered_photo_) pressed_photo_ = hovered_photo_->place;
        if (seconds_since_click_ < kDoubleClickSeconds) {
          if (const auto point = pick(event.x - view_.x, event.y - view_.y)) {
            camera_.set_pivot(*point);
          }
        }
        seconds_since_click_ = 0;
      }
      return;
    case InputEvent::Kind::kWheel:
      if (!ours) return;
      comparison_ = Comparison::kOff;
      if (held_.any()) {
        fly_speed_ = std::clamp(fly_speed_ * std::pow(1.25, event.y), kLeastSpeed, kMostSpeed);
      } else {
        camera_.dolly(
            event.y,
            {mouse_x_ - view_.x - view_.width / 2.0, mouse_y_ - view_.y - view_.height / 2.0},
            view_.height);
      }
      return;
    default:
      return;
  }
}

void Viewer::fly(double seconds) {
  if (held_.none()) return;
  comparison_ = Comparison::kOff;
  const auto held = [this](Key key) { return held_.test(static_cast<int>(key)) ? 1.0 : 0.0; };
  camera_.move(math::Vec3<double>{held(Key::kD) - held(Key::kA), held(Key::kQ) - held(Key::kE),
                                  held(Key::kW) - held(Key::kS)} *
               (fly_speed_ * seconds));
}

}  // namespace tessera::viewer
