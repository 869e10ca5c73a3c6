// The viewer without its window: what is open, the camera, commands, panels, and frames of all
// that.
//
// Input comes by handle(), commands by run(), pictures by frame(). A window (window.h) or a test
// drives it. Everything here is on one thread; files are opened and splats ordered on others.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bitset>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/image.h"
#include "viewer/camera/camera_controller.h"
#include "viewer/camera/camera_path.h"
#include "viewer/draw/scene_renderer.h"
#include "viewer/edit/history.h"
#include "viewer/edit/select_tool.h"
#include "viewer/edit/selection.h"
#include "viewer/files/desktop_dialog.h"
#include "viewer/files/file_dialog.h"
#include "viewer/host.h"
#include "viewer/scene/comparison.h"
#include "viewer/scene/loader.h"
#include "viewer/scene/photo_place.h"
#include "viewer/scene/photo_shelf.h"
#include "viewer/scene/scene_item.h"
#include "viewer/scene/thumbnails.h"
#include "viewer/session/recovery.h"
#include "viewer/session/session.h"
#include "viewer/session/settings.h"
#include "viewer/training/training_watch.h"
#include "viewer/ui/command.h"
#include "viewer/ui/imgui_layer.h"
#include "viewer/ui/input.h"

namespace tessera::viewer {

// A sentence for the user, shown for some seconds or, if it says what went wrong, until closed.
struct Notice {
  std::string text;
  bool is_error = false;
  double seconds = 0;  // that it has been shown
};

// The part of the window that shows the scene, in pixels from the top left.
struct ViewRect {
  int x = 0, y = 0, width = 1, height = 1;
};

class Viewer {
 public:
  // Needs the OpenGL context that is current, until the end.
  explicit Viewer(Host& host);

  void handle(const InputEvent& event);
  // The size of the view until frame() finds its own.
  void set_view_size(int width, int height) { view_ = {0, 0, width, height}; }
  // Draws the window, `seconds` after the last time, into a framebuffer. `ui_scale` is the
  // display's. Returns whether it should be drawn again though nothing comes from the user.
  bool frame(GLuint framebuffer, int width, int height, float ui_scale, double seconds);
  // Runs a line as a menu does: errors become notices.
  void act(std::string_view line);
  // Runs a line; throws core::Error.
  void run(std::string_view line);
  // Waits until all that was asked for is open, sent and sorted, and the camera stands.
  void settle();
  // The scene alone, from its camera, as the card draws it.
  core::Image8 picture(int width, int height);
  // The whole window, at rest.
  core::Image8 window_picture(int width, int height);
  // The scene alone by the exact rasterizer. Throws core::Error for an orthographic view.
  core::Image8 exact_picture(int width, int height);
  bool quit_wanted() const { return quit_wanted_; }

