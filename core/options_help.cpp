// What --help and --help-all print, laid out for 80 columns.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "core/options.h"

namespace tessera::core {
namespace {

constexpr size_t kColumns = 79;
constexpr size_t kWidestLabel = 28;  // a longer one gets a line of its own

// The words of `text` in lines, the first of which begins with `start`, the others with spaces.
std::string wrapped(std::string start, size_t indent, const std::string& text) {
  std::string result;
  std::string line = std::move(start);
  line.resize(std::max(line.size(), indent), ' ');
  std::istringstream words(text);
  std::string word;
  bool first = true;
  while (words >> word) {
    if (!first && line.size() + 1 + word.size() > kColumns) {
      result += line + "\n";
      line.assign(indent, ' ');
      first = true;
    }
    line += (first ? "" : " ") + word;
    first = false;
  }
  return result + line + "\n";
}

// A row's label, and its text beside it.
void append_row(std::string& to, const std::string& label, size_t width, const std::string& text) {
  std::string start = "  " + label;
  if (label.size() > width) to += std::exchange(start, "") + "\n";
  to += wrapped(start, width + 4, text);
}

}  // namespace

std::string OptionTable::label(const Option& row) {
  if (row.positional_) return row.value_name_;
  const auto first_short = std::find_if(row.names_.begin(), row.names_.end(),
                                        [](const std::string& name) { return name.size() == 2; });
  std::string text = first_short == row.names_.end() ? "" : *first_short + ", ";
  text += row.names_.front();
  return row.value_name_.empty() ? text : text + " " + row.value_name_;
}

std::string OptionTable::description(const Option& row, bool with_aliases) {
  std::string text = row.help_;
  if (!row.choices_.empty()) text += fmt::format(": {}", fmt::join(row.choices_, ", "));
  if (!row.default_text_.empty()) text += fmt::format(" [{}]", row.default_text_);
  if (!with_aliases) return text;
  std::vector<std::string> others;
  bool short_shown = row.positional_;
  for (const std::string& name : row.names_) {
    if (!row.positional_ && name == row.names_.front()) continue;
    if (name.size() == 2 && !short_shown) {
      short_shown = true;  // by the label
    } else {
      others.push_back(name);
    }
  }
  for (const auto& [name, value] : row.shorthands_) {
    others.push_back(fmt::format("{} for {}", name, value));
  }
  if (!others.empty()) text += fmt::format(" (also {})", fmt::join(others, ", "));
  return text;
}

std::string OptionTable::help() const {
  std::string usage = "usage: " + command_;
  size_t width = std::string_view("--help-all").size();
  for (const Option& row : rows_) {
    if (!row.common_) continue;
    width = std::max(width, std::min<size_t>(label(row).size(), kWidestLabel));
    if (row.positional_)
      usage += " " + (row.required_ ? row.value_name_ : "[" + row.value_name_ + "]");
    if (!row.positional_ && row.required_)
      usage += " " + row.names_.front() + " " + row.value_name_;
  }
  std::string text =
      fmt::format("{}\n  {}\n\n{} [options]\n", wrapped("", 0, summary_), example_, usage);
  for (const Option& row : rows_) {
    if (row.common_) append_row(text, label(row), width, description(row, false));
  }
  const bool hides_some =
      std::any_of(rows_.begin(), rows_.end(), [](const Option& row) { return !row.common_; });
  if (hides_some) {
    append_row(text, "--help-all", width,
               fmt::format("all {} options with their defaults", rows_.size()));
  }
  return text;
}

std::string OptionTable::help_all() const {
  size_t width = 0;
  for (const Option& row : rows_) {
    width = std::max(width, std::min<size_t>(label(row).size(), kWidestLabel));
  }
  std::string text = fmt::format("{}\n  {}\n", wrapped("", 0, summary_), example_);
  std::vector<std::string> groups;
  for (const Option& row : rows_) {
    if (std::count(groups.begin(), groups.end(), row.group_) == 0) groups.push_back(row.group_);
  }
  for (const std::string& group : groups) {
    text += fmt::format("\n{}\n", group);
    for (const Option& row : rows_) {
      if (row.group_ != group) continue;
      append_row(text, label(row), width, description(row, true));
    }
  }
  return text;
}

}  // namespace tessera::core
