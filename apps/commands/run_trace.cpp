// SPDX-License-Identifier: MIT
#include "apps/commands/run_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/commands/progress.h"
#include "core/file_io.h"

namespace tessera::apps {
namespace {

using core::Trace;

constexpr std::string_view kTag = "trace";
constexpr std::string_view kRowNames[] = {"run", "stages", "waiting", "messages"};  // by Trace::Row

int64_t step_of(std::string_view text) {
  int64_t step = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc() || end != text.data() + text.size() || step < 1) {
    throw std::invalid_argument("two steps such as 500:700; either may be left out");
  }
  return step;
}

// One line for each event of a file.
class EventLines {
 public:
  explicit EventLines(int rank) : rank_(rank) {}

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    if (!text_.empty()) text_ += ",\n";
    fmt::format_to(std::back_inserter(text_), R"({{"pid":{},)", rank_);
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '}';
  }
  std::string take() { return std::move(text_); }

 private:
  int rank_;
  std::string text_;
};

std::string arguments_of(const Trace::Event& event) {
  if (event.row != Trace::Row::kWaiting && event.row != Trace::Row::kMessages) {
    return fmt::format(R"({{"step":{}}})", event.step);
  }
  return fmt::format(R"({{"step":{},"bytes sent":{},"bytes received":{}}})", event.step,
                     event.bytes.sent, event.bytes.received);
}

}  // namespace

StepRange parse_step_range(const std::string& text) {
  const size_t colon = text.find(':');
  StepRange range;
  const std::string_view whole = text;
  if (colon == std::string::npos) step_of("");
  if (colon > 0) range.first = step_of(whole.substr(0, colon));
  if (colon + 1 < text.size()) range.last = step_of(whole.substr(colon + 1));
  if (range.first > range.last) throw std::invalid_argument("two steps, the earlier one first");
  return range;
}

std::string step_range_text(const StepRange& range) {
  const StepRange all;
  if (range.first == all.first && range.last == all.last) return "";
  return fmt::format("{}:{}", range.first == all.first ? "" : std::to_string(range.first),
                     range.last == all.last ? "" : std::to_string(range.last));
}

RunTrace::RunTrace(distributed::Communicator& ranks, const StepRange& steps)
    : ranks_(ranks),
      events_(steps.first, steps.last, kMostEvents),
      clock_(distributed::clock_offset(ranks)) {
  const auto since_epoch = Trace::Clock::now().time_since_epoch();
  const auto first = ranks.all_gather("clocks", std::chrono::nanoseconds(since_epoch).count());
  begin_ = Trace::Clock::time_point(std::chrono::nanoseconds(first[0]));
  ranks.trace_into(&events_);
}

RunTrace::~RunTrace() {
  ranks_.trace_into(nullptr);
}

std::string RunTrace::text() const {
  EventLines lines(ranks_.rank());
  lines.add(R"("ph":"M","name":"process_name","args":{{"name":"rank {}"}})", ranks_.rank());
  std::string labels;
  if (ranks_.rank() > 0) {
    labels = fmt::format("clock within {:.1f} us of rank 0's",
                         static_cast<double>(clock_.error.count()) * 1e-3);
  }
  if (events_.cut_at() > 0) {
    labels += fmt::format("{}not recorded from step {} on: {} events are the most",
                          labels.empty() ? "" : "; ", events_.cut_at(), count_text(kMostEvents));
  }
  if (!labels.empty()) {
    lines.add(R"("ph":"M","name":"process_labels","args":{{"labels":"{}"}})", labels);
  }
  lines.add(R"("ph":"M","name":"process_sort_index","args":{{"sort_index":{}}})", ranks_.rank());
  for (size_t row = 0; row < std::size(kRowNames); ++row) {
    lines.add(R"("ph":"M","tid":{},"name":"thread_name","args":{{"name":"{}"}})", row,
              kRowNames[row]);
    lines.add(R"("ph":"M","tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}})", row);
  }
  const auto microseconds = [&](Trace::Clock::time_point at) {
    const std::chrono::nanoseconds since = at + clock_.to_first - begin_;
    return static_cast<double>(since.count()) * 1e-3;
  };
  size_t number = 0;
  for (const Trace::Event& event : events_.events()) {
    const double begin = microseconds(event.begin), end = microseconds(event.end);
    const auto row = static_cast<int>(event.row);
    const std::string arguments = arguments_of(event);
    ++number;
    if (event.row != Trace::Row::kMessages) {
      lines.add(R"("ph":"X","tid":{},"name":"{}","ts":{:.3f},"dur":{:.3f},"args":{})", row,
                event.name, begin, end - begin, arguments);
      continue;
    }
    const auto add = [&](char phase, double at) {
      lines.add(R"("ph":"{}","cat":"messages","id":"{}.{}","tid":{},"name":"{}","ts":{:.3f},)"
                R"("args":{})",
                phase, ranks_.rank(), number, row, event.name, at, arguments);
    };
    add('b', begin);
    add('e', end);
  }
  return lines.take();
}

int64_t RunTrace::write(const std::filesystem::path& path) const {
  std::string own = text();
  const std::vector<int64_t> sizes = ranks_.all_gather(kTag, static_cast<int64_t>(own.size()));
  if (ranks_.rank() == 0) {
    core::AtomicFile file(path);
    file.write("[\n");
    file.write(own);
    for (int r = 1; r < ranks_.size(); ++r) {
      own.resize(static_cast<size_t>(sizes[r]));
      const distributed::Receive receive = distributed::receive_from(r, std::span(own));
      ranks_.start(kTag, {}, {&receive, 1}).wait();
      file.write(",\n");
      file.write(own);
    }
    file.write("\n]\n");
    file.commit();
  } else {
    const distributed::Send send = distributed::send_to(0, std::span(own));
    ranks_.start(kTag, {&send, 1}, {}).wait();
  }
  const int64_t never = INT64_MAX;
  const int64_t cut_at = ranks_.all_reduce(kTag, distributed::Reduction::kMin,
                                           events_.cut_at() > 0 ? events_.cut_at() : never);
  return cut_at == never ? 0 : cut_at;
}

}  // namespace tessera::apps