  Host& host() { return host_; }
  // A scene, or a session in place of all that is open.
  void open(const std::filesystem::path& path);
  // What is open and how it is seen. Writing it saves the edits. Throws core::Error.
  void save_session(const std::filesystem::path& file);
  // Keeps what is not saved there, and offers what was left; it outlives the viewer.
  void recover_in(Recovery& recovery);
  // Opens what was left, or throws it away. Throws core::Error.
  void recover(bool wanted);
  // Takes what was remembered, and has it written as it changes; the file outlives the viewer.
  void remember_in(SettingsFile& file);
  const std::vector<std::filesystem::path>& recent() const { return recent_; }
  // Where dialogs begin.
  std::filesystem::path last_folder() const;
  // Has the user name a file for a command, by the desktop's dialog where allowed, else by ours.
  void ask_for_file(FileWish wish);
  void use_desktop_dialogs() { use_desktop_dialogs_ = true; }
  // Null while none of ours is open.
  FileDialog* file_dialog() { return file_dialog_.get(); }
  const FileDialog* file_dialog() const { return file_dialog_.get(); }
  // Closes it and runs its command on a path; empty: on none.
  void end_file_dialog(const std::filesystem::path& chosen);
  std::vector<SceneItem>& items() { return items_; }
  const std::vector<SceneItem>& items() const { return items_; }
  // The item that lists and tools act on; null if there is none.
  SceneItem* current_item();
  void set_current(int id) { current_id_ = id; }
  // Changes what is open as one step of the history; `name` is for menus.
  void change(ChangeKind kind, std::string name, const std::function<void()>& make);
  void undo();
  void redo();
  const History& history() const { return history_; }
  void mark_saved() { history_.saved(); }
  // Watches that training in place of the one before; null: none. `folder` names what is shown.
  void watch(std::unique_ptr<Training> training, std::filesystem::path folder);
  TrainingWatch* training() { return training_.get(); }
  const TrainingWatch* training() const { return training_.get(); }
  CameraPath& path() { return path_; }
  const CameraPath& path() const { return path_; }
  // Plays the path, from its beginning; again stops it.
  void play_path();
  // Writes the path as a film, a picture with every frame of the window.
  void film_path(const std::filesystem::path& file, int width, int height);
  void cancel_film();
  // How much of the film is written, 0 to 1; nothing if none is.
  std::optional<double> filmed() const;
  // Points of the world, in the order in which they were set.
  std::vector<math::Vec3<double>>& measured() { return measured_; }
  const std::vector<math::Vec3<double>>& measured() const { return measured_; }
  SelectTool& tool() { return tool_; }
  const SelectTool& tool() const { return tool_; }
  void remove(int id);
  int add(SceneItem item);  // gives its id
  CameraController& camera() { return camera_; }
  const CameraController& camera() const { return camera_; }
  SceneStyle& style() { return style_; }
  const SceneStyle& style() const { return style_; }
  // Stands where a photo was taken; while one is compared, that is the one.
  void go_to(const PhotoPlace& place);
  // The photo that was last gone to, while it is open.
  std::optional<PhotoPlace> photo() const;
  // The photo whose pyramid is under the mouse.
  const std::optional<PhotoAt>& hovered_photo() const { return hovered_photo_; }
  // Shows the photo that was last gone to, or the first, beside what is drawn from its camera,
  // until the camera moves. Throws core::Error if no photo is open.
  void compare(Comparison comparison);
  Comparison comparison() const { return comparison_; }
  // Where a split is, of its width.
  void set_split(double split) { split_ = split; }
  double split() const { return split_; }
  // Of the photo that is compared and what is drawn from its camera, at the size that is shown.
  std::optional<double> compared_psnr() const;
  Thumbnails& thumbnails() { return thumbnails_; }
  // Where what is drawn at a pixel of the view lies.
  std::optional<math::Vec3<double>> pick(double x, double y);
  // The first camera of what was opened first, or a view of all of it.
  void go_home();
  void show_all();
  void say(std::string text) { notices_.push_back({std::move(text)}); }
  void say_error(std::string text) { notices_.push_back({std::move(text), true}); }
  std::vector<Notice>& notices() { return notices_; }
  std::vector<std::filesystem::path> opening() const { return loader_.waiting(); }
  // Closes the window; if edits are not saved it asks first, unless `anyway`.
  void quit(bool anyway);

  struct Stay {  // what panels show
    bool panels = true;
    bool keys = false;
    bool unsaved = false;   // the question on closing
    bool recovery = false;  // the offer of what an earlier run left
    bool dark = true;
    float font_scale = 1;
    ShownHistogram histogram;
    double known_length = 1;
    std::string typed_name;  // in the file dialog
    int typed_names = 0;     // that commands put there
    std::string film_file = "film.mp4";
    int film_size[2] = {1920, 1080};
  };
  Stay& shown() { return shown_; }
  const Stay& shown() const { return shown_; }
  std::array<std::optional<ViewCamera>, 9>& bookmarks() { return bookmarks_; }
  const ViewRect& view_rect() const { return view_; }
  double frames_per_second() const { return frames_per_second_; }
  double sharpness() const { return sharpness_; }
  int64_t ordered_splats() const { return renderer_.ordered_splats(); }
  int64_t splat_bytes() const { return renderer_.splat_bytes(); }

