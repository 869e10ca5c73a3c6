// What every format of multiplane images keeps of those that play: all frames, or the first and a
// word about it; damaged files end in a sentence.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assets/multiplane_io.h"
#include "core/error.h"
#include "core/file_io.h"
#include "tests/support/multiplane_videos.h"
#include "tests/support/mutations.h"
#include "tests/support/temporary_folder.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr int kFrames = 3;

void replace_bytes(const fs::path& file, const std::string& bytes) {
  fs::remove(file);
  std::ofstream(file, std::ios::binary) << bytes;
}

class MultiplaneVideoContract : public ::testing::TestWithParam<const MultiplaneFormatEntry*> {
 protected:
  const MultiplaneFormatEntry& format() const { return *GetParam(); }
  fs::path file() const { return folder_ / ("scene" + std::string(format().extensions.front())); }
  bool try_read() const {
    try {
      const core::MultiplaneVideo video = read_multiplane_video(file());
      EXPECT_NO_THROW(check_multiplane_video(video));
      return true;
    } catch (const core::IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr(folder_.path().string()));
      return false;
    }
  }

  test::TemporaryFolder folder_;
};

TEST_P(MultiplaneVideoContract, AllFramesComeBackOrTheLossIsSaid) {
  core::MultiplaneVideo video = test::made_video(kFrames, 5);
  video.show(2);  // which frame is shown does not matter
  write_multiplane(file(), video);
  const std::vector<std::string> losses = multiplane_losses(file(), video);
  if (format().write_video == nullptr) {
    EXPECT_THAT(losses, Contains(HasSubstr("the first of 3 frames")));
  }
  if (format().read == nullptr) return;
  const core::MultiplaneVideo read = read_multiplane_video(file());
  video.show(0);
  if (format().read_video == nullptr) {
    EXPECT_TRUE(read.moving.empty());
    if (losses.size() == 1) {
      EXPECT_EQ(read.image.pages, video.image.pages);
    }
    return;
  }
  EXPECT_TRUE(losses.empty());
  EXPECT_EQ(read.frames_per_second, video.frames_per_second);
  EXPECT_EQ(read.image.layers, video.image.layers);
  EXPECT_EQ(read.image.pages, video.image.pages);
  ASSERT_EQ(read.moving.size(), video.moving.size());
  for (size_t i = 0; i < video.moving.size(); ++i) {
    EXPECT_EQ(read.moving[i].page, video.moving[i].page);
    EXPECT_EQ(read.moving[i].frames, video.moving[i].frames);
  }
  EXPECT_EQ(read_multiplane(file()).pages, video.image.pages);
}

TEST_P(MultiplaneVideoContract, OnesOfMoreFramesAreReplacedWhole) {
  write_multiplane(file(), test::made_video(kFrames + 1, 7));
  write_multiplane(file(), test::made_video(kFrames, 5));
  if (format().read_video == nullptr) return;
  EXPECT_EQ(read_multiplane_video(file()).frame_count(), kFrames);
  write_multiplane(file(), core::MultiplaneVideo{test::made_video(1, 5).image, {}, 25});
  EXPECT_EQ(read_multiplane_video(file()).frame_count(), 1);
}

TEST_P(MultiplaneVideoContract, CutFilesAreRefusedAndDamagedOnesNeverCrash) {
  if (format().read_video == nullptr) GTEST_SKIP() << "this format's movement is not read";
  write_multiplane(file(), test::made_video(2, 9));
  int refused = 0;
  int frames = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(file())) {
    const fs::path& part = entry.path();
    const bool is_frame = part.filename().string().ends_with("_0001.png");
    if (part.extension() == ".png" && (!is_frame || ++frames > 2)) continue;  // as of still images
    SCOPED_TRACE(part);
    const std::string whole = core::read_text_file(part);
    for (size_t sixteenth = 0; sixteenth < 16; ++sixteenth) {
      replace_bytes(part, tests::cut_at(whole, sixteenth));
      EXPECT_FALSE(try_read()) << sixteenth << "/16";
    }
    for (uint32_t i = 0; i < 150; ++i) {
      replace_bytes(part, tests::damaged(whole, i));
      refused += try_read() ? 0 : 1;
    }
    fs::remove(part);
    EXPECT_FALSE(try_read());
    replace_bytes(part, whole);
    EXPECT_TRUE(try_read());
  }
  EXPECT_GE(frames, 2);
  EXPECT_GT(refused, 100);
}

std::vector<const MultiplaneFormatEntry*> all_formats() {
  std::vector<const MultiplaneFormatEntry*> formats;
  for (const MultiplaneFormatEntry& format : multiplane_formats()) formats.push_back(&format);
  return formats;
}

INSTANTIATE_TEST_SUITE_P(Formats, MultiplaneVideoContract, ::testing::ValuesIn(all_formats()),
                         [](const auto& row) { return std::string(row.param->name); });

}  // namespace
}  // namespace tessera::assets
