// `tessera view --screenshot`, as typed.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "assets/io.h"
#include "assets/photos/image_io.h"
#include "core/metrics.h"
#include "tests/support/program.h"
#include "tests/support/random_scene.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/x_server.h"

namespace tessera::apps {
namespace {

using ::testing::HasSubstr;

constexpr const char* kWhere = "0.5,0.2,-2,0,0,4";

class View : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(std::filesystem::path(TESSERA_PROGRAM).parent_path() /
                                 "tessera-viewer")) {
      GTEST_SKIP() << "tessera-viewer was not built";
    }
    core::GaussianScene scene;
    test::RandomCloud spec;
    spec.count = 2000;
    spec.sh_degree = 3;
    scene.cloud = test::random_cloud(spec, test::pinhole_camera(320, 240));
    assets::write_scene(folder_ / "scene.ply", scene);
  }

  test::TemporaryFolder folder_;
};

TEST_F(View, ScreenshotsByTheCardAndTheRasterizerAreAlike) {
  const std::string scene = (folder_ / "scene.ply").string();
  core::Image8 pictures[2];
  for (const bool exact : {false, true}) {
    const std::string out = (folder_ / (exact ? "exact.png" : "card.png")).string();
    std::vector<std::string> words = {"view",   scene,     "--screenshot", out,
                                      "--size", "321x201", "--camera",     "0.5,0.2,-2,0,0,4"};
    if (exact) words.emplace_back("--exact");
    const test::ProgramEnd result = test::run_program(words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    pictures[exact ? 1 : 0] = assets::read_image(out);
  }
  ASSERT_EQ(pictures[0].width, 321);
  ASSERT_EQ(pictures[0].height, 201);
  core::ImageF floats(321, 201, 3);
  for (int64_t i = 0; i < floats.data.size(); ++i) floats.data[i] = pictures[1].data[i] / 255.0F;
  core::ThreadPool pool(1);
  EXPECT_GE(core::measure(std::move(floats), pictures[0], {}, pool).psnr, 35);
}

TEST_F(View, FaultsAreSentencesAndLeaveNoPicture) {
  const std::string out = (folder_ / "out.png").string();
  const std::string scene = (folder_ / "scene.ply").string();
  const std::pair<std::vector<std::string>, const char*> kRefused[] = {
      {{"view", (folder_ / "none.ply").string(), "--screenshot", out}, "none.ply"},
      {{"view", scene, "--screenshot", out, "--camera", "1,2"}, "takes six numbers"},
      {{"view", scene, "--screenshot", out, "--mode", "blur"}, "is one of splats"},
      {{"view", scene, "--screenshot", out, "--run", "jump"}, "there is no such command"},
      {{"view", "--screenshot", out}, "FILE: is missing"},
      {{"view", scene, "--screenshot", (folder_ / "a.tga").string()}, "a.tga"},
  };
  for (const auto& [words, sentence] : kRefused) {
    const test::ProgramEnd result = test::run_program(words);
    EXPECT_EQ(result.exit_code, 2) << words.back();
    EXPECT_THAT(result.err, HasSubstr(sentence));
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

// A window on a display without a screen, its commands, and how it closes.
TEST_F(View, AWindowShowsWhatAPictureDoes) {
  if (std::system("command -v Xvfb > /dev/null") != 0) GTEST_SKIP() << "Xvfb is not installed";
  const test::XServer server;
  setenv("DISPLAY", server.display().c_str(), 1);
  const std::string scene = (folder_ / "scene.ply").string();
  const std::string in_window = (folder_ / "window.png").string();
  const std::string without = (folder_ / "without.png").string();
  const test::ProgramEnd window =
      test::run_program({"view", scene, "--camera", kWhere, "--run",
                         "screenshot " + in_window + " 320 200", "--run", "quit"});
  unsetenv("DISPLAY");
  ASSERT_EQ(window.exit_code, 0) << window.err;
  const test::ProgramEnd picture = test::run_program(
      {"view", scene, "--camera", kWhere, "--screenshot", without, "--size", "320x200"});
  ASSERT_EQ(picture.exit_code, 0) << picture.err;
  EXPECT_EQ(assets::read_image(in_window), assets::read_image(without));
}

TEST_F(View, EditsOfAWindowThatWasKilledAreOffered) {
  if (std::system("command -v Xvfb > /dev/null") != 0) GTEST_SKIP() << "Xvfb is not installed";
  const std::string scene = (folder_ / "scene.ply").string();
  const std::string recovered = (folder_ / "recovered.ply").string();
  const std::string wanted = (folder_ / "wanted.ply").string();
  const std::string picture = (folder_ / "picture.png").string();
  const std::filesystem::path settings = folder_ / "settings";
  const auto kept = [&settings] {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(settings, none)) {
      if (entry.path().extension() == ".tessera-view") return true;
    }
    return false;
  };
  const std::string choose = "select property opacity 0 0.5";
  {
    const test::XServer server;
    setenv("DISPLAY", server.display().c_str(), 1);
    const test::Program window({"view", scene, "--settings", settings.string(), "--run", choose,
                                "--run", "delete", "--run", "move 1 2 3"});
    unsetenv("DISPLAY");
    for (int i = 0; i < 600 && !kept(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    window.send(SIGKILL);
  }
  ASSERT_TRUE(kept());
  test::ProgramEnd end =
      test::run_program({"view", scene, "--settings", settings.string(), "--screenshot", picture,
                         "--run", "recover", "--run", "save " + recovered});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  end = test::run_program({"view", scene, "--screenshot", picture, "--run", choose, "--run",
                           "delete", "--run", "move 1 2 3", "--run", "save " + wanted});
  ASSERT_EQ(end.exit_code, 0) << end.err;
  EXPECT_EQ(test::text_of(recovered), test::text_of(wanted));
  EXPECT_LT(std::filesystem::file_size(wanted), std::filesystem::file_size(scene));
}

TEST_F(View, WithoutADisplayAWindowIsRefusedBySentence) {
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  const test::ProgramEnd end = test::run_program({"view", (folder_ / "scene.ply").string()});
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.err, HasSubstr("pictures need none: --screenshot FILE"));
}

}  // namespace
}  // namespace tessera::apps
