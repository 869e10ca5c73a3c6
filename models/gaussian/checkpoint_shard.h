// One file of a checkpoint: the Gaussians of a rank with their moments and statistics. Its layout
// is in checkpoint.h.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "models/gaussian/state.h"

namespace tessera::models {

inline constexpr int kCheckpointVersion = 1;

// What the manifest says of a shard.
struct ShardEntry {
  std::string file;
  uint64_t gaussians = 0;
  uint64_t bytes = 0;
  std::string checksum;
};

// Of the whole file.
uint64_t shard_bytes(uint64_t parameter_planes, uint64_t statistics_planes, uint64_t count);

// Writes all of `state` as shard number `shard`. Throws core::IoError.
ShardEntry write_shard(const std::filesystem::path& folder, const GaussianState& state, int shard);

// Reads a shard, whose Gaussians are `placed` among those of all, and takes those of `wanted` into
// `state`, which holds these alone and has the planes that are expected. Throws core::IoError if
// the file is not what the entry says.
void read_shard(const std::filesystem::path& path, const ShardEntry& entry, uint32_t shard,
                const IndexRange& placed, const IndexRange& wanted, GaussianState& state);

}  // namespace tessera::models
