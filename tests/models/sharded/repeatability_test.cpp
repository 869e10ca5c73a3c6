// Two runs alike leave the same files.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>

#include "core/file_io.h"
#include "tests/models/sharded/checkpointed_ranks.h"

namespace tessera::models {
namespace {

std::map<std::string, std::string> files_of(const std::filesystem::path& folder) {
  constexpr uint64_t kLargest = uint64_t{1} << 24;
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files[entry.path().filename().string()] = core::read_text_file(entry.path(), kLargest);
  }
  return files;
}

TEST_F(CheckpointedRanksTest, TwoRunsInBlocksLeaveTheSameBytes) {
  TrainSettings settings = settings_of(1);
  settings.partition = "blocks";
  settings.message_precision = "float32";
  settings.random_background = true;
  for (const int ranks : {2, 3, 4}) {
    const std::filesystem::path first = checkpoint_at(settings, ranks, settings.iterations);
    const std::filesystem::path second = checkpoint_at(settings, ranks, settings.iterations);
    EXPECT_GT(state_of_checkpoint(first).size(), 60);  // it grew
    const auto files = files_of(first);
    EXPECT_EQ(files.size(), static_cast<size_t>(ranks) + 1);  // shards and the manifest
    EXPECT_TRUE(files == files_of(second)) << ranks << " ranks";
  }
}

}  // namespace
}  // namespace tessera::models
