// The viewer's photos: standing where one was taken, and comparing it with what is drawn from
// there.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/metrics.h"
#include "core/shrink.h"
#include "viewer/viewer.h"

namespace tessera::viewer {
namespace {

constexpr int kPhotoSteps = 512;  // photos are loaded in multiples of it, for views of many sizes

// What is compared is the scenes; where there is none, the captures' points.
std::vector<SceneItem> without_captures(const std::vector<SceneItem>& items) {
  std::vector<SceneItem> scenes = items;
  const auto is_capture = [](const SceneItem& item) {
    return std::holds_alternative<CaptureContent>(item.content);
  };
  const bool any_scene = std::any_of(items.begin(), items.end(), [&](const SceneItem& item) {
    return item.visible && !is_capture(item);
  });
  for (SceneItem& item : scenes) item.visible = item.visible && !(any_scene && is_capture(item));
  return scenes;
}

}  // namespace

std::optional<PhotoPlace> Viewer::photo() const {
  return photo_ && find_photo(items_, *photo_) != nullptr ? photo_ : std::nullopt;
}

std::optional<double> Viewer::compared_psnr() const {
  return comparison_ != Comparison::kOff && photo() ? compared_psnr_ : std::nullopt;
}

void Viewer::go_to(const PhotoPlace& place) {
  const core::CaptureView* view = find_photo(items_, place);
  if (view == nullptr) return;
  if (photo_ != place) compared_psnr_.reset();
  photo_ = place;
  const core::PosedCamera posed =
      in_world({view->camera, view->cam_from_world}, find_item(place.item_id)->placement);
  camera_.go_to(view_of(posed, camera_.target().pivot_distance));
}

void Viewer::compare(Comparison comparison) {
  if (comparison != Comparison::kOff) {
    const std::vector<PhotoPlace> all = photos_of(items_);
    if (all.empty()) {
      throw core::Error("no photos are open to compare with; open the capture beside the scene");
    }
    go_to(photo().value_or(all.front()));
  }
  comparison_ = comparison;
}

const Viewer::Compared* Viewer::compared(int width, int height) {
  const core::CaptureView* view =
      comparison_ == Comparison::kOff || !photo_ ? nullptr : find_photo(items_, *photo_);
  if (view == nullptr || width < 2) return nullptr;  // side by side takes two pixels
  const int longest = (std::max(width, height) + kPhotoSteps - 1) / kPhotoSteps * kPhotoSteps;
  const std::shared_ptr<const ShelvedPhoto> shelved = photos_.find(*view, longest);
  if (shelved == nullptr) return nullptr;
  if (!shelved->failure.empty()) {
    comparison_ = Comparison::kOff;
    say_error(shelved->failure);
    return nullptr;
  }
  const PinholePhoto& whole = shelved->photo;
  const int room = comparison_ == Comparison::kSideBySide ? width / 2 : width;
  const double share = std::min({1.0, static_cast<double>(room) / whole.pixels.width,
                                 static_cast<double>(height) / whole.pixels.height});
  const auto side = [share](int pixels) {
    return std::max(1, static_cast<int>(std::lround(pixels * share)));
  };
  const int fit_width = side(whole.pixels.width), fit_height = side(whole.pixels.height);
  if (!compared_ || compared_->whole != shelved || compared_->photo.width != fit_width ||
      compared_->photo.height != fit_height) {
    core::Photo fit;
    fit.pixels = whole.pixels;
    fit.mask = whole.mask;
    if (share < 1) fit = core::shrink(fit, fit_width, fit_height);
    compared_ = Compared{{}, std::move(fit.pixels), std::move(fit.mask), shelved};
    drawn_.reset();
  }
  compared_->camera =
      in_world({core::scaled(whole.camera, fit_width, fit_height), view->cam_from_world},
               find_item(photo_->item_id)->placement);
  return &*compared_;
}

Projection Viewer::seen(int width, int height, const Compared* compared) const {
  return compared != nullptr ? projection_of(compared->camera) : projection(width, height);
}

// The render is kept while only the split or the kind of comparison changes.
void Viewer::render_compared(const Compared& compared) {
  Drawn wanted = drawn_state(projection_of(compared.camera));
  wanted.comparison = Comparison::kOff;
  wanted.split = 0;
  if (rendered_ == wanted && compared_psnr_) return;
  Canvas canvas(CanvasPixels::kByte);
  canvas.resize(compared.photo.width, compared.photo.height);
  SceneStyle style = style_;
  style.cameras = style.outlines = false;
  renderer_.draw(without_captures(items_), wanted.projection, style, 1, canvas.framebuffer(), 0, 0);
  compared_render_ = canvas.read();
  compared_psnr_ = core::psnr(core::unit_floats(compared_render_),
                              core::unit_floats(compared.photo), compared.mask);
  rendered_ = std::move(wanted);
}

core::Image8 Viewer::compared_picture(const Compared& compared, int width, int height) {
  render_compared(compared);
  const core::Image8 both =
      viewer::compare(comparison_, compared_render_, compared.photo, compared.mask, split_);
  core::Image8 picture(width, height, 3);
  picture.data.fill(0);
  core::copy_pixels(both, 0, 0, picture, (width - both.width) / 2, (height - both.height) / 2,
                    both.width, both.height);
  return picture;
}

void Viewer::hover_photo(bool in_view) {
  hovered_photo_.reset();
  if (!in_view || dragging_ || !style_.cameras || comparison_ != Comparison::kOff ||
      tool_.tool() != Tool::kNone) {
    return;
  }
  hovered_photo_ = photo_at(items_, projection(view_.width, view_.height),
                            {mouse_x_ - view_.x, mouse_y_ - view_.y});
}

void Viewer::drag_split(double pixels) {
  split_ = std::clamp(split_ + pixels / std::max(1, view_.width), 0.0, 1.0);
}

}  // namespace tessera::viewer
