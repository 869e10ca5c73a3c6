// What `tessera photo3d` writes, replaces and leaves alone: whole or not at all.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "apps/commands/folder_lock.h"
#include "assets/multiplane_io.h"
#include "tests/support/photo3d_fixture.h"
#include "tests/support/test_data.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

class Photo3dOutputTest : public Photo3dTest {};

TEST_F(Photo3dOutputTest, WhatStandsThereIsReplacedOnlyByForce) {
  const std::vector<std::string> words = {at("photo.png"), "--depth", at("depth.png"), "-o",
                                          at("scene.tmpi")};
  ASSERT_EQ(photo3d(words).exit_code, 0);
  const ProgramEnd again = photo3d(words);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("--force"));
  std::vector<std::string> forced = words;
  forced.insert(forced.end(), {"--force", "--planner", "uniform"});
  ASSERT_EQ(photo3d(forced).exit_code, 0);
  // Of a whole picture, not of tiles.
  EXPECT_GT(assets::read_multiplane(folder_ / "scene.tmpi").layers.at(0).window.width, 64);
}

TEST_F(Photo3dOutputTest, AFolderIsReplacedAsAWholeAndWhatOthersPutThereStays) {
  const std::vector<std::string> words = {
      at("photo.png"), "--depth", at("depth.png"), "-o", at("out"), "--frames", "1", "--quiet"};
  ASSERT_EQ(photo3d(words).exit_code, 0);
  std::ofstream(folder_ / "out/notes.txt") << "mine";
  const std::string before = text_of(folder_ / "out/photo3d.json");
  const std::vector<std::string> all = names_in(folder_ / "out");

  // The viewer's page is larger than a full disk takes: nothing of the new run comes to be.
  std::vector<std::string> forced = words;
  forced.insert(forced.begin(), "photo3d");
  forced.insert(forced.end(), {"--force", "--planner", "uniform"});
  const ProgramEnd full = Program(forced, 20'000).wait();
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_EQ(text_of(folder_ / "out/photo3d.json"), before);
  EXPECT_THAT(names_in(folder_ / "out"), UnorderedElementsAreArray(all));

  // Of an earlier run nothing is left, of others all.
  std::ofstream(folder_ / "out/film.mp4") << "of a run with films";
  ASSERT_EQ(Program(forced, std::nullopt, folder_.path().string()).wait().exit_code, 0);
  EXPECT_NE(text_of(folder_ / "out/photo3d.json"), before);
  EXPECT_EQ(text_of(folder_ / "out/notes.txt"), "mine");
  EXPECT_FALSE(fs::exists(folder_ / "out/film.mp4"));
  EXPECT_FALSE(fs::exists(folder_ / "out/.photo3d"));
}

TEST_F(Photo3dOutputTest, AFolderIsItsSceneToOtherCommands) {
  ASSERT_EQ(photo3d({at("photo.png"), "--depth", at("depth.png"), "-o", at("out"), "--frames", "1",
                     "--quiet"})
                .exit_code,
            0);
  const ProgramEnd inspect = Program({"inspect", at("out"), "--json"}).wait();
  EXPECT_EQ(inspect.exit_code, 0) << inspect.err;
  EXPECT_EQ(inspect.out, Program({"inspect", at("out/scene.tmpi"), "--json"}).wait().out);
  ASSERT_EQ(Program({"convert", at("out"), at("x.glb")}).wait().exit_code, 0);
  const size_t layers = assets::read_multiplane(folder_ / "out/scene.tmpi").layers.size();
  EXPECT_EQ(assets::read_multiplane(folder_ / "x.glb").layers.size(), layers);
  const std::vector<std::string> drawn = {"render", at("out"), "-o", at("x.png"), "--quiet"};
  EXPECT_EQ(Program(drawn).wait().exit_code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "x.png"));
  const ProgramEnd eval = Program({"eval", at("out"), at("out")}).wait();
  EXPECT_EQ(eval.exit_code, 2);
  EXPECT_THAT(eval.err, HasSubstr("is a multiplane image, and Gaussians are measured"));
}

