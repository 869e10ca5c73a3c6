// The state of a training run as a folder: manifest.json and shards, written whole or not at all.
//
// checkpoint_N/
//   shard_000.bin ...   one per rank; little-endian, see below
//   manifest.json       written last: settings, photos seen, Adam's steps, scene extent, names of
//                       the photos, and of each shard its name, count, bytes and checksum
// A shard of n Gaussians with P = planes of parameters and S = planes of densification statistics:
//   char[8] "TESSGSCK", u32 version = 1, u32 shard, u32 P, u32 S, u64 n, then
//   u64 ids[n], f32 parameters[P][n], f32 first moments[P][n], f32 second moments[P][n],
//   f32 statistics[S][n]
// The checksum is 64-bit FNV-1a over 8-byte words of the whole shard file. Shards are read in any
// number, so a run may be resumed by another number of ranks.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "distributed/communicator.h"
#include "models/gaussian/settings.h"
#include "models/gaussian/state.h"

namespace tessera::models {

// What a checkpoint says beside the Gaussians.
struct CheckpointInfo {
  TrainSettings settings;
  int64_t images_seen = 0;
  double scene_extent = 1;
  int64_t dropped_gaussians = 0;
  std::vector<std::string> photos;   // names, in the order of the training views
  std::vector<double> camera_state;  // exposure and pose corrections with their moments
};

struct Checkpoint {
  CheckpointInfo info;
  GaussianState gaussians;
};

// Collective: writes folder/checkpoint_N (N = images_seen), each rank a shard of its own Gaussians:
// under another name, synced, then renamed. Removes all but the last two there. Returns its path.
// Throws core::IoError; all ranks must see the same folder.
std::filesystem::path write_checkpoint(const std::filesystem::path& folder,
                                       const CheckpointInfo& info, const GaussianState& gaussians,
                                       distributed::Communicator& ranks);

// Throws core::IoError, in one sentence, if a shard is truncated, missing, changed or one too many,
// or if `path` is no checkpoint folder (a PLY, for example).
// Of the Gaussians, in the order of the shards, it takes an equal share for one of `ranks` ranks.
Checkpoint read_checkpoint(const std::filesystem::path& path, int rank = 0, int ranks = 1);

// Every folder/checkpoint_N that is whole enough to have a manifest, the newest first.
std::vector<std::filesystem::path> checkpoints_in(const std::filesystem::path& folder);
// The N of one of these.
int64_t checkpoint_step(const std::filesystem::path& path);

// The newest folder/checkpoint_N that is whole enough to have a manifest; nothing if none.
std::optional<std::filesystem::path> latest_checkpoint(const std::filesystem::path& folder);

// The settings alone, so that photos can be opened as the run had them.
TrainSettings read_checkpoint_settings(const std::filesystem::path& path);

}  // namespace tessera::models
