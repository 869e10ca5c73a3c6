// SPDX-License-Identifier: MIT
#include "apps/commands/launcher_messages.h"

#include <algorithm>
#include <regex>
#include <utility>

namespace tessera::apps {
namespace {

// What the sentence begins with by which a rank ends.
constexpr std::string_view kEnd = "tessera: ";

// A line that begins so is looked at as a whole.
constexpr std::string_view kBegins = "-t[";

// Open MPI's word about a peer that died while its memory was read.
constexpr std::string_view kPeerGone = "Read -1, expected ";

// Open MPI's messages stand between two lines of dashes.
bool is_rule(std::string_view line) {
  constexpr size_t kLeastDashes = 20;
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line.size() >= kLeastDashes && line.find_first_not_of('-') == std::string_view::npos;
}

}  // namespace

void LauncherMessages::take(std::string_view bytes) {
  pending_ += bytes;
  while (!pending_.empty()) {
    const size_t end = pending_.find('\n');
    if (end == std::string::npos) {
      if (in_block_ || kBegins.find(pending_.front()) != std::string_view::npos) return;
      pass_(pending_);
      pending_.clear();
      return;
    }
    const std::string line = pending_.substr(0, end + 1);
    pending_.erase(0, end + 1);
    take_line(line);
  }
}

void LauncherMessages::take_line(std::string_view line) {
  if (in_block_) {
    block_ += line;
    if (is_rule(line)) end_block();
  } else if (is_rule(line)) {
    in_block_ = true;
    block_ = line;
  } else if (line.starts_with(kEnd)) {
    if (!std::exchange(end_told_, true)) pass_(line);
  } else if (line.find(kPeerGone) == std::string_view::npos) {
    pass_(line);
  }
}

void LauncherMessages::end_block() {
  in_block_ = false;
  std::string words = block_;
  std::replace(words.begin(), words.end(), '\n', ' ');
  static const std::regex killed(R"(noticed that process rank (\d+) .*exited on\s+signal (\d+))");
  std::smatch found;
  if (std::regex_search(words, found, killed)) {
    if (!killed_) killed_ = {std::stoi(found[1]), std::stoi(found[2])};
    return;
  }
  const auto says = [&](const char* text) { return words.find(text) != std::string::npos; };
  if (says("non-zero exit code") || says("non-zero status")) return;
  pass_(block_);
}

void LauncherMessages::end() {
  if (in_block_) pass_(block_);
  in_block_ = false;
  pass_(pending_);
  pending_.clear();
}

}  // namespace tessera::apps
