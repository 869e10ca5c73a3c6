// Checkpoints: what is written is read, in any number of shards; what is not whole is refused.
// SPDX-License-Identifier: MIT
#include "models/gaussian/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <random>

#include "core/error.h"
#include "core/file_io.h"
#include "distributed/backends/threads.h"
#include "tests/models/shared_clouds.h"

namespace tessera::models {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest()
      : folder(fs::temp_directory_path() /
               ("tessera_checkpoint_" + std::to_string(getpid()) + "_" +
                testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    info.images_seen = 150;
    info.settings.seed = 5;
    info.settings.sh_degree = 1;
    info.scene_extent = 0.1 + 0.2;
    info.photos = {"a.png", "b \"quoted\".png"};
    info.camera_state = {1.0 / 3, -0.0, 1e-300};
    const int planes = core::plane_count(1);
    gaussians.cloud = core::GaussianCloud(1, 37);
    gaussians.first_moments.reset(planes, 37);
    gaussians.second_moments.reset(planes, 37);
    gaussians.statistics.reset(2, 37);
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    for (core::Planes* part : {&gaussians.cloud.parameters, &gaussians.first_moments,
                               &gaussians.second_moments, &gaussians.statistics}) {
      for (int p = 0; p < part->plane_count(); ++p) {
        for (int i = 0; i < 37; ++i) part->plane(p)[i] = normal(random);
      }
    }
    gaussians.cloud.ids[3] = 0xFEDCBA9876543210U;
  }
  ~CheckpointTest() override { fs::remove_all(folder); }

  // As so many ranks write it, each the next part of the Gaussians.
  fs::path written(int ranks = 1) const {
    fs::path path;
    distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
      core::ThreadPool pool(1);
      GaussianState own = gaussians;
      keep_share(own, communicator, pool);
      const fs::path target = write_checkpoint(folder, info, own, communicator);
      if (communicator.rank() == 0) path = target;
    });
    return path;
  }
  void expect_equal(const Checkpoint& read) const {
    EXPECT_EQ(read.info.settings, info.settings);
    EXPECT_EQ(read.info.images_seen, info.images_seen);
    EXPECT_EQ(read.info.scene_extent, info.scene_extent);
    EXPECT_EQ(read.info.photos, info.photos);
    EXPECT_EQ(read.info.camera_state, info.camera_state);
    EXPECT_EQ(read.gaussians.cloud.ids, gaussians.cloud.ids);
    EXPECT_EQ(read.gaussians.cloud.parameters, gaussians.cloud.parameters);
    EXPECT_EQ(read.gaussians.first_moments, gaussians.first_moments);
    EXPECT_EQ(read.gaussians.second_moments, gaussians.second_moments);
    EXPECT_EQ(read.gaussians.statistics, gaussians.statistics);
  }
  static std::string refusal(const fs::path& path) {
    try {
      read_checkpoint(path);
    } catch (const core::IoError& error) {
      return error.what();
    }
    return "read without complaint";
  }

  fs::path folder;
  CheckpointInfo info;
  GaussianState gaussians;
};

TEST_F(CheckpointTest, IsReadAsWritten) {
  const fs::path path = written();
  EXPECT_EQ(path, folder / "checkpoint_150");
  expect_equal(read_checkpoint(path));
  EXPECT_EQ(read_checkpoint_settings(path), info.settings);
}

TEST_F(CheckpointTest, AnyNumberOfShardsIsReadAsOne) {
  for (const int shards : {1, 2, 3, 4, 40}) {
    expect_equal(read_checkpoint(written(shards)));
  }
}

TEST_F(CheckpointTest, EachOfManyRanksReadsItsShare) {
  const fs::path path = written(3);
  for (const int ranks : {1, 2, 4, 50}) {
    int64_t at = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Checkpoint read = read_checkpoint(path, rank, ranks);
      const GaussianState& own = read.gaussians;
      for (int64_t i = 0; i < own.size(); ++i, ++at) {
        ASSERT_EQ(own.cloud.ids[i], gaussians.cloud.ids[at]);
        for (int p = 0; p < own.cloud.parameters.plane_count(); ++p) {
          ASSERT_EQ(own.cloud.plane(p)[i], gaussians.cloud.plane(p)[at]);
          ASSERT_EQ(own.second_moments.plane(p)[i], gaussians.second_moments.plane(p)[at]);
        }
        ASSERT_EQ(own.statistics.plane(1)[i], gaussians.statistics.plane(1)[at]);
      }
    }
    EXPECT_EQ(at, gaussians.size()) << ranks;
  }
}

