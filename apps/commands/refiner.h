// `--refiner`: multiplane images go through `tessera-neural refine`, which stands beside `tessera`
// where it was built.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "core/multiplane_image.h"

namespace tessera::apps {

// Throws core::UsageError unless that program and the weights are there. Before work starts.
void check_refiner(const std::filesystem::path& weights);

// Throws core::Error if it fails, having said why, and core::Interrupted if the user stops it.
core::MultiplaneImage refined(const core::MultiplaneImage& image,
                              const std::filesystem::path& weights, int threads);

}  // namespace tessera::apps
