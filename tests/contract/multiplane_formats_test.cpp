// What every format of multiplane images in the table keeps: what was written is read again, a
// folder of others is not replaced, and damaged files end in a sentence, never in a crash.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <random>
#include <set>

#include "assets/multiplane_io.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/metrics.h"
#include "core/thread_pool.h"
#include "render/multiplane/multiplane_renderer.h"
#include "tests/support/multiplane_scenes.h"
#include "tests/support/mutations.h"
#include "tests/support/temporary_folder.h"

namespace tessera::assets {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Tiles of slanted layers, an empty layer, and two pages.
core::MultiplaneImage made_image() {
  core::MultiplaneImageF image = test::tiled_image(70, 45, 32, 28, 2, 0.3, 0, 5);
  image.layers.push_back({{0, 0, 0.25F}, {-3, 4, 0, 0}, 0, 0, 0});
  image.metric = true;
  return test::in_bytes(image);
}

void expect_same(const core::MultiplaneImage& read, const core::MultiplaneImage& image) {
  EXPECT_EQ(read.camera.camera, image.camera.camera);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_EQ(read.camera.cam_from_world.rotation.m[i][j],
                image.camera.cam_from_world.rotation.m[i][j]);
    }
  }
  EXPECT_EQ(read.camera.cam_from_world.translation.x, image.camera.cam_from_world.translation.x);
  EXPECT_EQ(read.camera.cam_from_world.translation.y, image.camera.cam_from_world.translation.y);
  EXPECT_EQ(read.camera.cam_from_world.translation.z, image.camera.cam_from_world.translation.z);
  EXPECT_EQ(read.metric, image.metric);
  EXPECT_EQ(read.layers, image.layers);
  ASSERT_EQ(read.pages.size(), image.pages.size());
  for (size_t i = 0; i < image.pages.size(); ++i) EXPECT_EQ(read.pages[i], image.pages[i]) << i;
}

std::vector<fs::path> files_within(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

// Names and contents of all files.
std::vector<std::string> contents(const fs::path& folder) {
  std::vector<std::string> result;
  for (const fs::path& file : files_within(folder)) {
    result.push_back(file.string() + ": " + core::read_text_file(file));
  }
  std::sort(result.begin(), result.end());
  return result;
}

void replace_bytes(const fs::path& file, const std::string& bytes) {
  fs::remove(file);  // some file systems sync what is written over
  std::ofstream(file, std::ios::binary) << bytes;
}

class MultiplaneFormatContract : public ::testing::TestWithParam<const MultiplaneFormatEntry*> {
 protected:
  const MultiplaneFormatEntry& format() const { return *GetParam(); }
  fs::path file() const { return folder_ / ("scene" + std::string(format().extensions.front())); }
  // Whether the file is read; else it was refused in words that name it or what is in it.
  bool try_read() const {
    try {
      const core::MultiplaneImage image = read_multiplane(file());
      EXPECT_NO_THROW(check_multiplane_image(image));
      return true;
    } catch (const core::IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr(folder_.path().string()));
      return false;
    }
  }

  test::TemporaryFolder folder_;
};

TEST_P(MultiplaneFormatContract, WhatWasWrittenIsReadAgain) {
  const core::MultiplaneImage image = made_image();
  check_multiplane_writable(file(), "--output");
  write_multiplane(file(), image);
  EXPECT_TRUE(fs::exists(file()));
  EXPECT_FALSE(fs::exists(file().string() + ".tmp"));
  if (format().read == nullptr) {
    EXPECT_FALSE(multiplane_losses(file(), image).empty());
    EXPECT_THROW(read_multiplane(file()), core::IoError);
    return;
  }
  const core::MultiplaneImage read = read_multiplane(file());
  if (multiplane_losses(file(), image).empty()) expect_same(read, image);
}

TEST_P(MultiplaneFormatContract, AnImageOfItsOwnIsReplacedWhole) {
  core::MultiplaneImage image = made_image();
  write_multiplane(file(), image);
  image.layers.resize(1);
  image.pages.resize(1);
  write_multiplane(file(), image);
  if (format().read != nullptr && multiplane_losses(file(), image).empty()) {
    expect_same(read_multiplane(file()), image);
  }
}

TEST_P(MultiplaneFormatContract, AFullDiskLeavesTheOldOne) {
  write_multiplane(file(), made_image());
  const std::vector<std::string> before = contents(folder_.path());
  const pid_t process = fork();
  if (process == 0) {
    const rlimit limit = {300, 300};  // every format has a larger file
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    core::MultiplaneImage image = made_image();
    image.layers.pop_back();
    try {
      write_multiplane(file(), image);
    } catch (const core::IoError&) {
      _exit(0);
    }
    _exit(1);
  }
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(contents(folder_.path()), before);
}

// At whatever moment the process is killed, one of the two images stands there whole.
TEST_P(MultiplaneFormatContract, AKilledProcessLeavesOneOfTheImages) {
  if (format().read == nullptr) GTEST_SKIP() << "this format is only written";
  core::MultiplaneImage images[2] = {made_image(), made_image()};
  images[1].layers.resize(3);
  core::MultiplaneImage expected[2];
  for (int i = 1; i >= 0; --i) {
    write_multiplane(file(), images[i]);
    expected[i] = read_multiplane(file());
  }
  int seen[2] = {0, 0};
  for (int kill_after_us = 100; kill_after_us < 30000; kill_after_us += kill_after_us / 3) {
    const pid_t process = fork();
    if (process == 0) {
      for (int i = 1;; i = 1 - i) write_multiplane(file(), images[i]);
    }
    usleep(kill_after_us);
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    const core::MultiplaneImage read = read_multiplane(file());
    const int which = read.layers == expected[0].layers ? 0 : 1;
    expect_same(read, expected[which]);
    ++seen[which];
  }
  EXPECT_GT(seen[0], 0);
}

