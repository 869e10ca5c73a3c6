// SPDX-License-Identifier: MIT
#include "apps/commands/rank_figures.h"

#include <fmt/format.h>

#include "models/gaussian/sharded/ownership.h"

namespace tessera::apps {
RankFigures rank_figures(distributed::Communicator& ranks, const models::Trainer& trainer) {
  RankFigures result;
  result.tags = traffic_figures(ranks);
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

std::string balance_text(const RankFigures& figures) {
  return fmt::format(
      "{:.0f} % of the splats drawn came from another rank; the largest share of "
      "Gaussians is {:.2f} of the mean, of drawing {:.2f}",
      100 * figures.moved_share, figures.gaussian_imbalance, figures.drawing_imbalance);
}

std::vector<std::string> table_of(const RankFigures& figures) {
  std::vector<std::string> lines = traffic_table(figures.tags);
  lines.push_back(balance_text(figures));
  return lines;
}

}  // namespace tessera::apps
