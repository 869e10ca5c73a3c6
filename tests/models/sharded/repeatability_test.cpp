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

TEST_F(CheckpointedRanksTest, TwoRunsInPartsOfViewsLeaveTheSameBytes) {
  struct Case {
    const char* partition;
    int batch, ranks;
  };
  for (const auto& [partition, batch, ranks] :
       {Case{"blocks", 1, 2}, {"blocks", 1, 3}, {"blocks", 1, 4}, {"balanced", 4, 3}}) {
    SCOPED_TRACE(testing::Message() << partition << ", " << ranks << " ranks");
    TrainSettings settings = settings_of(batch);
    settings.partition = partition;
    settings.message_precision = "float32";
    settings.random_background = true;
    const std::filesystem::path first = checkpoint_at(settings, ranks, settings.iterations);
    const std::filesystem::path second = checkpoint_at(settings, ranks, settings.iterations);
    EXPECT_GT(state_of_checkpoint(first).size(), 60);  // it grew
    const auto files = files_of(first);
    EXPECT_EQ(files.size(), static_cast<size_t>(ranks) + 1);  // shards and the manifest
    EXPECT_TRUE(files == files_of(second));
  }
}

}  // namespace
}  // namespace tessera::models