// The new run has no film, the old one no depth.
TEST_F(Photo3dOutputTest, ARunThatIsKilledWhileItTakesItsPlaceIsFinishedByTheNext) {
  const auto write = [](const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  };
  const std::vector<std::string> removed = {"film.mp4", "log.txt", "scene.tmpi", "photo3d.json"};
  const std::vector<std::string> moved = {"depth.png", "log.txt", "scene.tmpi", "photo3d.json"};
  for (size_t stop = 0; stop <= removed.size() + moved.size(); ++stop) {
    const fs::path out = folder_ / fmt::format("out{}", stop);
    const fs::path written = out / ".photo3d";
    for (const char* name : {"film.mp4", "log.txt", "scene.tmpi/page", "photo3d.json"}) {
      write(out / name, "old");
    }
    for (const char* name : {"depth.png", "log.txt", "scene.tmpi/page", "photo3d.json"}) {
      write(written / name, "new");
    }
    write(out / "notes.txt", "mine");
    for (size_t i = 0; i < stop; ++i) {
      if (i < removed.size()) {
        fs::remove_all(out / removed[i]);
      } else {
        const std::string& name = moved[i - removed.size()];
        fs::rename(written / name, out / name);
      }
    }
    // Refused, as the folder holds a run.
    const ProgramEnd end =
        photo3d({at("photo.png"), "--depth", at("depth.png"), "-o", out.string()});
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_THAT(end.out + end.err, HasSubstr("killed while its files took their place"));
    EXPECT_THAT(names_in(out), UnorderedElementsAre("depth.png", "log.txt", "scene.tmpi",
                                                    "photo3d.json", "notes.txt"))
        << stop;
    for (const char* name : {"depth.png", "log.txt", "scene.tmpi/page", "photo3d.json"}) {
      EXPECT_EQ(text_of(out / name), "new") << stop << " " << name;
    }
  }
}

// As if it had been killed while it wrote view.html.
TEST_F(Photo3dOutputTest, WhatAKilledRunHadBegunIsRemovedByTheNext) {
  const auto leave = [&](const std::string& name, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      fs::create_directories((folder_ / name / file).parent_path());
      std::ofstream(folder_ / name / file) << "old";
    }
  };
  const auto run_into = [&](const std::string& name) {
    return photo3d({at("photo.png"), "--depth", at("depth.png"), "-o", at(name), "--frames", "1"});
  };
  const std::vector<std::string> begun = {".photo3d.tmp/log.txt", ".photo3d.tmp/scene.tmpi/page",
                                          ".photo3d.tmp/view.html.tmp"};
  leave("out", begun);
  {
    const apps::FolderLock another_run(folder_ / "out");
    const ProgramEnd refused = run_into("out");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("another run is writing"));
    EXPECT_EQ(text_of(folder_ / "out/.photo3d.tmp/log.txt"), "old");
  }
  const ProgramEnd end = run_into("out");
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_THAT(names_in(folder_ / "out"), IsSupersetOf({"scene.tmpi", "view.html", "photo3d.json"}));
  EXPECT_FALSE(fs::exists(folder_ / "out/.photo3d.tmp"));
  EXPECT_FALSE(fs::exists(folder_ / "out/scene.tmpi/page"));

  // What others put there is not the run's to remove.
  for (const char* other : {"notes.txt", ".photo3d.tmp/notes.txt"}) {
    fs::remove_all(folder_ / "theirs");
    leave("theirs", begun);
    leave("theirs", {other});
    const ProgramEnd refused = run_into("theirs");
    EXPECT_EQ(refused.exit_code, 2) << other;
    EXPECT_THAT(refused.err, HasSubstr("--force"));
    EXPECT_EQ(text_of(folder_ / "theirs" / other), "old");
  }
}

