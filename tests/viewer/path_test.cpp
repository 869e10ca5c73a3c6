// Key frames, the way through them, and the film of it.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/file_io.h"
#include "core/metrics.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/viewer_fixture.h"

namespace tessera::viewer {
namespace {

using test::DrivenViewer;
using ::testing::HasSubstr;

double length(math::Vec3<double> v) {
  return std::sqrt(dot(v, v));
}

class Path : public ::testing::Test {
 protected:
  Path() {
    d.run("open made.ply");
    for (const char* where : {"0 0 -2 0 0 4", "2 0 -1 0 0 4", "3 -1 3 0 0 4"}) {
      d.run(std::string("camera ") + where);
      d.key("K");
    }
  }
  DrivenViewer d;
};

TEST_F(Path, GoesThroughItsKeysFromTheFirstToTheLast) {
  const CameraPath& path = d.viewer.path();
  ASSERT_EQ(path.keys.size(), 3U);
  const auto center = [&](int frame) { return path.at_frame(frame).center; };
  EXPECT_LT(length(center(0) - math::Vec3<double>{0, 0, -2}), 1e-9);
  EXPECT_LT(length(center(path.frames() - 1) - math::Vec3<double>{3, -1, 3}), 1e-9);
  double nearest = 1e9;
  for (int i = 1; i < path.frames(); ++i) {
    nearest = std::min(nearest, length(center(i) - math::Vec3<double>{2, 0, -1}));
    EXPECT_LT(length(center(i) - center(i - 1)), 0.1) << "no leap";
  }
  EXPECT_LT(nearest, 0.05);
}

TEST_F(Path, IsPlayedInItsTime) {
  d.run("path seconds 2");
  d.viewer.run("path play");
  d.frames(30);
  EXPECT_LT(length(d.viewer.camera().camera().center - d.viewer.path().at_frame(15).center), 0.1);
  d.frames(120);
  EXPECT_LT(length(d.viewer.camera().camera().center - math::Vec3<double>{3, -1, 3}), 1e-6);
}

TEST_F(Path, IsFilmedAsTheExactRasterizerWould) {
  d.run("path seconds 1");
  d.run("path rate 5");
  const ViewCamera stands = d.viewer.camera().camera();
  d.viewer.run("path film out.mp4 161 120");
  d.frames(8);
  const test::MadeHost::FilmMade& film = d.host.films["out.mp4"];
  EXPECT_TRUE(film.finished);
  EXPECT_EQ(film.width, 160) << "films have even sides";
  EXPECT_EQ(film.frames_per_second, 5);
  ASSERT_EQ(film.frames.size(), 5U);
  EXPECT_EQ(d.viewer.camera().camera(), stands) << "the window's camera stays";
  core::ThreadPool pool(1);
  for (int i = 0; i < 5; ++i) {
    d.viewer.camera().jump_to(d.viewer.path().at_frame(i));
    const core::Image8 exact = d.viewer.exact_picture(160, 120);
    core::ImageF floats(160, 120, 3);
    for (int64_t k = 0; k < floats.data.size(); ++k) floats.data[k] = exact.data[k] / 255.0F;
    EXPECT_GE(core::measure(std::move(floats), film.frames[i], {}, pool).psnr, 35) << i;
  }
}

TEST_F(Path, AFilmThatIsCancelledIsNotFinished) {
  d.viewer.run("path film out.mp4 64 48");
  d.frames(3);
  EXPECT_GT(*d.viewer.filmed(), 0);
  d.run("path cancel");
  EXPECT_FALSE(d.host.films["out.mp4"].finished);
  EXPECT_FALSE(d.viewer.filmed().has_value());
}

TEST_F(Path, KeysAreOrderedRemovedAndVisited) {
  d.run("path order 3 1");
  EXPECT_LT(length(d.viewer.path().keys[0].position - math::Vec3<double>{3, -1, 3}), 1e-9);
  d.run("path remove 2");
  ASSERT_EQ(d.viewer.path().keys.size(), 2U);
  d.run("path go 2");
  EXPECT_LT(length(d.viewer.camera().camera().center - math::Vec3<double>{2, 0, -1}), 1e-6);
}

TEST_F(Path, ATurntableComesBackAtOneDistance) {
  d.run("path turntable");
  const CameraPath& path = d.viewer.path();
  const double distance = length(path.keys[0].position - path.keys[0].target);
  for (int i = 0; i < path.frames(); ++i) {
    const ViewCamera view = path.at_frame(i);
    EXPECT_NEAR(length(view.center - path.keys[0].target), distance, 0.01 * distance);
  }
  EXPECT_LT(length(path.at_frame(0).center - path.at_frame(path.frames() - 1).center), 1e-9);
}

TEST_F(Path, IsSavedAsRenderReadsIt) {
  const test::TemporaryFolder folder;
  const std::string file = (folder / "path.json").string();
  d.run("path save " + quoted_word(file));
  const std::string text = core::read_text_file(file);
  EXPECT_THAT(text, HasSubstr("{\"keyframes\": ["));
  EXPECT_THAT(text, HasSubstr("\"look_at\": "));
}

TEST(PathWithoutKeys, IsRefused) {
  DrivenViewer d;
  for (const char* line : {"path play", "path film a.mp4", "path save a.json", "path cancel",
                           "path go 1", "path sing"}) {
    EXPECT_THROW(d.viewer.run(line), core::Error) << line;
  }
}

}  // namespace
}  // namespace tessera::viewer
