// SPDX-License-Identifier: MIT
#include "apps/commands/video.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/file_io.h"

namespace tessera::apps {
namespace {

std::string last_line_of(int descriptor) {
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(descriptor, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, size);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

std::vector<std::string> ffmpeg_words(const std::string& size, const std::string& rate,
                                      const std::filesystem::path& path) {
  return {"ffmpeg",   "-hide_banner", "-loglevel",  "error",   "-nostdin", "-y",         "-f",
          "rawvideo", "-pix_fmt",     "rgb24",      "-s",      size,       "-r",         rate,
          "-i",       "pipe:0",       "-c:v",       "libx264", "-crf",     "17",         "-pix_fmt",
          "yuv420p",  "-movflags",    "+faststart", "-f",      "mp4",      path.string()};
}

// A pipe whose ends do not leak into other processes.
struct Pipe {
  int out = -1;
  int in = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw core::Error("No pipe to ffmpeg: too many open files.");
    out = ends[0];
    in = ends[1];
  }
};

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

bool have_ffmpeg() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/ffmpeg").c_str(), X_OK) == 0) return true;
  }
  return false;
}

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
  std::vector<std::string> words = ffmpeg_words(
      fmt::format("{}x{}", width, height), fmt::format("{}", frames_per_second), unfinished_path_);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const Pipe frames;
  const Pipe messages;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, frames.out, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages.in, STDERR_FILENO);
  // A group of its own: Ctrl-C is for us, and ffmpeg ends when its input does.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failure =
      posix_spawnp(&process_, "ffmpeg", &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(frames.out);
  close(messages.in);
  frames_in_ = frames.in;
  messages_out_ = messages.out;
  if (failure != 0) {
    process_ = -1;
    close(frames_in_);
    close(messages_out_);
    throw core::Error(fmt::format("ffmpeg cannot be started: {}.", std::strerror(failure)));
  }
}

VideoWriter::~VideoWriter() {
  if (frames_in_ >= 0) close(frames_in_);
  if (process_ > 0) {
    kill(process_, SIGTERM);
    wait_for_ffmpeg();
    std::error_code ignored;
    std::filesystem::remove(unfinished_path_, ignored);
  }
  if (messages_out_ >= 0) close(messages_out_);
}

int VideoWriter::wait_for_ffmpeg() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return status;
}

void VideoWriter::fail() {
  const std::string words = last_line_of(messages_out_);
  wait_for_ffmpeg();
  std::error_code ignored;
  std::filesystem::remove(unfinished_path_, ignored);
  throw core::IoError(path_, fmt::format("ffmpeg could not write it ({})",
                                         words.empty() ? "it gave no reason" : words));
}

void VideoWriter::add(const core::Image8& frame) {
  if (frame.width != width_ || frame.height != height_ || frame.channels != 3) {
    throw std::logic_error("VideoWriter::add: a frame of another size");
  }
  const NoBrokenPipeSignal guard;
  const uint8_t* data = frame.data.data();
  for (int64_t left = frame.data.size(); left > 0;) {
    const ssize_t written = write(frames_in_, data, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    data += written;
    left -= written;
  }
}

void VideoWriter::finish() {
  close(frames_in_);
  frames_in_ = -1;
  const std::string words = last_line_of(messages_out_);
  const int status = wait_for_ffmpeg();
  std::error_code error;
  if (status == 0) std::filesystem::rename(unfinished_path_, path_, error);
  if (status != 0 || error) {
    std::filesystem::remove(unfinished_path_, error);
    throw core::IoError(path_, fmt::format("ffmpeg could not write it ({})",
                                           words.empty() ? "it gave no reason" : words));
  }
}

}  // namespace tessera::apps
