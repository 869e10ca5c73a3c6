// The ffmpeg program at the other end of a pipe: frames go into it or come out of it.
// A library would bring 140 shared objects into every start of the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tessera::apps {

// Whether the program is on the PATH.
bool have_ffmpeg();

class FfmpegProcess {
 public:
  enum class Direction { kInto, kOutOf };  // which of its standard streams the pipe is

  // `words` are its arguments. Throws core::Error if it cannot be started.
  FfmpegProcess(std::vector<std::string> words, Direction direction);
  // Ends it, unless finished.
  ~FfmpegProcess();
  FfmpegProcess(const FfmpegProcess&) = delete;
  FfmpegProcess& operator=(const FfmpegProcess&) = delete;

  // Our end of the pipe.
  int pipe() const { return pipe_; }
  // Closes the pipe and waits; whether it ended well.
  bool finish();
  // The last line of what it says, of an ffmpeg that finished.
  std::string last_words() const;

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
  int messages_ = -1;  // a file in memory, so that it never waits for a reader
};

}  // namespace tessera::apps
