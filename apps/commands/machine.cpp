// SPDX-License-Identifier: MIT
#include "apps/commands/machine.h"

#include <fmt/chrono.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <optional>
#include <string_view>

#include "core/thread_pool.h"

namespace tessera::apps {
namespace {

// The rest of the first line that starts with `key`, without separators and quotes.
std::optional<std::string> field_of(const char* path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const size_t begin = line.find_first_not_of(" \t:=\"", key.size());
    if (begin == std::string::npos) return std::nullopt;
    return line.substr(begin, line.find_last_not_of(" \t\"") + 1 - begin);
  }
  return std::nullopt;
}

std::optional<uint64_t> kilobytes_of(const char* path, std::string_view key) {
  const std::optional<std::string> text = field_of(path, key);
  uint64_t kilobytes = 0;
  if (!text) return std::nullopt;
  const auto end = std::from_chars(text->data(), text->data() + text->size(), kilobytes);
  if (end.ec != std::errc()) return std::nullopt;
  return kilobytes * 1024;
}

std::optional<uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.processor = field_of("/proc/cpuinfo", "model name").value_or("unknown processor");
  utsname kernel = {};
  uname(&kernel);
  machine.system = field_of("/etc/os-release", "PRETTY_NAME").value_or(kernel.sysname);
  machine.cores = core::granted_cores();
  machine.memory_bytes = kilobytes_of("/proc/meminfo", "MemTotal").value_or(0);
  return machine;
}

uint64_t peak_memory_bytes() {
  // What getrusage() gives includes the program that started this one, until it was replaced.
  if (const auto peak = kilobytes_of("/proc/self/status", "VmHWM")) return *peak;
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

uint64_t resident_memory_bytes() {
  return kilobytes_of("/proc/self/status", "VmRSS").value_or(0);
}

uint64_t address_space_left_bytes() {
  rlimit limit = {};
  getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  const uint64_t taken = kilobytes_of("/proc/self/status", "VmSize").value_or(0);
  return limit.rlim_cur > taken ? limit.rlim_cur - taken : 0;
}

uint64_t available_memory_bytes() {
  uint64_t available = kilobytes_of("/proc/meminfo", "MemAvailable").value_or(UINT64_MAX);
  const std::optional<uint64_t> limit = number_in("/sys/fs/cgroup/memory.max");
  const std::optional<uint64_t> used = number_in("/sys/fs/cgroup/memory.current");
  if (limit && used) available = std::min(available, *limit > *used ? *limit - *used : 0);
  return available;
}

double processor_seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    getrusage(who, &usage);
    seconds += usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
               1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  }
  return seconds;
}

std::string utc_time_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

}  // namespace tessera::apps
