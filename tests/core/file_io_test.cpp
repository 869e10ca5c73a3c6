// Whole reads and atomic writes, a full disk among them.
// SPDX-License-Identifier: MIT
#include "core/file_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "core/error.h"
#include "tests/support/temporary_folder.h"

namespace tessera::core {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FileIoTest : public ::testing::Test {
 protected:
  test::TemporaryFolder folder_;
};

template <class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const IoError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(FileIoTest, ReadsBackWhatWasWritten) {
  std::string text(3'000'000, 'x');
  text[1'234'567] = '\0';
  write_file_atomically(folder_ / "a", text);
  EXPECT_EQ(read_text_file(folder_ / "a"), text);
  EXPECT_EQ(read_file(folder_ / "a").size(), 3'000'000);
  EXPECT_EQ(size_of_file(folder_ / "a"), 3'000'000U);
  EXPECT_EQ(read_file_start(folder_ / "a", 10).size(), 10);
  EXPECT_EQ(read_file_start(folder_ / "a", 5'000'000).size(), 3'000'000);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a"});
}

TEST_F(FileIoTest, KeepsWithinTheLimit) {
  write_file_atomically(folder_ / "a", std::string(100, 'x'));
  EXPECT_EQ(read_file(folder_ / "a", 100).size(), 100);
  EXPECT_THAT(error_of([&] { read_file(folder_ / "a", 99); }), HasSubstr("longer than 99 bytes"));
}

TEST_F(FileIoTest, ReadsFilesThatHaveNoSize) {
  EXPECT_GT(read_text_file("/proc/self/status").size(), 100U);
  write_file_atomically(folder_ / "empty", "");
  EXPECT_EQ(read_file(folder_ / "empty").size(), 0);
}

TEST_F(FileIoTest, SaysWhatCannotBeRead) {
  EXPECT_THAT(error_of([&] { read_file(folder_ / "none"); }), HasSubstr("there is no such file"));
  EXPECT_THAT(error_of([&] { read_file(folder_.path()); }), HasSubstr("is a folder"));
  EXPECT_THAT(error_of([&] { read_file(folder_ / "none"); }), HasSubstr("none"));
}

TEST_F(FileIoTest, TellsBeforehandWhatCannotBeWritten) {
  check_file_can_be_written(folder_ / "a");
  EXPECT_TRUE(folder_.names().empty());
  write_file_atomically(folder_ / "a", "old");
  check_file_can_be_written(folder_ / "a");
  EXPECT_EQ(read_text_file(folder_ / "a"), "old");
  EXPECT_THAT(error_of([&] { check_file_can_be_written(folder_ / "no" / "a"); }),
              HasSubstr("its folder does not exist"));
  EXPECT_THAT(error_of([&] { check_file_can_be_written(folder_.path()); }),
              HasSubstr("is a folder"));
}

TEST_F(FileIoTest, WithoutCommitTheTargetStays) {
  write_file_atomically(folder_ / "a", "old");
  {
    AtomicFile file(folder_ / "a");
    file.write("new");
    EXPECT_EQ(file.bytes_written(), 3U);
  }
  EXPECT_EQ(read_text_file(folder_ / "a"), "old");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a"});
}

TEST_F(FileIoTest, ATemporaryFileLeftByAKilledRunIsNoHindrance) {
  std::ofstream(folder_ / "a.tmp") << "a much longer rest of an earlier run";
  write_file_atomically(folder_ / "a", "new");
  EXPECT_EQ(read_text_file(folder_ / "a"), "new");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a"});
}

TEST_F(FileIoTest, TwoWritersOfOneFileDoNotMix) {
  AtomicFile first(folder_ / "a");
  first.write("first");
  EXPECT_THAT(error_of([&] { AtomicFile second(folder_ / "a"); }),
              HasSubstr("is being written by another program"));
  first.commit();
  EXPECT_EQ(read_text_file(folder_ / "a"), "first");
  write_file_atomically(folder_ / "a", "second");
  EXPECT_EQ(read_text_file(folder_ / "a"), "second");
}

TEST_F(FileIoTest, FollowsALinkAndKeepsPermissions) {
  write_file_atomically(folder_ / "a", "old");
  fs::permissions(folder_ / "a", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("a", folder_ / "link");
  write_file_atomically(folder_ / "link", "new");
  EXPECT_EQ(read_text_file(folder_ / "a"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), fs::perms(0600));
}

TEST_F(FileIoTest, SaysWhatCannotBeWritten) {
  EXPECT_THAT(error_of([&] { write_file_atomically(folder_ / "no" / "a", "x"); }),
              HasSubstr("its folder does not exist"));
  EXPECT_THAT(error_of([&] { write_file_atomically(folder_.path(), "x"); }),
              HasSubstr("is a folder"));
  EXPECT_THAT(error_of([&] { write_file_atomically("/dev/null", "x"); }), HasSubstr("a device"));
}

TEST_F(FileIoTest, AFullDiskLeavesTheOldFileAndNothingElse) {
  write_file_atomically(folder_ / "a", "old");
  std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = 1'500'000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error =
      error_of([&] { write_file_atomically(folder_ / "a", std::string(4'000'000, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_THAT(error, HasSubstr("no file larger than 1.5 MB"));
  EXPECT_EQ(read_text_file(folder_ / "a"), "old");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a"});
}

TEST_F(FileIoTest, ALinkPlacedAtTheTemporaryNameIsNotFollowed) {
  write_file_atomically(folder_ / "other", "precious");
  fs::create_symlink("other", folder_ / "a.tmp");
  EXPECT_THAT(error_of([&] { write_file_atomically(folder_ / "a", "x"); }),
              HasSubstr("a.tmp is a link"));
  EXPECT_EQ(read_text_file(folder_ / "other"), "precious");
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

TEST_F(FileIoTest, AFolderAppearsWhole) {
  {
    AtomicFolder folder(folder_ / "checkpoint");
    fs::create_directory(folder.path() / "shards");
    write_file_atomically(folder.path() / "shards" / "0", "first");
    EXPECT_FALSE(fs::exists(folder_ / "checkpoint"));
    folder.commit();
  }
  EXPECT_EQ(read_text_file(folder_ / "checkpoint" / "shards" / "0"), "first");
  {
    AtomicFolder folder(folder_ / "checkpoint/");
    write_file_atomically(folder.path() / "manifest", "second");
    folder.commit();
  }
  EXPECT_EQ(read_text_file(folder_ / "checkpoint" / "manifest"), "second");
  EXPECT_FALSE(fs::exists(folder_ / "checkpoint" / "shards"));
  {
    AtomicFolder folder(folder_ / "checkpoint");
    write_file_atomically(folder.path() / "manifest", "third");
  }
  EXPECT_EQ(read_text_file(folder_ / "checkpoint" / "manifest"), "second");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"checkpoint"});
}

}  // namespace
}  // namespace tessera::core
