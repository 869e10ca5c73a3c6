// Views that are cut only as far as balance needs: each is drawn by one rank, but for the surplus
// of ranks whose views cost more than the mean, which goes to ranks with room, in strips.
//
// Of B views on G ranks come at most about B + G - 1 windows, and only the surplus needs halos.
// Whole numbers only: the same wherever it is called with the same ones, so no message agrees on
// the cuts.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/pixel_window.h"
#include "models/gaussian/sharded/round.h"

namespace tessera::models {

// The views of a step.
struct CountedViews {
  std::vector<core::PixelWindow> pictures;
  std::vector<std::vector<int64_t>> visible;      // [view]: its splats, by the rank that owns them
  std::vector<std::vector<int64_t>> strip_costs;  // [view]: of its PictureStrips, each positive;
                                                  // whole views need none
};

// As many rounds as whole views have, each balanced for itself; the dearest views of ranks come
// together in the first one. Strips go to ranks that own much of the view where several have room
// for all of a surplus, else to those with most room. Nothing is cut for less than 2 % of the mean.
std::vector<Round> balanced_views(const CountedViews& views, std::span<const int> rank_of_view,
                                  int ranks);

// Of whole or balanced views: each is drawn, but for its strips, where most of it is owned.
std::vector<Round> rounds_of(Partition partition, const CountedViews& views, int ranks);

}  // namespace tessera::models
