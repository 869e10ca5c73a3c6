// How far a long job is: a bar that redraws itself on a terminal, plain lines on a pipe.
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "core/count_text.h"
#include "core/timer.h"

namespace tessera::apps {

class Progress {
 public:
  enum class Style { kBar, kLines, kSilent };

  // Counts `unit`s ("step", "picture") from `first` to `total`, both of the whole job: one that
  // was resumed at 150 of 400 begins with first = 150. Draws to `out`.
  Progress(std::string unit, int64_t first, int64_t total, Style style, std::FILE* out);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Whether update() would draw now: 10 times a second on a terminal; on a pipe the first and the
  // last, every twentieth of the job but once a second at most, and after 30 s of silence.
  bool due(int64_t done) const;
  // `detail` is what the job has to say beside the count, e.g. "12,000 Gaussians, loss 0.041".
  void update(int64_t done, std::string_view detail);
  // Wipes the bar so that a message can be printed; the next update() draws it again.
  void clear();

  // A line as drawn on a pipe, e.g. "step 150/400 | 12,000 Gaussians | 80 /s | 3 s left".
  std::string line(int64_t done, std::string_view detail) const;

 private:
  // Shorter than line(), to fit beside a bar into 80 columns: "150/400 | ... | 80/s | 0:03 left".
  std::string bar_text(int64_t done, std::string_view detail) const;
  double rate() const;

  std::string unit_;
  int64_t total_;
  Style style_;
  std::FILE* out_;
  core::Timer timer_;
  double last_drawn_ = -1;
  int64_t last_done_ = -1;
  // Rate over the last seconds, not since the start: steps slow down as Gaussians grow.
  double window_time_ = 0;
  int64_t window_done_ = 0;
  double rate_ = 0;
  std::atomic<bool> bar_shown_ = false;  // messages of other threads clear the bar
};

// Of standard output: kSilent if `quiet`, else by whether it is a terminal.
Progress::Style progress_style(bool quiet);

std::string duration_text(double seconds);  // "4.2 s", "3 min 20 s", "2 h 5 min"
std::string bytes_text(double bytes);       // "850 kB", "1.24 GB"
using core::count_text;
using core::plural;

}  // namespace tessera::apps
