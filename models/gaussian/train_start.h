// What a trainer starts from: a run that has not begun, or one that goes on from a checkpoint.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/gaussian_cloud.h"
#include "core/photo_source.h"
#include "distributed/communicator.h"
#include "models/gaussian/checkpoint.h"
#include "models/gaussian/settings.h"

namespace tessera::models {

// Collective: as the checkpoint of a run that has not begun, from this rank's part of the
// Gaussians. Throws core::UsageError for settings that cannot be meant, core::Error for an empty
// start.
Checkpoint beginning(const TrainSettings& settings, core::GaussianCloud&& start,
                     const core::PhotoSource& photos, const std::vector<int>& views,
                     distributed::Communicator& ranks);

// This rank's share of a saved run, to go on until `iterations` photos were seen (0: as it was
// set). Throws core::UsageError if it was trained on other photos.
Checkpoint continued(const std::filesystem::path& path, int64_t iterations,
                     const core::PhotoSource& photos, const std::vector<int>& views,
                     const distributed::Communicator& ranks);

}  // namespace tessera::models
