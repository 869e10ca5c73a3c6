// What the record of the run that made a scene says about the photos it was trained on.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tessera::apps {

struct TrainingRecord {
  std::filesystem::path file;        // the record
  std::filesystem::path capture;     // as the run was given it
  int resolution = 1;                // -r
  int max_resolution = 0;            // --max-resolution
  std::string camera = "undistort";  // --camera
  bool refined_poses = false;        // --pose-opt
  bool held_out = false;             // photos were held out
  int test_every = 8;                // which, unless the capture marks them
};

// From the run.json in the scene's folder, in NAME_run beside NAME.ply, or above
// point_cloud/iteration_N. Nothing if there is none or it is no record of a run.
std::optional<TrainingRecord> training_record(const std::filesystem::path& scene);

// Whether that run was of this capture. Paths may be relative to another folder by now: the last
// names have to do.
bool is_capture_of(const TrainingRecord& record, const std::filesystem::path& capture);

}  // namespace tessera::apps
