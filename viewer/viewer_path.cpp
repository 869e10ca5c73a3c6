// The viewer on a path: playing it, and writing it as a film one frame after the other.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "core/error.h"
#include "viewer/viewer.h"

namespace tessera::viewer {

void Viewer::play_path() {
  if (playing_) {
    playing_.reset();
    return;
  }
  if (path_.keys.size() < 2) throw core::Error("a path needs two key frames; K sets them");
  playing_ = 0;
}

void Viewer::film_path(const std::filesystem::path& file, int width, int height) {
  if (filming_) throw core::Error("a film is being written; path cancel ends it");
  if (path_.keys.empty()) throw core::Error("a film needs key frames; K sets them");
  filming_ = Filming{host_.film(file, width, height, path_.frames_per_second), file, width, height};
}

void Viewer::cancel_film() {
  if (!filming_) throw core::Error("no film is being written");
  say("Stopped writing " + filming_->file.string() + "; nothing is left of it");
  filming_.reset();
}

std::optional<double> Viewer::filmed() const {
  if (!filming_) return std::nullopt;
  return static_cast<double>(filming_->frame) / path_.frames();
}

void Viewer::follow_path(double seconds) {
  if (playing_) {
    const int frame = static_cast<int>(*playing_ * path_.frames_per_second);
    camera_.jump_to(path_.at_frame(frame));
    *playing_ += seconds;
    if (frame >= path_.frames() - 1) playing_.reset();
  }
  if (!filming_) return;
  try {
    const ViewCamera stands = camera_.camera(), target = camera_.target();
    camera_.jump_to(path_.at_frame(filming_->frame));
    filming_->film->add(picture(filming_->width, filming_->height));
    camera_.jump_to(stands);
    camera_.go_to(target);
    if (++filming_->frame == path_.frames()) {
      filming_->film->finish();
      say(fmt::format("Wrote {} frames to {}", path_.frames(), filming_->file.string()));
      filming_.reset();
    }
  } catch (const core::Error& error) {
    say_error(error.what());
    filming_.reset();
  }
}

}  // namespace tessera::viewer
