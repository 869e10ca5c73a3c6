// What ranks sent one another in a run and how long they waited for it, by what it was.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "distributed/communicator.h"

namespace tessera::apps {

struct TagFigures {
  std::string tag;
  int64_t bytes = 0;     // sent, by all ranks together
  int64_t messages = 0;  // likewise
  double waited_s = 0;   // mean over the ranks
};

// Collective. The tags that carry most first.
std::vector<TagFigures> traffic_figures(distributed::Communicator& ranks);

// The tags that carry most, those of the others together, and all.
std::vector<TagFigures> tags_to_show(std::span<const TagFigures> tags);

// Those as lines of text.
std::vector<std::string> traffic_table(std::span<const TagFigures> tags);

}  // namespace tessera::apps
