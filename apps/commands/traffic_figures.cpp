// SPDX-License-Identifier: MIT
#include "apps/commands/traffic_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/commands/progress.h"
#include "distributed/gather.h"

namespace tessera::apps {
namespace {

// One line of text of each rank: its counters by tag.
std::string counters_text(const distributed::Communicator& ranks) {
  nlohmann::json rows = nlohmann::json::array();
  for (const distributed::Traffic& row : ranks.traffic()) {
    rows.push_back({row.tag, row.bytes_sent, row.messages_sent, row.waited_s});
  }
  return rows.dump() + '\n';
}

}  // namespace

std::vector<TagFigures> traffic_figures(distributed::Communicator& ranks) {
  const std::string own = counters_text(ranks);
  const std::vector<char> all =
      distributed::gather_lists(ranks, "figures", std::span<const char>(own));
  std::map<std::string, TagFigures> by_tag;
  for (auto line = all.begin(); line != all.end();) {
    const auto end = std::find(line, all.end(), '\n');
    for (const nlohmann::json& row : nlohmann::json::parse(line, end)) {
      TagFigures& figures = by_tag[row[0].get<std::string>()];
      figures.tag = row[0];
      figures.bytes += row[1].get<int64_t>();
      figures.messages += row[2].get<int64_t>();
      figures.waited_s += row[3].get<double>() / ranks.size();
    }
    line = end + 1;
  }
  std::vector<TagFigures> tags;
  tags.reserve(by_tag.size());
  for (const auto& [tag, figures] : by_tag) tags.push_back(figures);
  std::stable_sort(tags.begin(), tags.end(),
                   [](const TagFigures& a, const TagFigures& b) { return a.bytes > b.bytes; });
  return tags;
}

std::vector<TagFigures> tags_to_show(std::span<const TagFigures> tags) {
  constexpr size_t kMostTags = 8;
  std::vector<TagFigures> shown;
  TagFigures rest, all;
  all.tag = "all";
  for (size_t i = 0; i < tags.size(); ++i) {
    const TagFigures& row = tags[i];
    for (TagFigures* sum : {i < kMostTags ? nullptr : &rest, &all}) {
      if (sum == nullptr) continue;
      sum->bytes += row.bytes;
      sum->messages += row.messages;
      sum->waited_s += row.waited_s;
    }
    if (i < kMostTags) shown.push_back(row);
  }
  if (tags.size() > kMostTags) {
    rest.tag = fmt::format("{} others", tags.size() - kMostTags);
    shown.push_back(rest);
  }
  shown.push_back(all);
  return shown;
}

std::vector<std::string> traffic_table(std::span<const TagFigures> tags) {
  std::vector<std::string> lines = {
      fmt::format("{:<24}{:>12}{:>12}{:>14}", "between ranks", "bytes", "messages", "waiting")};
  for (const TagFigures& row : tags_to_show(tags)) {
    lines.push_back(fmt::format("{:<24}{:>12}{:>12}{:>12.1f} s", row.tag,
                                bytes_text(static_cast<double>(row.bytes)),
                                count_text(row.messages), row.waited_s));
  }
  return lines;
}

}  // namespace tessera::apps
