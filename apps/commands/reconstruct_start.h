// Where a run starts: the capture's points, a file, points at random, or a checkpoint.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/commands/reconstruct_options.h"
#include "core/capture.h"
#include "core/gaussian_cloud.h"
#include "core/thread_pool.h"

namespace tessera::apps {

struct StartCloud {
  core::GaussianCloud cloud;  // empty if it is to be made at random
  int64_t random_points = 0;  // how many; they need the photos
  std::string text;           // "5,000 points"
};

// --init-ply, --init-points, the capture's points, or `default_points` random ones if it has none.
// Throws core::IoError if the file does not exist or is broken.
StartCloud read_start_cloud(const ReconstructOptions& options, const core::Capture& capture,
                            int64_t default_points, core::ThreadPool& pool);

// Settings saved in a checkpoint with the total of steps set to `iterations`. Throws
// core::UsageError if that many were done already.
models::TrainSettings resumed_settings(const std::filesystem::path& checkpoint, int64_t iterations);

// Pixels of the largest photo at the size it will be trained at.
int64_t largest_picture(const core::Capture& capture, const std::vector<int>& views,
                        const ReconstructOptions& options);

}  // namespace tessera::apps