TEST_F(CheckpointTest, LayoutIsAsDocumented) {
  const fs::path path = written();
  const core::Array<uint8_t> bytes = core::read_file(path / "shard_000.bin");
  const int planes = core::plane_count(1);
  ASSERT_EQ(bytes.size(), 32 + 37 * (8 + 4 * (3 * planes + 2)));
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 8), "TESSGSCK");
  uint64_t id = 0;
  std::memcpy(&id, bytes.data() + 32 + 3 * 8, 8);
  EXPECT_EQ(id, 0xFEDCBA9876543210U);
  float second_of_first_plane = 0;
  std::memcpy(&second_of_first_plane, bytes.data() + 32 + 37 * 8 + 4, 4);
  EXPECT_EQ(second_of_first_plane, gaussians.cloud.plane(0)[1]);
}

TEST_F(CheckpointTest, TheLastTwoAreKept) {
  for (const int64_t step : {1000, 2000, 3000}) {
    info.images_seen = step;
    written();
  }
  EXPECT_FALSE(fs::exists(folder / "checkpoint_1000"));
  EXPECT_TRUE(fs::exists(folder / "checkpoint_2000"));
  EXPECT_EQ(latest_checkpoint(folder), folder / "checkpoint_3000");
  info.images_seen = 2500;  // a run that went back to 2000: 3000 is no longer of this run
  written();
  EXPECT_EQ(latest_checkpoint(folder), folder / "checkpoint_2500");
  EXPECT_TRUE(fs::exists(folder / "checkpoint_2000"));
}

TEST_F(CheckpointTest, WhatAKilledRunLeftIsSkippedAndRemoved) {
  fs::create_directories(folder / "checkpoint_200.tmp");
  fs::create_directories(folder / "checkpoint_300");  // without a manifest
  written();
  EXPECT_EQ(latest_checkpoint(folder), folder / "checkpoint_150");
  EXPECT_FALSE(fs::exists(folder / "checkpoint_200.tmp"));
  EXPECT_FALSE(latest_checkpoint(folder / "nothing").has_value());
}

TEST_F(CheckpointTest, TruncationAnywhereIsRefused) {
  const fs::path path = written(2);
  const uintmax_t full = fs::file_size(path / "shard_001.bin");
  const uintmax_t manifest = fs::file_size(path / "manifest.json");
  for (int sixteenth = 0; sixteenth < 16; ++sixteenth) {
    fs::resize_file(path / "shard_001.bin", full * sixteenth / 16);
    EXPECT_THAT(refusal(path), HasSubstr("shard_001.bin: has"));
  }
  written(2);
  for (int sixteenth = 15; sixteenth >= 0; --sixteenth) {
    fs::resize_file(path / "manifest.json", manifest * sixteenth / 16);
    EXPECT_THAT(refusal(path), HasSubstr("manifest.json: is"));
  }
}

TEST_F(CheckpointTest, AChangedBitIsRefused) {
  const fs::path path = written();
  const fs::path shard = path / "shard_000.bin";
  const uintmax_t size = fs::file_size(shard);
  for (uintmax_t at = 0; at < size; at += size / 23) {
    std::fstream file(shard, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 4));
    file.close();
    EXPECT_THAT(refusal(path), HasSubstr("checksum"));
    file.open(shard, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
  }
  expect_equal(read_checkpoint(path));
}

TEST_F(CheckpointTest, MissingAndExtraShardsAreRefused) {
  const fs::path path = written(3);
  fs::copy_file(path / "shard_002.bin", path / "shard_003.bin");
  EXPECT_THAT(refusal(path), HasSubstr("one file too many"));
  fs::remove(path / "shard_003.bin");
  expect_equal(read_checkpoint(path));
  fs::remove(path / "shard_001.bin");
  EXPECT_THAT(refusal(path), HasSubstr("shard_001.bin: is missing"));
}

TEST_F(CheckpointTest, SwappedShardsAreRefused) {
  const fs::path path = written(1);
  info.images_seen = 151;
  const fs::path two = written(2);
  fs::copy_file(two / "shard_001.bin", path / "shard_000.bin",
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(refusal(path), HasSubstr("bytes where the manifest says"));
}

TEST_F(CheckpointTest, AManifestThatAsksForTooMuchIsRefused) {
  const fs::path path = written();
  std::string text = core::read_text_file(path / "manifest.json");
  const std::string count = "\"gaussians\": 37";
  ASSERT_NE(text.find(count), std::string::npos);
  text.replace(text.find(count), count.size(), "\"gaussians\": 4611686018427387904");
  std::ofstream(path / "manifest.json") << text;
  EXPECT_THAT(refusal(path), HasSubstr("does not fit its number of Gaussians"));
}

TEST_F(CheckpointTest, APlyIsRefusedInWords) {
  const fs::path ply = folder / "scene.ply";
  std::ofstream(ply) << "ply\nformat binary_little_endian 1.0\n";
  EXPECT_THAT(refusal(ply), HasSubstr("no optimizer state"));
  EXPECT_THAT(refusal(folder), HasSubstr("is no checkpoint"));
  EXPECT_THAT(refusal(folder / "gone"), HasSubstr("does not exist"));
}

}  // namespace
}  // namespace tessera::models
