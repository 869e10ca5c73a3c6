// What ranks cost one another in a run: bytes by what they carried, waiting, imbalance, the share
// of splats that had to move.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "apps/commands/traffic_figures.h"
#include "distributed/communicator.h"
#include "models/gaussian/train.h"

namespace tessera::apps {

struct RankFigures {
  std::vector<TagFigures> tags;   // those that carry most first
  double gaussian_imbalance = 1;  // the most that a rank owns, by the mean
  double drawing_imbalance = 1;   // the most pairs of pixel and splat that a rank blended, likewise
  double moved_share = 0;         // of the splats that some rank drew, those of another rank
};

// Collective.
RankFigures rank_figures(distributed::Communicator& ranks, const models::Trainer& trainer);

// "20 % of the splats drawn came from another rank; the largest share of Gaussians is ..."
std::string balance_text(const RankFigures& figures);

// Both as lines of text.
std::vector<std::string> table_of(const RankFigures& figures);

}  // namespace tessera::apps
