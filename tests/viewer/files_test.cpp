// Files asked for by dialogs, the start screen, and what is remembered between runs.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>

#include "core/file_io.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/viewer_fixture.h"

namespace tessera::viewer {
namespace {

using test::DrivenViewer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"b.ply", "A.splat", "notes.txt", ".hidden.ply"}) {
      core::write_file_atomically(folder_ / name, "x");
    }
    std::filesystem::create_directory(folder_ / "within");
    core::write_file_atomically(folder_ / "within" / "c.ply", "x");
  }

  std::vector<std::string> listed() {
    std::vector<std::string> names;
    for (const FileDialog::Entry& entry : d.viewer.file_dialog()->entries()) {
      names.push_back(entry.name);
    }
    return names;
  }
  // What the command that the dialog was for said.
  std::string last_notice() { return d.viewer.notices().back().text; }

  test::TemporaryFolder folder_;
  DrivenViewer d;
};

TEST_F(Files, ADialogListsFoldersAndWhatCanBeRead) {
  d.key("Ctrl+O");
  ASSERT_NE(d.viewer.file_dialog(), nullptr);
  d.run("files go " + quoted_word(folder_.path().string()));
  EXPECT_THAT(listed(), ElementsAre("within", "A.splat", "b.ply"));
  d.run("files all on");
  EXPECT_THAT(listed(), ElementsAre("within", "A.splat", "b.ply", "notes.txt"));
  d.run("files all off");
  d.run("files type a");
  EXPECT_THAT(listed(), ElementsAre("A.splat"));
  d.run("files go within");
  EXPECT_THAT(listed(), ElementsAre("c.ply"));
  d.run("files go ..");
  EXPECT_EQ(listed().size(), 3U);
}

TEST_F(Files, KeysEnterAFolderAndOpenAFile) {
  d.run("open");
  d.run("files go " + quoted_word(folder_.path().string()));
  d.key("Down");
  d.key("Enter");
  EXPECT_EQ(d.viewer.file_dialog()->folder(), folder_ / "within");
  d.key("Down");
  d.key("Enter");
  EXPECT_EQ(d.viewer.file_dialog(), nullptr);
  d.settle();
  EXPECT_THAT(last_notice(), HasSubstr("within/c.ply: is no scene of a kind that is made here"));
  d.run("open");
  d.key("Esc");
  EXPECT_EQ(d.viewer.file_dialog(), nullptr);
}

TEST_F(Files, TypingNarrowsTheList) {
  d.run("open");
  d.run("files go " + quoted_word(folder_.path().string()));
  for (const uint32_t letter : {uint32_t{'b'}, uint32_t{'.'}}) {
    InputEvent event;
    event.kind = InputEvent::Kind::kText;
    event.character = letter;
    d.viewer.handle(event);
    d.frames(2);
  }
  EXPECT_EQ(d.viewer.file_dialog()->typed(), "b.");
  EXPECT_THAT(listed(), ElementsAre("b.ply"));
}

TEST_F(Files, WhatIsNotThereIsASentence) {
  d.run("open");
  EXPECT_THROW(d.viewer.run("files accept"), core::Error);
  d.run("files type none.ply");
  EXPECT_THROW(d.viewer.run("files accept"), core::Error);
  d.run("files go " + quoted_word((folder_ / "gone").string()));
  EXPECT_THAT(last_notice(), HasSubstr("gone: cannot be read"));
  d.run("files cancel");
  EXPECT_THROW(d.viewer.run("files mark 1"), core::Error);
}

TEST_F(Files, SavingAsksBeforeItReplaces) {
  EXPECT_THROW(d.viewer.run("save"), core::Error) << "nothing is open";
  d.run("open made.ply");
  d.key("Ctrl+Shift+S");
  const std::string file = (folder_ / "b.ply").string();
  d.run("files type " + quoted_word(file));
  EXPECT_THROW(d.viewer.run("files accept"), core::Error);
  EXPECT_TRUE(d.host.saved.empty());
  d.run("files accept");
  EXPECT_EQ(d.host.saved[file].cloud.size(), 400);
}

TEST_F(Files, TheSampleIsOpenedFromTheStart) {
  d.run("sample");
  ASSERT_EQ(d.viewer.items().size(), 1U);
  EXPECT_EQ(d.viewer.items()[0].name, "capture");
}

// A stand-in for zenity that says what it was asked, then names a file.
TEST_F(Files, TheDesktopsDialogAnswersWithoutBeingWaitedFor) {
  const std::filesystem::path program = folder_ / "zenity";
  core::write_file_atomically(program,
                              "#!/bin/sh\necho \"$@\" > \"$0.asked\"\nread -r x < "
                              "\"$0.go\"\necho made.ply\n");
  chmod(program.c_str(), 0755);
  ASSERT_EQ(mkfifo((folder_ / "zenity.go").c_str(), 0600), 0);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder_.path().string() + ":" + path).c_str(), 1);
  d.viewer.use_desktop_dialogs();
  d.viewer.run("open");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(d.viewer.file_dialog(), nullptr);
  d.frames(5);
  EXPECT_TRUE(d.viewer.items().empty()) << "frames go on while it is open";
  EXPECT_THROW(d.viewer.run("open"), core::Error);
  FILE* go = std::fopen((folder_ / "zenity.go").c_str(), "w");
  std::fputs("go\n", go);
  std::fclose(go);
  while (d.viewer.items().empty()) d.frames(1);
  EXPECT_EQ(d.viewer.items()[0].name, "made.ply");
  EXPECT_THAT(core::read_text_file(folder_ / "zenity.asked"), HasSubstr("--file-selection"));
}

TEST(RememberedSettings, AreThoseOfTheLastRun) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder / "new" / "viewer.json";
  {
    SettingsFile settings(file);
    DrivenViewer first;
    first.viewer.remember_in(settings);
    first.run("dark off");
    first.run("font 1.5");
    first.run("open made.ply");
    first.run("open points.ply");
    first.run("open made.ply");
  }
  SettingsFile settings(file);
  DrivenViewer d;
  EXPECT_EQ(settings.trouble(), "");
  d.viewer.remember_in(settings);
  EXPECT_FALSE(d.viewer.shown().dark);
  EXPECT_EQ(d.viewer.shown().font_scale, 1.5F);
  EXPECT_EQ(settings.settings().width, DrivenViewer::kWidth);
  EXPECT_EQ(settings.settings().height, DrivenViewer::kHeight);
  EXPECT_THAT(d.viewer.recent(), ElementsAre(std::filesystem::absolute("made.ply"),
                                             std::filesystem::absolute("points.ply")));
}

TEST(RememberedSettings, ThatAreBrokenAreSetAside) {
  const test::TemporaryFolder folder;
  for (const char* text : {"", "{", "[1, 2]", "{\"dark\": 3}", "\xff"}) {
    core::write_file_atomically(folder / "viewer.json", text);
    const SettingsFile settings(folder / "viewer.json");
    EXPECT_THAT(settings.trouble(), HasSubstr("is kept as viewer.json.broken")) << text;
    EXPECT_EQ(settings.settings(), Settings());
    EXPECT_EQ(core::read_text_file(folder / "viewer.json.broken"), text);
    EXPECT_FALSE(std::filesystem::exists(folder / "viewer.json"));
  }
}

}  // namespace
}  // namespace tessera::viewer
