// SPDX-License-Identifier: MIT
#include "apps/commands/ffmpeg_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "core/error.h"

namespace tessera::apps {
namespace {

// Descriptors do not leak into other processes.
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

void close_if_open(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

}  // namespace

bool have_ffmpeg() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/ffmpeg").c_str(), X_OK) == 0) return true;
  }
  return false;
}

FfmpegProcess::FfmpegProcess(std::vector<std::string> words, Direction direction) {
  words.insert(words.begin(), {"ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin"});
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  messages_ = memfd_create("ffmpeg", MFD_CLOEXEC);
  if (messages_ < 0) throw core::Error("No memory for ffmpeg's messages: too many open files.");
  const Pipe frames;
  const bool into = direction == Direction::kInto;
  pipe_ = into ? frames.in : frames.out;
  const int its_end = into ? frames.out : frames.in;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, its_end, into ? STDIN_FILENO : STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, messages_, STDERR_FILENO);
  // A group of its own: Ctrl-C is for us, and ffmpeg ends when the pipe does.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failure =
      posix_spawnp(&process_, "ffmpeg", &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(its_end);
  if (failure != 0) {
    process_ = -1;
    close_if_open(pipe_);
    close_if_open(messages_);
    throw core::Error(fmt::format("ffmpeg cannot be started: {}.", std::strerror(failure)));
  }
}

FfmpegProcess::~FfmpegProcess() {
  if (process_ > 0) kill(process_, SIGTERM);
  finish();
  close_if_open(messages_);
}

bool FfmpegProcess::finish() {
  close_if_open(pipe_);
  int status = 0;
  if (process_ > 0) {
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = -1;
  return status == 0;
}

std::string FfmpegProcess::last_words() const {
  std::string text;
  char buffer[4096];
  lseek(messages_, 0, SEEK_SET);
  for (ssize_t size = 0; (size = read(messages_, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, size);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  text = text.substr(text.rfind('\n') + 1);
  return text.empty() ? "it gave no reason" : text;
}

}  // namespace tessera::apps