TEST_P(MultiplaneFormatContract, AFolderOfOthersStays) {
  fs::create_directory(file());
  std::ofstream(file() / "diary.txt") << "dear diary";
  EXPECT_THROW(check_multiplane_writable(file(), "--output"), core::IoError);
  EXPECT_THROW(write_multiplane(file(), made_image()), core::IoError);
  EXPECT_EQ(core::read_text_file(file() / "diary.txt"), "dear diary");
  if (!format().is_folder) return;
  fs::remove(file() / "diary.txt");
  write_multiplane(file(), made_image());  // an empty one is taken
  std::ofstream(file() / "diary.txt") << "dear diary";
  EXPECT_THROW(write_multiplane(file(), made_image()), core::IoError);
  EXPECT_EQ(core::read_text_file(file() / "diary.txt"), "dear diary");
}

TEST_P(MultiplaneFormatContract, CutFilesAreRefusedAndDamagedOnesNeverCrash) {
  if (format().read == nullptr) GTEST_SKIP() << "this format is only written";
  core::MultiplaneImageF small = test::tiled_image(24, 20, 16, 12, 1, 0.2, 0.3F, 9);
  write_multiplane(file(), test::in_bytes(small));
  int refused = 0;
  for (const fs::path& part : files_within(folder_.path())) {
    SCOPED_TRACE(part);
    const std::string whole = core::read_text_file(part);
    for (size_t sixteenth = 0; sixteenth < 16; ++sixteenth) {
      replace_bytes(part, tests::cut_at(whole, sixteenth));
      // A text of numbers may end within its last one, and the buffer of a glTF's mesh is not read.
      const bool may_be_read = part.extension() == ".txt" || part.extension() == ".bin";
      EXPECT_TRUE(!try_read() || may_be_read) << sixteenth << "/16";
    }
    for (uint32_t i = 0; i < 150; ++i) {
      replace_bytes(part, tests::damaged(whole, i));
      refused += try_read() ? 0 : 1;
    }
    fs::remove(part);
    EXPECT_TRUE(!try_read() || part.extension() == ".bin");
    replace_bytes(part, whole);
    EXPECT_TRUE(try_read());
  }
  EXPECT_GT(refused, 100);
}

TEST_P(MultiplaneFormatContract, RandomBytesAreRefused) {
  if (format().read == nullptr || format().is_folder) GTEST_SKIP() << "it is no file that is read";
  std::mt19937 random(13);
  for (int trial = 0; trial < 100; ++trial) {
    std::string bytes(random() % 2048, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    replace_bytes(file(), bytes);
    EXPECT_FALSE(try_read());
  }
}

// The reference view of what comes back, at least 40 dB near that of what was written.
TEST_P(MultiplaneFormatContract, TheReferenceViewComesBack) {
  if (format().read == nullptr) GTEST_SKIP() << "this format is only written";
  core::MultiplaneImage image = made_image();
  core::Camera& camera = image.camera.camera;
  camera.fx = camera.fy;
  camera.cx = 0.5 * camera.width;
  camera.cy = 0.5 * camera.height;
  write_multiplane(file(), image);
  core::ThreadPool pool(1);
  const auto renderer = render::make_multiplane_renderer("reference", pool);
  render::MultiplaneOutput before, after;
  renderer->forward(image, image.camera, {}, before);
  const core::MultiplaneImage read = read_multiplane(file());
  renderer->forward(read, image.camera, {}, after);
  EXPECT_GT(core::measure(after.color, before.color, {}, pool).psnr, 40);
  EXPECT_GT(core::measure(after.alpha, before.alpha, {}, pool).psnr, 40);
}

TEST_P(MultiplaneFormatContract, ImagesThatCannotBeShownAreRefused) {
  core::MultiplaneImage image = made_image();
  image.layers[3].page = 1000;
  EXPECT_THROW(write_multiplane(file(), image), core::Error);
  image = made_image();
  image.layers[0].plane.z = NAN;
  EXPECT_THROW(write_multiplane(file(), image), core::Error);
  EXPECT_TRUE(folder_.names().empty());
}

std::vector<const MultiplaneFormatEntry*> all_formats() {
  std::vector<const MultiplaneFormatEntry*> result;
  for (const MultiplaneFormatEntry& format : multiplane_formats()) result.push_back(&format);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Formats, MultiplaneFormatContract, ::testing::ValuesIn(all_formats()),
                         [](const auto& format) { return std::string(format.param->name); });

TEST(MultiplaneFormatTable, NamesAndExtensionsAreUnique) {
  std::set<std::string_view> names;
  std::set<std::string_view> extensions;
  for (const MultiplaneFormatEntry& format : multiplane_formats()) {
    EXPECT_TRUE(names.insert(format.name).second);
    ASSERT_FALSE(format.extensions.empty());
    for (const std::string_view extension : format.extensions) {
      EXPECT_TRUE(extensions.insert(extension).second);
      EXPECT_TRUE(extension.starts_with('.'));
    }
    EXPECT_NE(format.losses, nullptr);
    EXPECT_EQ(format.is_folder, format.holds_nothing_else != nullptr);
  }
}

TEST(MultiplaneFormatTable, UnknownOnesAreRefusedInWords) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(check_multiplane_writable(folder / "scene.xyz", "--output"), core::UsageError);
  EXPECT_THROW(check_multiplane_writable(folder / "scene", "--output", {"nothing", 32}),
               core::UsageError);
  try {
    read_multiplane(folder / "scene.tmpi");
    FAIL();
  } catch (const core::IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no such file or folder"));
  }
}

}  // namespace
}  // namespace tessera::assets
