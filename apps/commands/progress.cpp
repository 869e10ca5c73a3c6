// SPDX-License-Identifier: MIT
#include "apps/commands/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "apps/commands/mpirun.h"

namespace tessera::apps {
namespace {

constexpr double kBarSeconds = 0.1;
constexpr double kLineSeconds = 1;
constexpr double kSilenceSeconds = 30;
constexpr double kRateWindowSeconds = 2;
constexpr int kLineCount = 20;
constexpr int kBarWidth = 24;
constexpr int kLeastBarWidth = 6;

int terminal_width(std::FILE* out) {
  winsize size = {};
  if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

// Eighths of a cell, as terminals draw them.
std::string bar_of(double part, int width) {
  static constexpr const char* kEighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::clamp(part, 0.0, 1.0) * width * 8);
  std::string bar;
  for (int i = 0; i < width; ++i) {
    const int filled = std::clamp(eighths - 8 * i, 0, 8);
    bar += filled == 8 ? "█" : kEighths[filled];
  }
  return bar;
}

}  // namespace

Progress::Progress(std::string unit, int64_t first, int64_t total, Style style, std::FILE* out)
    : unit_(std::move(unit)), total_(total), style_(style), out_(out), window_done_(first) {}

Progress::~Progress() {
  clear();
}

bool Progress::due(int64_t done) const {
  if (style_ == Style::kSilent) return false;
  const double now = timer_.seconds();
  if (last_drawn_ < 0 || done >= total_) return true;
  if (style_ == Style::kBar) return now - last_drawn_ >= kBarSeconds;
  const bool next_part = done * kLineCount / total_ != last_done_ * kLineCount / total_;
  return now - last_drawn_ >= (next_part ? kLineSeconds : kSilenceSeconds);
}

double Progress::rate() const {
  if (rate_ > 0) return rate_;
  const double seconds = timer_.seconds() - window_time_;
  return seconds > 0 && last_done_ > window_done_ ? (last_done_ - window_done_) / seconds : 0;
}

void Progress::update(int64_t done, std::string_view detail) {
  if (!due(done)) return;
  const double now = timer_.seconds();
  last_done_ = done;
  if (now - window_time_ >= kRateWindowSeconds && done > window_done_) {
    rate_ = (done - window_done_) / (now - window_time_);
    window_time_ = now;
    window_done_ = done;
  }
  last_drawn_ = now;
  if (style_ == Style::kLines) {
    fmt::print(out_, "{}\n", line(done, detail));
  } else {
    const double part = total_ > 0 ? static_cast<double>(done) / total_ : 1;
    const std::string text = bar_text(done, detail);
    // What is said comes before how long the bar is.
    const int room = terminal_width(out_) - 9;
    const int width = std::clamp(room - static_cast<int>(text.size()), kLeastBarWidth, kBarWidth);
    fmt::print(out_, "\r\033[K▕{}▏{:3.0f}% {}", bar_of(part, width), 100 * part,
               text.substr(0, std::max(room - width, 0)));
    bar_shown_ = true;
  }
  std::fflush(out_);
}

void Progress::clear() {
  if (!bar_shown_) return;
  fmt::print(out_, "\r\033[K");
  std::fflush(out_);
  bar_shown_ = false;
}

std::string Progress::line(int64_t done, std::string_view detail) const {
  std::string text = fmt::format("{} {}/{}", unit_, count_text(done), count_text(total_));
  if (!detail.empty()) text += fmt::format(" | {}", detail);
  const double per_second = rate();
  if (per_second > 0) {
    text += fmt::format(" | {:.3g} {}s/s", per_second, unit_);
    if (done < total_)
      text += fmt::format(" | {} left", duration_text((total_ - done) / per_second));
  }
  return text;
}

std::string Progress::bar_text(int64_t done, std::string_view detail) const {
  std::string text = fmt::format("{}/{}", count_text(done), count_text(total_));
  if (!detail.empty()) text += fmt::format(" | {}", detail);
  const double per_second = rate();
  if (per_second <= 0) return text;
  text += fmt::format(" | {:.3g}/s", per_second);
  const auto left = std::llround((total_ - done) / per_second);
  if (done >= total_) return text;
  return text + (left < 3600 ? fmt::format(" | {}:{:02} left", left / 60, left % 60)
                             : fmt::format(" | {}:{:02}:{:02} left", left / 3600, left / 60 % 60,
                                           left % 60));
}

Progress::Style progress_style(bool quiet) {
  if (quiet) return Progress::Style::kSilent;
  return writes_to_terminal() ? Progress::Style::kBar : Progress::Style::kLines;
}

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string bytes_text(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} bytes", bytes);
  const auto [size, unit] = bytes < 999.5e3   ? std::pair(bytes / 1e3, "kB")
                            : bytes < 999.5e6 ? std::pair(bytes / 1e6, "MB")
                                              : std::pair(bytes / 1e9, "GB");
  return size < 100 ? fmt::format("{:.3g} {}", size, unit) : fmt::format("{:.0f} {}", size, unit);
}

}  // namespace tessera::apps
