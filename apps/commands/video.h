// An MP4 from frames, made by the ffmpeg program.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>

#include "apps/commands/ffmpeg_process.h"
#include "core/image.h"

namespace tessera::apps {

class VideoWriter {
 public:
  // H.264 in 4:2:0, which every player shows; both sides must be even. The file is there, whole,
  // only after finish(). Throws core::Error if there is no ffmpeg program, core::IoError if the
  // file cannot be written there.
  VideoWriter(std::filesystem::path path, int width, int height, double frames_per_second);
  // Ends ffmpeg and removes what it had written, unless finished.
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  // RGB of the size given. Throws core::IoError with ffmpeg's own words if it gave up.
  void add(const core::Image8& frame);
  void finish();

 private:
  // With ffmpeg's own words.
  [[noreturn]] void fail();

  std::filesystem::path path_;
  std::filesystem::path unfinished_path_;
  int width_;
  int height_;
  std::unique_ptr<FfmpegProcess> ffmpeg_;  // null when finished
};

}  // namespace tessera::apps