TEST_F(Photo3dOutputTest, ARunThatIsKilledWhileItsFilmIsWrittenCanBeRunAgain) {
  std::vector<std::string> words = {"photo3d", at("photo.png"), "--depth",  at("depth.png"),
                                    "-o",      at("out"),       "--frames", "100000"};
  Program program(words);
  if (!program.says("frame 1/")) GTEST_SKIP() << program.wait().err;
  program.send(SIGKILL);
  EXPECT_EQ(program.wait().signal, SIGKILL);
  EXPECT_THAT(names_in(folder_ / "out"), UnorderedElementsAre(".photo3d.tmp"));
  words.back() = "1";
  const ProgramEnd again = run_program(words);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_FALSE(fs::exists(folder_ / "out/.photo3d.tmp"));
}

TEST_F(Photo3dOutputTest, AFullDiskLeavesNoFolder) {
  const ProgramEnd full =
      Program({"photo3d", at("photo.png"), "--depth", at("depth.png"), "-o", at("new")}, 20'000)
          .wait();
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_FALSE(fs::exists(folder_ / "new"));
}

TEST_F(Photo3dOutputTest, FilesOfOthersAreNotReplacedByForce) {
  fs::create_directory(folder_ / "theirs");
  std::ofstream(folder_ / "theirs/depth.png") << "precious";
  const ProgramEnd end =
      photo3d({at("photo.png"), "--depth", at("depth.png"), "-o", at("theirs"), "--force"});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("theirs/depth.png"));
  EXPECT_EQ(text_of(folder_ / "theirs/depth.png"), "precious");
}

TEST_F(Photo3dOutputTest, StoppedFilmsAreLeftOut) {
  Program program({"photo3d", at("photo.png"), "--depth", at("depth.png"), "-o", at("out"),
                   "--frames", "100000"});
  if (!program.says("frame 1/")) GTEST_SKIP() << program.wait().err;
  program.send(SIGINT);
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 130);
  EXPECT_THAT(end.err, HasSubstr("without the film"));
  EXPECT_THAT(end.err, HasSubstr("out holds all else"));
  EXPECT_THAT(names_in(folder_ / "out"), IsSupersetOf({"scene.tmpi", "view.html", "photo3d.json"}));
  EXPECT_FALSE(fs::exists(folder_ / "out/film.mp4"));
}

TEST_F(Photo3dOutputTest, WhatIsOnlyWrittenIsNamed) {
  ASSERT_EQ(
      photo3d({at("photo.png"), "--depth", at("depth.png"), "-o", at("scene.html")}).exit_code, 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"render", at("scene.html"), "-o", at("never.png")},
        std::vector<std::string>{"convert", at("scene.html"), at("never.tmpi")}}) {
    const ProgramEnd end = run_program(words);
    EXPECT_EQ(end.exit_code, 2);
    EXPECT_THAT(end.err, HasSubstr("cannot be read from it"));
  }
  const ProgramEnd again = photo3d({at("scene.html"), "-o", at("never.tmpi")});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("tessera render"));
}

TEST_F(Photo3dOutputTest, InputsAreNeverWrittenOver) {
  const std::string photo_before = text_of(folder_ / "photo.png");
  const std::string depth_before = text_of(folder_ / "depth.png");
  const ProgramEnd end = photo3d(
      {at("photo.png"), "--depth", at("depth.png"), "-o", folder_.path().string(), "--force"});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("name another folder"));
  EXPECT_EQ(text_of(folder_ / "photo.png"), photo_before);
  EXPECT_EQ(text_of(folder_ / "depth.png"), depth_before);
}

TEST_F(Photo3dOutputTest, StoppedFitsAreWritten) {
  TESSERA_NEED_TEST_DATA(fox, "fox");
  Program program({"photo3d", fox.string(), "-r", "80", "--views", "0001,0003,0004,0007", "--steps",
                   "5000", "--planes", "8", "-o", at("fox.tmpi")});
  ASSERT_TRUE(program.says("step 1/5,000"));
  program.send(SIGINT);
  const ProgramEnd end = program.wait();
  EXPECT_EQ(end.exit_code, 130) << end.err;
  EXPECT_THAT(end.err, HasSubstr("of 5000 steps"));
  EXPECT_FALSE(assets::read_multiplane(folder_ / "fox.tmpi").layers.empty());
}

}  // namespace
}  // namespace tessera::test
