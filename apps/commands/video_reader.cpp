// SPDX-License-Identifier: MIT
#include "apps/commands/video_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/lower_case.h"

namespace tessera::apps {
namespace {

constexpr std::string_view kExtensions[] = {".mp4", ".m4v", ".mov",  ".mkv", ".webm",
                                            ".avi", ".gif", ".mpeg", ".mpg", ".ogv"};
constexpr int kMostSide = 1 << 14;

// How many bytes came before the end.
int64_t read_bytes(int descriptor, uint8_t* data, int64_t size) {
  int64_t done = 0;
  while (done < size) {
    const ssize_t got = read(descriptor, data + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += got;
  }
  return done;
}

std::string read_line(int descriptor) {
  constexpr size_t kLongest = 4096;
  std::string line;
  for (uint8_t byte = 0; line.size() < kLongest && read_bytes(descriptor, &byte, 1) == 1;) {
    if (byte == '\n') return line;
    line += static_cast<char>(byte);
  }
  return line;
}

// "-i" takes names like "concat:x" for more than a file.
std::string as_input(const std::filesystem::path& path) {
  return "file:" + path.string();
}

}  // namespace

bool names_video(const std::filesystem::path& path) {
  const std::string extension = core::lower_case(path.extension().string());
  return std::find(std::begin(kExtensions), std::end(kExtensions), extension) !=
         std::end(kExtensions);
}

VideoReader::VideoReader(std::filesystem::path path) : path_(std::move(path)) {
  if (!std::filesystem::exists(path_)) throw core::IoError(path_, "there is no such file");
  if (!have_ffmpeg()) {
    throw core::Error(
        "A video file is read by the ffmpeg program, which is not installed (Debian and Ubuntu: "
        "apt install ffmpeg); give a folder of its frames instead.");
  }
  // The header of a YUV4MPEG stream: "YUV4MPEG2 W640 H480 F30000:1001 ...".
  FfmpegProcess probe({"-i", as_input(path_), "-map", "0:v:0", "-frames:v", "1", "-pix_fmt",
                       "yuv420p", "-f", "yuv4mpegpipe", "pipe:1"},
                      FfmpegProcess::Direction::kOutOf);
  std::istringstream header(read_line(probe.pipe()));
  for (std::string word; header >> word;) {
    double above = 0;
    double below = 0;
    if (std::sscanf(word.c_str(), "F%lf:%lf", &above, &below) == 2 && below > 0) {
      frames_per_second_ = above / below;
    }
    if (word[0] == 'W') width_ = std::atoi(word.c_str() + 1);
    if (word[0] == 'H') height_ = std::atoi(word.c_str() + 1);
  }
  std::vector<uint8_t> rest(1 << 16);
  while (read_bytes(probe.pipe(), rest.data(), static_cast<int64_t>(rest.size())) > 0) {
  }
  const bool read_it = probe.finish();
  if (!read_it || width_ < 1 || height_ < 1 || std::max(width_, height_) > kMostSide) {
    throw core::IoError(path_, fmt::format("ffmpeg reads no video there ({})", probe.last_words()));
  }
  ffmpeg_ = std::make_unique<FfmpegProcess>(
      std::vector<std::string>{"-xerror", "-i", as_input(path_), "-map", "0:v:0", "-f", "rawvideo",
                               "-pix_fmt", "rgb24", "pipe:1"},
      FfmpegProcess::Direction::kOutOf);
}

bool VideoReader::next(core::Image8& frame) {
  frame.resize(width_, height_, 3);
  const int64_t got = read_bytes(ffmpeg_->pipe(), frame.data.data(), frame.data.size());
  if (got == frame.data.size()) return true;
  if (!ffmpeg_->finish() || got > 0) {
    throw core::IoError(path_,
                        fmt::format("ffmpeg could not read all of it ({})", ffmpeg_->last_words()));
  }
  return false;
}

}  // namespace tessera::apps
