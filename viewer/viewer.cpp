// SPDX-License-Identifier: MIT
#include "viewer/viewer.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "render/gaussian/rasterizer.h"
#include "viewer/panels/panels.h"
#include "viewer/scene/exact.h"

namespace tessera::viewer {
namespace {

constexpr int64_t kBytesAFrame = int64_t{24} << 20;  // sent to the card
constexpr double kNoticeSeconds = 6;
constexpr double kSlowFrame = 1.0 / 24, kQuickFrame = 1.0 / 45;
constexpr double kCoarsest = 0.3;

}  // namespace

Viewer::Viewer(Host& host) : host_(host), loader_(host) {
  camera_.jump_to(looking_at({0, 0, -3}, {0, 0, 0}, camera_.up()));
}

SceneItem* Viewer::current_item() {
  return find_item(current_id_);
}

int Viewer::add(SceneItem item) {
  item.id = next_id_++;
  const bool first = items_.empty();
  // All stand in the frame of the first.
  if (!first) {
    item.placement.translation =
        item.placement.translation + item.origin_in_file - items_.front().origin_in_file;
  }
  current_id_ = item.id;
  items_.push_back(std::move(item));
  extent_ = extent_of(items_);
  if (first) {
    home_.reset();
    camera_.set_up(vertical_of(items_.front()));
    go_home();
  }
  return current_id_;
}

void Viewer::remove(int id) {
  std::erase_if(items_, [id](const SceneItem& item) { return item.id == id; });
  if (current_id_ == id) current_id_ = items_.empty() ? 0 : items_.back().id;
  extent_ = extent_of(items_);
}

void Viewer::change(ChangeKind kind, std::string name, const std::function<void()>& make) {
  std::vector<SceneItem> before = items_;
  make();
  extent_ = extent_of(items_);
  history_.add(kind, std::move(name), std::move(before), items_);
}

void Viewer::quit(bool anyway) {
  quit_wanted_ = anyway || !history_.unsaved();
  shown_.unsaved = !quit_wanted_;
  if (quit_wanted_ && recovery_ != nullptr) recovery_->clear();
}

void Viewer::undo() {
  const std::string name = history_.undo_name();
  items_ = history_.undo();
  extent_ = extent_of(items_);
  say("Undone: " + name);
}

void Viewer::redo() {
  const std::string name = history_.redo_name();
  items_ = history_.redo();
  extent_ = extent_of(items_);
  say("Done again: " + name);
}

void Viewer::go_home() {
  if (!home_) {
    const SceneItem* item = items_.empty() ? nullptr : &items_.front();
    if (item == nullptr) return;
    const Extent extent = extent_of(*item);
    if (!item->cameras.empty()) {
      const core::PosedCamera& first = item->cameras.front();
      const math::Vec3<double> to = extent.center - center_in_world(first.cam_from_world);
      ViewCamera view = view_of(first, std::max(1e-3, dot(to, view_of(first, 1).forward())));
      camera_.jump_to(view);
    } else {
      const math::Vec3<double> up = camera_.up();
      camera_.jump_to(
          looking_at(extent.center + math::Vec3<double>{0.6, 0.2, -1} * extent.radius - 0.0 * up,
                     extent.center, up));
      camera_.frame(extent.center, extent.radius, static_cast<double>(view_.width) / view_.height);
      camera_.jump_to(camera_.target());
    }
    home_ = camera_.target();
  }
  camera_.go_to(*home_);
}

void Viewer::show_all() {
  camera_.frame(extent_.center, extent_.radius, static_cast<double>(view_.width) / view_.height);
}

void Viewer::take_opened() {
  for (Loader::Result& result : loader_.take()) {
    if (restore(result)) continue;
    if (!result.error.empty()) {
      say_error(result.error);
      continue;
    }
    note_recent(recent_, std::filesystem::absolute(result.path));
    for (const std::string& note : result.item.notes) say(result.item.name + ": " + note);
    add(std::move(result.item));
  }
}

void Viewer::watch(std::unique_ptr<Training> training, std::filesystem::path folder) {
  training_ = training == nullptr ? nullptr : std::make_unique<TrainingWatch>(std::move(training));
  training_folder_ = std::move(folder);
}

// The scene of the list follows the training; edits of it are made on what was saved, by opening
// that.
void Viewer::take_trained() {
  if (training_ == nullptr) return;
  std::optional<SplatContent> content = training_->take();
  if (!content) return;
  if (SceneItem* item = find_item(training_->item_id)) {
    item->content = std::move(*content);
    return;
  }
  SceneItem live;
  live.path = training_folder_;
  live.name = training_folder_.filename().string() + " (training)";
  live.origin_in_file = {content->scene->origin_in_file[0], content->scene->origin_in_file[1],
                         content->scene->origin_in_file[2]};
  live.content = std::move(*content);
  training_->item_id = add(std::move(live));
}

Projection Viewer::projection(int width, int height) const {
  const math::Vec3<double> to = extent_.center - camera_.camera().pivot();
  return projection_of(camera_.camera(), width, height, extent_.radius + std::sqrt(dot(to, to)));
}

Viewer::Drawn Viewer::drawn_state(const Projection& projection) const {
  Drawn state;
  state.projection = projection;
  state.style = style_;
  state.sharpness = sharpness_;
  state.comparison = comparison_;
  state.split = split_;
  for (const SceneItem& item : items_) {
    if (item.visible) state.placed.emplace_back(item.id, item.placement);
  }
  return state;
}

bool Viewer::prepare(const Projection& projection) {
  bool changed = false;
  try {
    changed = renderer_.update(items_);
  } catch (const core::Error& error) {
    say_error(error.what());
    remove(items_.back().id);
  }
  const bool was_sending = sending_;
  sending_ = renderer_.send(kBytesAFrame);
  Drawn wanted = drawn_state(projection);
  wanted.style = {};
  wanted.sharpness = 0;
  wanted.comparison = Comparison::kOff;
  if (changed || was_sending || sending_ || ordered_ != wanted) {
    renderer_.request_order(items_, projection);
    ordered_ = std::move(wanted);
  }
  return renderer_.take_order() || changed;
}

// Fewer pixels while the camera moves and frames are late.
void Viewer::pace(bool moving, double seconds) {
  if (!moving) {
    sharpness_ = 1;
    return;
  }
  if (seconds > kSlowFrame) sharpness_ = std::max(kCoarsest, sharpness_ * 0.8);
  if (seconds < kQuickFrame) sharpness_ = std::min(1.0, sharpness_ * 1.1);
}

void Viewer::forget_pictures() {
  drawn_.reset();
  rendered_.reset();
}

void Viewer::draw_scene(const Projection& projection, const Compared* compared, GLuint framebuffer,
                        int window_height) {
  const int width = std::max(1, view_.width), height = std::max(1, view_.height);
  const bool kept_size_changed = width != kept_.width() || height != kept_.height();
  kept_.resize(width, height);
  Drawn wanted = drawn_state(projection);
  // A scene that took another's place is shown once it can be, and the picture stands till then.
  if (drawn_ != wanted && (renderer_.has_order() || kept_size_changed)) {
    if (compared != nullptr) {
      kept_.write(compared_picture(*compared, width, height));
    } else {
      renderer_.draw(items_, projection, style_, sharpness_, kept_.framebuffer(), 0, 0);
    }
    drawn_ = std::move(wanted);
  }
  glBindFramebuffer(GL_READ_FRAMEBUFFER, kept_.framebuffer());
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
  const int bottom = window_height - view_.y - view_.height;
  glBlitFramebuffer(0, 0, view_.width, view_.height, view_.x, bottom, view_.x + view_.width,
                    bottom + view_.height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

bool Viewer::frame(GLuint framebuffer, int width, int height, float ui_scale, double seconds) {
  seconds_since_click_ += seconds;
  for (Notice& notice : notices_) notice.seconds += seconds;
  std::erase_if(notices_, [](const Notice& notice) {
    return !notice.is_error && notice.seconds > kNoticeSeconds;
  });
  take_opened();
  take_trained();
  follow_dialogs();
  keep_unsaved(seconds);
  keep_settings(static_cast<int>(std::lround(static_cast<float>(width) / ui_scale)),
                static_cast<int>(std::lround(static_cast<float>(height) / ui_scale)));
  follow_path(seconds);
  fly(seconds);
  const bool moving = camera_.step(seconds) || held_.any() || dragging_.has_value();
  pace(moving, seconds);
  frames_per_second_ = seconds > 0 ? 0.9 * frames_per_second_ + 0.1 / seconds : 0;

  imgui_.set_theme(shown_.dark);
  imgui_.set_scale(ui_scale * shown_.font_scale);
  imgui_.begin(width, height, seconds);
  view_ = draw_panels(*this, width, height);
  const Compared* both = compared(view_.width, view_.height);
  const Projection from = seen(view_.width, view_.height, both);
  if (prepare(from)) forget_pictures();
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, width, height);
  glClearColor(0.1F, 0.1F, 0.1F, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  draw_scene(from, both, framebuffer, height);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(0, 0, width, height);
  imgui_.end();
  return moving || playing_ || filming_ || training_ != nullptr || sending_ || photos_.loading() ||
         thumbnails_.loading() || !loader_.waiting().empty() || renderer_.ordering() ||
         !is_kept() || sharpness_ < 1 || !notices_.empty();
}

void Viewer::act(std::string_view line) {
  try {
    run(line);
  } catch (const core::Error& error) {
    say_error(error.what());
  }
}

void Viewer::settle() {
  loader_.wait();
  take_opened();
  if (file_dialog_ != nullptr) file_dialog_->wait();
  follow_dialogs();
  camera_.jump_to(camera_.target());
  sharpness_ = 1;
  compared(view_.width, view_.height);  // asks for the photo
  photos_.wait();
  thumbnails_.wait();
  const Projection from = seen(view_.width, view_.height, compared(view_.width, view_.height));
  do {
    prepare(from);
  } while (sending_);
  renderer_.request_order(items_, from);
  renderer_.wait_for_order();
  forget_pictures();
}

core::Image8 Viewer::picture(int width, int height) {
  compared(width, height);  // asks for the photo
  photos_.wait();
  const Compared* both = compared(width, height);
  const Projection from = seen(width, height, both);
  renderer_.request_order(items_, from);
  renderer_.wait_for_order();
  ordered_.reset();
  forget_pictures();
  if (both != nullptr) return compared_picture(*both, width, height);
  Canvas canvas(CanvasPixels::kByte);
  canvas.resize(width, height);
  renderer_.draw(items_, from, style_, 1, canvas.framebuffer(), 0, 0);
  return canvas.read();
}

core::Image8 Viewer::window_picture(int width, int height) {
  Canvas canvas(CanvasPixels::kByte);
  canvas.resize(width, height);
  // Panels need a frame to find their places, and the view its size.
  for (int i = 0; i < 2; ++i) {
    frame(canvas.framebuffer(), width, height, 1, 1.0 / 60);
    settle();
  }
  frame(canvas.framebuffer(), width, height, 1, 1.0 / 60);
  return canvas.read();
}

core::Image8 Viewer::exact_picture(int width, int height) {
  if (camera_.camera().orthographic) {
    throw core::Error("the exact rasterizer draws perspective views only; press O to change");
  }
  return draw_exactly(items_, posed_camera(camera_.camera(), width, height), style_.splats);
}

std::optional<math::Vec3<double>> Viewer::pick(double x, double y) {
  return surface_at(items_, projection(view_.width, view_.height), {x, y});
}

}  // namespace tessera::viewer
