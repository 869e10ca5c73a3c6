// SPDX-License-Identifier: MIT
#include "apps/commands/natural_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/lower_case.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// The digits from `at` on without leading zeros; `at` goes behind them.
std::string number_at(const std::string& text, size_t& at) {
  std::string digits;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    if (!digits.empty() || text[at] != '0') digits += text[at];
  }
  return digits;
}

std::optional<int64_t> last_number(const fs::path& file) {
  const std::string name = file.stem().string();
  size_t end = name.size();
  while (end > 0 && !is_digit(name[end - 1])) --end;
  size_t begin = end;
  constexpr size_t kMostDigits = 15;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  if (begin == end || end - begin > kMostDigits) return std::nullopt;
  return std::stoll(name.substr(begin, end - begin));
}

}  // namespace

bool comes_before(const std::string& a, const std::string& b) {
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string first = number_at(a, i);
      const std::string second = number_at(b, j);
      if (first.size() != second.size()) return first.size() < second.size();
      if (first != second) return first < second;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  if ((i < a.size()) != (j < b.size())) return j < b.size();
  return a < b;
}

std::vector<fs::path> files_in_order(const fs::path& folder,
                                     const std::vector<std::string>& extensions) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string extension = core::lower_case(entry.path().extension().string());
    const bool hidden = entry.path().filename().string().front() == '.';
    if (!hidden && entry.is_regular_file() &&
        std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return comes_before(a.filename().string(), b.filename().string());
  });
  return files;
}

void check_no_gaps(const std::vector<fs::path>& files) {
  std::vector<int64_t> steps;
  std::map<int64_t, int> counts;
  for (size_t i = 1; i < files.size(); ++i) {
    const std::optional<int64_t> before = last_number(files[i - 1]);
    const std::optional<int64_t> number = last_number(files[i]);
    if (!before || !number) return;
    steps.push_back(*number - *before);
    ++counts[steps.back()];
  }
  if (steps.size() < 2) return;
  const auto usual =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  for (size_t i = 0; i < steps.size(); ++i) {
    if (usual->first < 1 || steps[i] <= usual->first) continue;
    throw core::IoError(
        files[i + 1].parent_path(),
        fmt::format("{} is missing between {} and {}",
                    steps[i] == 2 * usual->first ? "a frame" : "more than one frame",
                    files[i].filename().string(), files[i + 1].filename().string()));
  }
}

}  // namespace tessera::apps
