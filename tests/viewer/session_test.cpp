// Sessions: written, read again, damaged; and what is kept of work that was not saved.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/file_io.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/viewer_fixture.h"
#include "viewer/draw/splat_state.h"
#include "viewer/edit/saved_scene.h"

namespace tessera::viewer {
namespace {

using test::DrivenViewer;
using ::testing::HasSubstr;

Session made_session() {
  Session session;
  SessionScene scene;
  scene.path = "/data/scenes/garden.ply";
  scene.name = "the \"garden\"";
  scene.visible = false;
  scene.placement.translation = {1.5, -2, 1e-7};
  scene.placement.scale = 0.3;
  scene.runs = {{1000000, 0}, {3, kDeleted}, {1, kHidden | kSelected}};
  session.scenes = {scene, {"/elsewhere/points.ply", "points", true, {}, {}}};
  session.current = 1;
  session.camera = looking_at({1, 2, 3}, {0, 0.1, 0}, {0, -1, 0});
  session.camera.fov_y = 33;
  session.up = {0, 0, 1};
  session.bookmarks[3] = session.camera;
  session.style.splats.mode = DrawMode::kDepth;
  session.style.cameras = false;
  session.path.keys = {key_of(session.camera)};
  session.path.seconds = 12;
  return session;
}

void expect_alike(const Session& a, const Session& b) {
  ASSERT_EQ(a.scenes.size(), b.scenes.size());
  for (size_t i = 0; i < a.scenes.size(); ++i) {
    EXPECT_EQ(a.scenes[i].path, b.scenes[i].path);
    EXPECT_EQ(a.scenes[i].name, b.scenes[i].name);
    EXPECT_EQ(a.scenes[i].visible, b.scenes[i].visible);
    EXPECT_EQ(a.scenes[i].placement, b.scenes[i].placement);
    EXPECT_EQ(a.scenes[i].runs, b.scenes[i].runs);
  }
  EXPECT_EQ(a.current, b.current);
  EXPECT_EQ(a.camera, b.camera);
  EXPECT_EQ(a.bookmarks, b.bookmarks);
  EXPECT_EQ(a.style.splats.mode, b.style.splats.mode);
  EXPECT_EQ(a.style.cameras, b.style.cameras);
  EXPECT_EQ(a.path.keys.size(), b.path.keys.size());
  EXPECT_EQ(a.path.seconds, b.path.seconds);
}

TEST(SessionText, IsReadAsItWasWritten) {
  const Session session = made_session();
  const std::string text = session_text(session, "/data");
  EXPECT_THAT(text, HasSubstr("\"scenes/garden.ply\""));
  EXPECT_THAT(text, HasSubstr("\"/elsewhere/points.ply\""));
  expect_alike(parsed_session(text, "/data/s.tessera-view"), session);
  // A folder that was moved with its scenes.
  EXPECT_EQ(parsed_session(text, "/moved/s.tessera-view").scenes[0].path,
            "/moved/scenes/garden.ply");
}

TEST(SessionText, RunsAreOfAllStates) {
  core::Array<uint8_t> states(7, uint8_t{0});
  states[2] = states[3] = kDeleted;
  states[6] = kHidden;
  const std::vector<StateRun> runs = runs_of(states);
  EXPECT_EQ(runs, (std::vector<StateRun>{{2, 0}, {2, kDeleted}, {2, 0}, {1, kHidden}}));
  const auto again = states_of(runs, 7);
  ASSERT_NE(again, nullptr);
  EXPECT_TRUE(std::equal(again->begin(), again->end(), states.begin()));
  EXPECT_EQ(states_of(runs, 8), nullptr);
  EXPECT_EQ(states_of(runs, 6), nullptr);
  EXPECT_NE(states_of({}, 0), nullptr);
}

// Cut anywhere it is refused; with bytes changed it is read or refused, by one sentence that names
// it.
TEST(SessionText, DamagedIsRefused) {
  const std::string text = session_text(made_session(), "/data");
  for (size_t length = 0; length + 2 < text.size(); length += 7) {
    EXPECT_THROW(parsed_session(text.substr(0, length), "/s.tessera-view"), core::IoError);
  }
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = text;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      parsed_session(damaged, "/s.tessera-view");
    } catch (const core::IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr("/s.tessera-view"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

class Sessions : public ::testing::Test {
 protected:
  // What the scene is as it would be saved now.
  static core::GaussianScene saved(DrivenViewer& d) {
    d.run("save out.ply");
    return d.host.saved.at("out.ply");
  }
  static void edit(DrivenViewer& d) {
    d.run("open made.ply");
    d.run("select rectangle 0 0 300 600");
    d.run("delete");
    d.run("move 1 2 3");
    d.run("rename garden");
    d.run("camera 4 5 6 0 0 0");
    d.run("bookmark 7 set");
  }
  static void expect_same_bytes(const core::GaussianScene& a, const core::GaussianScene& b) {
    ASSERT_EQ(a.cloud.size(), b.cloud.size());
    EXPECT_LT(a.cloud.size(), 400);
    EXPECT_GT(a.cloud.size(), 0);
    EXPECT_TRUE(a.cloud.parameters == b.cloud.parameters);
  }

  test::TemporaryFolder folder_;
};

TEST_F(Sessions, AreOpenedAgainWithTheirEdits) {
  const std::string file = (folder_ / "work.tessera-view").string();
  core::GaussianScene before;
  ViewCamera camera;
  {
    DrivenViewer d;
    edit(d);
    EXPECT_TRUE(d.viewer.history().unsaved());
    d.run("session save " + quoted_word((folder_ / "work").string()));
    EXPECT_FALSE(d.viewer.history().unsaved());
    camera = d.viewer.camera().target();
    before = saved(d);
  }
  DrivenViewer d;
  d.run("open " + quoted_word(file));
  d.settle();
  ASSERT_EQ(d.viewer.items().size(), 1U);
  EXPECT_EQ(d.viewer.items()[0].name, "garden");
  EXPECT_EQ(d.viewer.camera().target(), camera);
  EXPECT_TRUE(d.viewer.bookmarks()[6].has_value());
  EXPECT_FALSE(d.viewer.history().unsaved());
  expect_same_bytes(saved(d), before);
  // What is open gives way, but not edits that are not saved.
  d.run("choose 1");
  d.run("move 0 0 9");
  d.viewer.open(file);
  EXPECT_THAT(d.viewer.notices().back().text, HasSubstr("not saved"));
  EXPECT_EQ(d.viewer.items().size(), 1U);
}

TEST_F(Sessions, OfAFileThatIsAnotherNowSaySo) {
  const std::filesystem::path file = folder_ / "work.tessera-view";
  {
    DrivenViewer d;
    edit(d);
    d.run("session save " + quoted_word(file.string()));
  }
  std::string text = core::read_text_file(file);
  const size_t at = text.find("made.ply");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 8, "other.ply");
  core::write_file_atomically(file, text);
  DrivenViewer d;
  d.run("open " + quoted_word(file.string()));
  ASSERT_FALSE(d.viewer.notices().empty());
  EXPECT_THAT(d.viewer.notices().back().text, HasSubstr("not the one that was edited"));
  EXPECT_EQ(saved(d).cloud.size(), 100);
  // A scene that is gone is named, and the others open.
  text.replace(text.find("other.ply"), 9, "gone.ply");
  core::write_file_atomically(file, text);
  d.run("open " + quoted_word(file.string()));
  EXPECT_THAT(d.viewer.notices().back().text, HasSubstr("gone.ply"));
}

// The first viewer ends as a killed process does: nothing of it runs any more.
TEST_F(Sessions, WorkThatWasNotSavedSurvivesACrash) {
  core::GaussianScene before;
  {
    DrivenViewer d;
    Recovery recovery(folder_.path());
    d.viewer.recover_in(recovery);
    EXPECT_FALSE(d.viewer.shown().recovery);
    edit(d);
    d.frames(2, 3);
    d.run("undo");
    d.run("redo");
    before =
        saved_scene(d.viewer.items()[0], d.viewer.items()[0].origin_in_file, SavedSplats::kAll);
    d.frames(2, 3);
  }
  ASSERT_FALSE(std::filesystem::is_empty(folder_.path()));
  DrivenViewer d;
  Recovery recovery(folder_.path());
  d.viewer.recover_in(recovery);
  EXPECT_TRUE(d.viewer.shown().recovery);
  d.run("recover");
  EXPECT_FALSE(d.viewer.shown().recovery);
  ASSERT_EQ(d.viewer.items().size(), 1U);
  EXPECT_TRUE(d.viewer.history().unsaved());
  d.viewer.run("quit");
  EXPECT_FALSE(d.viewer.quit_wanted());
  expect_same_bytes(saved(d), before);
  EXPECT_FALSE(d.viewer.history().unsaved());
  d.frames(2, 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(Sessions, WhatCannotBeKeptIsSaid) {
  core::write_file_atomically(folder_ / "file", "x");
  DrivenViewer d;
  Recovery recovery(folder_ / "file");  // no folder, so nothing can be written there
  d.viewer.recover_in(recovery);
  edit(d);
  d.frames(3, 3);
  for (int i = 0; i < 100 && d.viewer.notices().empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    d.frames(1);
  }
  ASSERT_FALSE(d.viewer.notices().empty());
  EXPECT_THAT(d.viewer.notices().back().text, HasSubstr("save them"));
  EXPECT_TRUE(d.viewer.notices().back().is_error);
}

TEST_F(Sessions, ADialogListsThem) {
  core::write_file_atomically(folder_ / "work.tessera-view", "x");
  DrivenViewer d;
  d.run("open");
  d.run("files go " + quoted_word(folder_.path().string()));
  ASSERT_EQ(d.viewer.file_dialog()->entries().size(), 1U);
  EXPECT_EQ(d.viewer.file_dialog()->entries()[0].name, "work.tessera-view");
}

TEST_F(Sessions, NothingIsLeftOfARunThatEndedWell) {
  {
    DrivenViewer d;
    Recovery recovery(folder_.path());
    d.viewer.recover_in(recovery);
    edit(d);
    d.frames(3, 3);
    d.settle();
    d.run("quit anyway");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  core::write_file_atomically(folder_ / "unsaved-99999999.tessera-view", "{}");
  DrivenViewer d;
  Recovery recovery(folder_.path());
  d.viewer.recover_in(recovery);
  EXPECT_THROW(d.viewer.run("recover"), core::IoError);
  d.run("recover discard");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  EXPECT_THROW(d.viewer.run("recover"), core::Error);
}

}  // namespace
}  // namespace tessera::viewer
