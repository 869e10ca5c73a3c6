// Points to start from where a capture has none: on rays of its photos, each at the depth at which
// the photos around agree best.
//
// The plane sweep of Collins, "A Space-Sweep Approach to True Multi-Image Matching", 1996, for
// single rays; that Gaussians placed so need less densification: Kotovenko et al., "EDGS", 2025.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/capture.h"
#include "core/photo_source.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"

namespace tessera::models {

struct SweptPoints {
  std::vector<core::ColoredPoint> points;
  std::vector<float> spacing;  // how far apart points lie where its photo sees each, if all count
};

// Collective: at most `count` points on rays through random pixels of `views`, which are not
// transparent and not masked. At each of many depths along a ray a patch of its photo is held
// against where it falls in nearby photos; what any of them shows as transparent is left out. Looks
// at 48 photos at most, evenly spread, each of which one rank looks at. Gives fewer points, and
// none at all, where cameras do not overlap or stand in one place. A function of photos, views,
// count and seed alone, on all ranks.
SweptPoints swept_points(core::PhotoSource& photos, const std::vector<int>& views, int64_t count,
                         uint64_t seed, distributed::Communicator& ranks, core::ThreadPool& pool);

}  // namespace tessera::models
