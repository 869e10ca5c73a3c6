// SPDX-License-Identifier: MIT
#include "apps/commands/video.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file_io.h"

namespace tessera::apps {
namespace {

std::vector<std::string> ffmpeg_words(const std::string& size, const std::string& rate,
                                      const std::filesystem::path& path) {
  return {"-y",         "-f",   "rawvideo", "-pix_fmt",   "rgb24",   "-s",
          size,         "-r",   rate,       "-i",         "pipe:0",  "-c:v",
          "libx264",    "-crf", "17",       "-pix_fmt",   "yuv420p", "-movflags",
          "+faststart", "-f",   "mp4",      path.string()};
}

// Blocks SIGPIPE in this thread while it lives, so that a write to an ffmpeg that ended fails.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &old_);
  }
  ~NoBrokenPipeSignal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    const timespec at_once = {0, 0};
    sigtimedwait(&set, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
  }
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

 private:
  sigset_t old_;
};

}  // namespace

VideoWriter::VideoWriter(std::filesystem::path path, int width, int height,
                         double frames_per_second)
    : path_(std::move(path)),
      unfinished_path_(path_.string() + ".tmp"),
      width_(width),
      height_(height) {
  if (width % 2 != 0 || height % 2 != 0) {
    throw std::logic_error("VideoWriter: a film of odd size");
  }
  if (!have_ffmpeg()) {
    throw core::Error(
        "An MP4 is written by the ffmpeg program, which is not installed (Debian and Ubuntu: apt "
        "install ffmpeg); give a folder as the output to get PNGs instead.");
  }
  // ffmpeg opens its output only when frames come, and says less.
  core::check_file_can_be_written(path_);
  ffmpeg_ = std::make_unique<FfmpegProcess>(
      ffmpeg_words(fmt::format("{}x{}", width, height), fmt::format("{}", frames_per_second),
                   unfinished_path_),
      FfmpegProcess::Direction::kInto);
}

VideoWriter::~VideoWriter() {
  if (ffmpeg_ == nullptr) return;
  ffmpeg_.reset();
  std::error_code ignored;
  std::filesystem::remove(unfinished_path_, ignored);
}

void VideoWriter::fail() {
  ffmpeg_->finish();
  throw core::IoError(path_, fmt::format("ffmpeg could not write it ({})", ffmpeg_->last_words()));
}

void VideoWriter::add(const core::Image8& frame) {
  if (frame.width != width_ || frame.height != height_ || frame.channels != 3) {
    throw std::logic_error("VideoWriter::add: a frame of another size");
  }
  const NoBrokenPipeSignal guard;
  const uint8_t* data = frame.data.data();
  for (int64_t left = frame.data.size(); left > 0;) {
    const ssize_t written = write(ffmpeg_->pipe(), data, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    data += written;
    left -= written;
  }
}

void VideoWriter::finish() {
  std::error_code error;
  const bool whole = ffmpeg_->finish();
  if (whole) std::filesystem::rename(unfinished_path_, path_, error);
  if (!whole || error) fail();
  ffmpeg_.reset();
}

}  // namespace tessera::apps
