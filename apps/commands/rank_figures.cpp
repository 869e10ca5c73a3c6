// SPDX-License-Identifier: MIT
#include "apps/commands/rank_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/commands/progress.h"
#include "distributed/gather.h"
#include "models/gaussian/sharded/ownership.h"

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

RankFigures rank_figures(distributed::Communicator& ranks, const models::Trainer& trainer) {
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
  RankFigures result;
  for (const auto& [tag, figures] : by_tag) result.tags.push_back(figures);
  std::stable_sort(result.tags.begin(), result.tags.end(),
                   [](const TagFigures& a, const TagFigures& b) { return a.bytes > b.bytes; });
  result.gaussian_imbalance = models::imbalance(ranks, trainer.cloud().size());
  const models::SplatCounts splats = trainer.splat_counts();
  result.drawing_imbalance = models::imbalance(ranks, splats.evaluated);
  int64_t sums[2] = {splats.routed, splats.moved};
  ranks.all_reduce("figures", distributed::Reduction::kSum, std::span<int64_t>(sums));
  if (sums[0] > 0) {
    result.moved_share = static_cast<double>(sums[1]) / static_cast<double>(sums[0]);
  }
  return result;
}

std::vector<TagFigures> tags_to_show(const RankFigures& figures) {
  constexpr size_t kMostTags = 8;
  std::vector<TagFigures> shown;
  TagFigures rest, all;
  all.tag = "all";
  for (size_t i = 0; i < figures.tags.size(); ++i) {
    const TagFigures& row = figures.tags[i];
    for (TagFigures* sum : {i < kMostTags ? nullptr : &rest, &all}) {
      if (sum == nullptr) continue;
      sum->bytes += row.bytes;
      sum->messages += row.messages;
      sum->waited_s += row.waited_s;
    }
    if (i < kMostTags) shown.push_back(row);
  }
  if (figures.tags.size() > kMostTags) {
    rest.tag = fmt::format("{} others", figures.tags.size() - kMostTags);
    shown.push_back(rest);
  }
  shown.push_back(all);
  return shown;
}

std::string balance_text(const RankFigures& figures) {
  return fmt::format(
      "{:.0f} % of the splats drawn came from another rank; the largest share of "
      "Gaussians is {:.2f} of the mean, of drawing {:.2f}",
      100 * figures.moved_share, figures.gaussian_imbalance, figures.drawing_imbalance);
}

std::vector<std::string> table_of(const RankFigures& figures) {
  std::vector<std::string> lines = {
      fmt::format("{:<24}{:>12}{:>12}{:>14}", "between ranks", "bytes", "messages", "waiting")};
  for (const TagFigures& row : tags_to_show(figures)) {
    lines.push_back(fmt::format("{:<24}{:>12}{:>12}{:>12.1f} s", row.tag,
                                bytes_text(static_cast<double>(row.bytes)),
                                count_text(row.messages), row.waited_s));
  }
  lines.push_back(balance_text(figures));
  return lines;
}

}  // namespace tessera::apps
