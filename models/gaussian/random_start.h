// Points to start from where a capture has none: at random where its photos allow something to be.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/camera.h"
#include "core/capture.h"
#include "core/photo_source.h"

namespace tessera::models {

// How many such points a run of at most `max_gaussians` starts from: half of them, which leaves
// room to grow where it matters, but at most 20,000 and at least 1,000.
int64_t default_random_points(int64_t max_gaussians);

// `count` positions, uniform in the part of space that the cameras see in common: a box around the
// point nearest to all optical axes, of which those positions are kept that at least half of the
// cameras see. Cameras that look apart get positions along what each of them sees.
// Position `i` is a function of the seed and first + i.
std::vector<math::Vec3<double>> common_positions(std::span<const core::PosedCamera> cameras,
                                                 int64_t count, uint64_t seed, int64_t first = 0);

// `count` such points that no photo of `views` shows as transparent (the visual hull), each of the
// mean color of the pixels it falls on. Looks at 32 photos at most, evenly spread. If the hull is
// too thin to be met, fewer points result; if it is empty, photos' transparency is not heeded.
std::vector<core::ColoredPoint> random_points(core::PhotoSource& photos,
                                              const std::vector<int>& views, int64_t count,
                                              uint64_t seed);

}  // namespace tessera::models
