// Where a run starts: the capture's points, a file, points from the photos, or a checkpoint.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "apps/commands/reconstruct_options.h"
#include "core/camera.h"
#include "core/capture.h"
#include "core/gaussian_cloud.h"
#include "core/photo_source.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"

namespace tessera::apps {

struct StartCloud {
  core::GaussianCloud cloud;       // this rank's share; none if it needs the photos
  int64_t gaussians = 0;           // of all ranks
  int64_t points_from_photos = 0;  // how many then
  bool at_random = false;          // and whether at random, not where photos agree
  std::string text;                // "5,000 points"
  std::string limit;               // what bounds their number, if that is to be said
};

// Collective: --init-ply, --init-points, the capture's points, or `default_points` from its photos
// if it has none; these are left to add_points_from_photos. Where --max-gaussians was given and
// there are more, that many are kept.
// Throws core::IoError if the file does not exist or is broken.
StartCloud read_start_cloud(const ReconstructOptions& options, const core::Capture& capture,
                            int64_t default_points, distributed::Communicator& ranks,
                            core::ThreadPool& pool);

// Collective: makes a cloud that needs the photos, `views` of them. Where photos that are to be
// compared show too little in common, the points are random ones, and the text says so.
void add_points_from_photos(StartCloud& start, const models::TrainSettings& settings,
                            core::PhotoSource& photos, const std::vector<int>& views,
                            distributed::Communicator& ranks, core::ThreadPool& pool);

// Says so in start.limit if `start` has all Gaussians that the run's own limit allows, which is
// then the reason why there never are more.
void say_default_limit(StartCloud& start, const models::TrainSettings& settings,
                       std::span<const core::PosedCamera> cameras);

// Settings saved in a checkpoint with the total of steps set to `iterations`. Throws
// core::UsageError if that many were done already.
models::TrainSettings resumed_settings(const std::filesystem::path& checkpoint, int64_t iterations);

// Pixels of the largest photo at the size it will be trained at.
int64_t largest_picture(const core::Capture& capture, const std::vector<int>& views,
                        const ReconstructOptions& options);

}  // namespace tessera::apps
