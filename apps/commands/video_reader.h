// The frames of a video file, one after another, as the ffmpeg program decodes them.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>

#include "apps/commands/ffmpeg_process.h"
#include "core/image.h"

namespace tessera::apps {

// Whether the name is that of a video file.
bool names_video(const std::filesystem::path& path);

class VideoReader {
 public:
  // Throws core::Error if there is no ffmpeg program, core::IoError with its own words if it
  // reads no video there.
  explicit VideoReader(std::filesystem::path path);

  int width() const { return width_; }
  int height() const { return height_; }
  double frames_per_second() const { return frames_per_second_; }
  // RGB, turned as the file says; false behind the last. Throws core::IoError if the file is
  // damaged.
  bool next(core::Image8& frame);

 private:
  std::filesystem::path path_;
  int width_ = 0;
  int height_ = 0;
  double frames_per_second_ = 0;
  std::unique_ptr<FfmpegProcess> ffmpeg_;
};

}  // namespace tessera::apps