 private:
  void take_opened();
  void take_trained();
  Session session() const;
  void open_session(const std::filesystem::path& file, bool unsaved);
  bool restore(Loader::Result& result);  // whether it was of the session that is being opened
  void end_restoring();
  void keep_unsaved(double seconds);
  int64_t edit_to_keep() const;
  bool is_kept() const;  // as it stands
  SceneItem* find_item(int id);
  void follow_path(double seconds);
  void follow_dialogs();
  bool handle_dialog_key(Key key);
  void keep_settings(int width, int height);
  // Brings the card up to date with what is open; whether the picture changed.
  bool prepare(const Projection& projection);
  void handle_mouse(const InputEvent& event);
  void handle_key(const InputEvent& event);
  void hover_photo(bool in_view);
  void drag_split(double pixels);
  void fly(double seconds);
  Projection projection(int width, int height) const;
  // The photo that is compared at a size that fits a picture; null while it is loaded or none
  // is.
  struct Compared {
    core::PosedCamera camera;  // in the world
    core::Image8 photo, mask;
    std::shared_ptr<const ShelvedPhoto> whole;
  };
  const Compared* compared(int width, int height);
  // Both as one picture in the middle of one of that size.
  void render_compared(const Compared& compared);
  core::Image8 compared_picture(const Compared& compared, int width, int height);
  // What of the scene is seen: from the photo's camera while one is compared.
  Projection seen(int width, int height, const Compared* compared) const;
  void forget_pictures();  // what they show has changed
  void draw_scene(const Projection& projection, const Compared* compared, GLuint framebuffer,
                  int window_height);
  void pace(bool moving, double seconds);
  Host& host_;
  Loader loader_;
  SceneRenderer renderer_;
  ImGuiLayer imgui_;
  std::vector<SceneItem> items_;
  std::unique_ptr<TrainingWatch> training_;
  std::filesystem::path training_folder_;
  History history_;
  static constexpr int64_t kNothingKept = -2;
  Recovery* recovery_ = nullptr;  // null: nothing is kept
  int64_t kept_edit_ = kNothingKept;
  double seconds_since_write_ = 0;
  struct Restoring {
    Session session;
    int next = 0;        // of its scenes
    int current_id = 0;  // of the chosen one, once it is open
    bool unsaved = false;
  };
  std::optional<Restoring> restoring_;
  SettingsFile* settings_ = nullptr;  // null: nothing is remembered
  std::vector<std::filesystem::path> recent_;
  std::unique_ptr<FileDialog> file_dialog_;
  std::unique_ptr<DesktopDialog> desktop_dialog_;
  bool use_desktop_dialogs_ = false;
  CameraPath path_;
  std::optional<double> playing_;  // seconds since the beginning
  struct Filming {
    std::unique_ptr<Film> film;
    std::filesystem::path file;
    int width = 0, height = 0;
    int frame = 0;
  };
  std::optional<Filming> filming_;
  SelectTool tool_;
  std::vector<math::Vec3<double>> measured_;
  int next_id_ = 1;
  int current_id_ = 0;
  CameraController camera_;
  SceneStyle style_;
  Extent extent_;
  std::optional<ViewCamera> home_;
  std::array<std::optional<ViewCamera>, 9> bookmarks_;
  PhotoShelf photos_{host_, 4};
  Thumbnails thumbnails_{host_};
  std::optional<PhotoPlace> photo_;
  std::optional<PhotoAt> hovered_photo_;
  std::optional<PhotoPlace> pressed_photo_;
  Comparison comparison_ = Comparison::kOff;
  double split_ = 0.5;
  std::optional<double> compared_psnr_;
  std::optional<Compared> compared_;
  std::vector<Notice> notices_;
  Stay shown_;
  ViewRect view_;
  bool quit_wanted_ = false;

  double mouse_x_ = 0, mouse_y_ = 0;
  std::optional<MouseButton> dragging_;
  Modifiers drag_modifiers_;
  double dragged_ = 0;  // pixels since the button went down
  double seconds_since_click_ = 1e9;
  std::bitset<kKeyCount> held_;
  double fly_speed_ = 1;  // pivot distances a second

  // What the picture that is kept shows.
  struct Drawn {
    Projection projection;
    SceneStyle style;
    std::vector<std::pair<int, core::Similarity>> placed;  // of what is visible
    double sharpness = 0;
    Comparison comparison = Comparison::kOff;
    double split = 0;

    friend bool operator==(const Drawn&, const Drawn&) = default;
  };
  Drawn drawn_state(const Projection& projection) const;

  bool sending_ = false;  // to the card
  Canvas kept_{CanvasPixels::kByte};
  std::optional<Drawn> drawn_;
  core::Image8 compared_render_;
  std::optional<Drawn> rendered_;  // what it shows
  std::optional<Drawn> ordered_;   // what the newest request for an order was of
  double sharpness_ = 1;           // share of the pixels on a side that is drawn while moving
  double frames_per_second_ = 0;
};

}  // namespace tessera::viewer
