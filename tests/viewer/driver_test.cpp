// The viewer driven by commands, keys and the mouse.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/metrics.h"
#include "tests/support/viewer_fixture.h"

namespace tessera::viewer {
namespace {

using test::DrivenViewer;
using ::testing::HasSubstr;

double length(math::Vec3<double> v) {
  return std::sqrt(dot(v, v));
}

double psnr(const core::Image8& a, const core::Image8& b) {
  core::ThreadPool pool(1);
  core::ImageF floats(a.width, a.height, a.channels);
  for (int64_t i = 0; i < a.data.size(); ++i) floats.data[i] = a.data[i] / 255.0F;
  return core::measure(std::move(floats), b, {}, pool).psnr;
}

TEST(Commands, NamesAreUniqueAndActionsRunThem) {
  std::set<std::string_view> names;
  for (const CommandEntry& command : commands()) EXPECT_TRUE(names.insert(command.name).second);
  std::set<std::string_view> keys;
  for (const ActionEntry& action : actions()) {
    EXPECT_TRUE(names.contains(split_line(action.line)[0])) << action.line;
    if (action.key.empty()) continue;
    EXPECT_TRUE(parse_chord(action.key).has_value()) << action.key;
    EXPECT_TRUE(keys.insert(action.key).second) << action.key << " does two things";
  }
}

TEST(Commands, WordsAreQuoted) {
  EXPECT_EQ(split_line("  view  a b "), (Words{"view", "a", "b"}));
  const std::string odd = "a \"b\\ c";
  EXPECT_EQ(split_line("view " + quoted_word(odd)), (Words{"view", odd}));
  EXPECT_THROW(split_line("view \"open"), core::UsageError);
}

TEST(Commands, ThatCannotBeMeantAreAnsweredBySentences) {
  DrivenViewer d;
  const std::pair<const char*, const char*> kRefused[] = {
      {"opn x", "did you mean open?"},
      {"mode blur", "is one of splats, centers"},
      {"fov wide", "takes a number"},
      {"camera 1 2 3", "a number is missing"},
      {"bookmark 4", "Ctrl+4 sets it"},
      {"bookmark 12", "is 1 to 9"},
      {"save x.ply", "nothing is open"},
      {"remove", "nothing is open"},
      {"cameras maybe", "takes on or off"},
      {"view x", "has a photo x"},
      {"camera 0 0 0 0 0 0", "cannot look at where it stands"},
      {"screenshot a.png 0 5", "1 to 16384 pixels"},
  };
  for (const auto& [line, words] : kRefused) {
    try {
      d.viewer.run(line);
      ADD_FAILURE() << line << " was not refused";
    } catch (const core::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(words)) << line;
    }
  }
}

TEST(Driver, OpensASceneAndShowsItAsTheExactRasterizerDoes) {
  DrivenViewer d;
  d.run("open made.ply");
  ASSERT_EQ(d.viewer.items().size(), 1U);
  EXPECT_EQ(d.viewer.items()[0].name, "made.ply");
  const ViewRect view = d.viewer.view_rect();
  const core::Image8 exact = d.viewer.exact_picture(view.width, view.height);
  const core::Image8 window = d.canvas.read();
  core::Image8 part;
  core::crop(window, {view.x, view.y, view.width, view.height}, part);
  EXPECT_GE(psnr(exact, part), 35);
  EXPECT_GE(psnr(exact, d.viewer.picture(view.width, view.height)), 35);
}

TEST(Driver, ABrokenFileShowsItsSentence) {
  DrivenViewer d;
  d.run("open nothing.ply");
  ASSERT_EQ(d.viewer.notices().size(), 1U);
  EXPECT_TRUE(d.viewer.notices()[0].is_error);
  EXPECT_THAT(d.viewer.notices()[0].text, HasSubstr("nothing.ply: is no scene"));
  d.key("Esc");
  EXPECT_TRUE(d.viewer.notices().empty());
}

TEST(Driver, FilesThatAreDroppedAreOpened) {
  DrivenViewer d;
  InputEvent event;
  event.kind = InputEvent::Kind::kDrop;
  event.dropped = {"made.ply", "capture", "points.ply"};
  d.viewer.handle(event);
  d.settle();
  ASSERT_EQ(d.viewer.items().size(), 3U);
  EXPECT_EQ(d.viewer.items()[1].name, "capture");
}

TEST(Driver, ListIsShownRenamedOrderedDuplicatedAndClosed) {
  DrivenViewer d;
  d.run("open made.ply other.ply");
  EXPECT_EQ(d.viewer.current_item()->name, "other.ply");
  d.run("rename \"my scene\"");
  d.run("order -1");
  EXPECT_EQ(d.viewer.items()[0].name, "my scene");
  d.run("choose 2");
  d.run("duplicate");
  ASSERT_EQ(d.viewer.items().size(), 3U);
  EXPECT_EQ(d.viewer.items()[2].name, "made.ply copy");
  const int64_t with_copy = d.viewer.ordered_splats();
  d.run("show off");
  EXPECT_LT(d.viewer.ordered_splats(), with_copy);
  d.run("remove");
  d.run("choose 1");
  d.run("remove");
  ASSERT_EQ(d.viewer.items().size(), 1U);
  const ViewRect view = d.viewer.view_rect();
  EXPECT_GE(psnr(d.viewer.exact_picture(view.width, view.height),
                 d.viewer.picture(view.width, view.height)),
            35);
}

TEST(Driver, LeftDragTurnsAroundThePivot) {
  DrivenViewer d;
  d.run("open made.ply");
  const ViewCamera before = d.viewer.camera().camera();
  d.drag(MouseButton::kLeft, d.middle_x(), d.middle_y(), d.middle_x() + 120, d.middle_y() + 30);
  const ViewCamera after = d.viewer.camera().camera();
  EXPECT_LT(length(after.pivot() - before.pivot()), 1e-6);
  EXPECT_GT(length(after.center - before.center), 0.1);
  EXPECT_NEAR(dot(after.right(), d.viewer.camera().up()), 0, 1e-9) << "the horizon stays level";
}

TEST(Driver, RightDragMovesSidewaysAsFarAsTheHand) {
  DrivenViewer d;
  d.run("open made.ply");
  const ViewCamera before = d.viewer.camera().camera();
  d.drag(MouseButton::kRight, d.middle_x(), d.middle_y(), d.middle_x() + 50, d.middle_y());
  const ViewCamera after = d.viewer.camera().camera();
  const ViewRect view = d.viewer.view_rect();
  const double pixel =
      2 * std::tan(before.fov_y * M_PI / 360) * before.pivot_distance / view.height;
  EXPECT_NEAR(dot(before.center - after.center, before.right()), 50 * pixel, 1e-6);
}

TEST(Driver, WheelGoesNearerToTheCursorWhichStaysOnItsPlace) {
  DrivenViewer d;
  d.run("open made.ply");
  const double x = d.middle_x() + 100, y = d.middle_y() - 60;
  d.move(x, y);
  const ViewRect view = d.viewer.view_rect();
  const auto at_cursor = [&] {
    const ViewCamera camera = d.viewer.camera().camera();
    const Ray ray =
        ray_of(projection_of(camera, view.width, view.height, 10), {x - view.x, y - view.y});
    return ray.origin + camera.pivot_distance * ray.direction;
  };
  const double distance = d.viewer.camera().camera().pivot_distance;
  const math::Vec3<double> before = at_cursor();
  d.wheel(3);
  EXPECT_NEAR(d.viewer.camera().camera().pivot_distance, distance * std::pow(0.88, 3), 1e-6);
  EXPECT_LT(length(at_cursor() - before), 1e-6);
}

TEST(Driver, DoubleClickSetsThePivotOnWhatIsSeen) {
  DrivenViewer d;
  d.run("open points.ply");
  d.run("camera 0 0 -1 0 0 2");
  const math::Vec3<double> point = {1, 0, 3};
  const ViewRect view = d.viewer.view_rect();
  const math::Vec3<double> pixel =
      projection_of(d.viewer.camera().camera(), view.width, view.height, 10).pixel_of(point);
  for (int i = 0; i < 2; ++i) {
    d.button(MouseButton::kLeft, true, view.x + pixel.x, view.y + pixel.y);
    d.button(MouseButton::kLeft, false, view.x + pixel.x, view.y + pixel.y);
  }
  d.settle();
  EXPECT_LT(length(d.viewer.camera().camera().pivot() - point), 0.02);
}

TEST(Driver, FlyKeysMoveByTheSameForAnyFrameRate) {
  double gone[2];
  for (const int per_second : {20, 120}) {
    DrivenViewer d;
    d.run("open made.ply");
    const math::Vec3<double> before = d.viewer.camera().camera().center;
    InputEvent event;
    event.kind = InputEvent::Kind::kKey;
    event.key = Key::kW;
    event.down = true;
    d.viewer.handle(event);
    for (int i = 0; i < per_second / 2; ++i) {
      d.viewer.frame(d.canvas.framebuffer(), DrivenViewer::kWidth, DrivenViewer::kHeight, 1,
                     1.0 / per_second);
    }
    event.down = false;
    d.viewer.handle(event);
    d.settle();
    gone[per_second == 20 ? 0 : 1] = length(d.viewer.camera().camera().center - before);
  }
  EXPECT_GT(gone[0], 0.1);
  EXPECT_NEAR(gone[0], gone[1], 1e-6 * gone[0]);
}

TEST(Driver, KeysGoHomeFrameAndBookmark) {
  DrivenViewer d;
  d.run("open made.ply");
  const ViewCamera home = d.viewer.camera().camera();
  d.key("Ctrl+1");
  d.drag(MouseButton::kLeft, d.middle_x(), d.middle_y(), d.middle_x() + 80, d.middle_y());
  const ViewCamera turned = d.viewer.camera().camera();
  EXPECT_NE(turned, home);
  d.key("1");
  EXPECT_EQ(d.viewer.camera().camera(), home);
  d.key("F");
  EXPECT_NE(d.viewer.camera().camera(), home);
  d.key("H");
  EXPECT_EQ(d.viewer.camera().camera(), home);
  d.key("O");
  EXPECT_TRUE(d.viewer.camera().camera().orthographic);
  d.key("Shift+F");
  EXPECT_FALSE(d.viewer.camera().camera().orthographic);
}

TEST(Driver, AnOrthographicViewShowsThePivotsPlaneAlike) {
  DrivenViewer d;
  d.run("open points.ply");
  d.run("camera 0 0 -1 0 0 2");
  const ViewRect view = d.viewer.view_rect();
  const auto pixel_of_first = [&] {
    return projection_of(d.viewer.camera().camera(), view.width, view.height, 10)
        .pixel_of({0.5, 0.25, 2});
  };
  const math::Vec3<double> perspective = pixel_of_first();
  d.run("orthographic on");
  EXPECT_NEAR(pixel_of_first().x, perspective.x, 1e-6);
  EXPECT_NEAR(pixel_of_first().y, perspective.y, 1e-6);
}

TEST(Driver, ViewStandsWhereThePhotoWasTaken) {
  DrivenViewer d;
  d.run("open capture");
  d.run("view \"photo 2\"");
  EXPECT_LT(length(d.viewer.camera().camera().center - math::Vec3<double>{1, 0, 0}), 1e-9);
}

TEST(Driver, ScreenshotsAndScenesAreSaved) {
  DrivenViewer d;
  d.run("open made.ply");
  d.run("screenshot a.png 320 200");
  d.run("screenshot b.png 320 200 exact");
  ASSERT_EQ(d.host.pictures["a.png"].width, 320);
  EXPECT_GE(psnr(d.host.pictures["a.png"], d.host.pictures["b.png"]), 35);
  d.run("save \"out file.ply\"");
  EXPECT_EQ(d.host.saved["out file.ply"].cloud.size(), 400);
}

TEST(Driver, ModesDrawWhatTheySay) {
  DrivenViewer d;
  d.run("open made.ply");
  const auto drawn = [&](const std::string& mode) {
    d.run("mode " + mode);
    return d.viewer.picture(120, 90);
  };
  std::vector<core::Image8> pictures;
  for (const DrawModeEntry& mode : kDrawModes) pictures.push_back(drawn(std::string(mode.name)));
  for (size_t i = 0; i < pictures.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      EXPECT_LT(psnr(pictures[i], pictures[k]), 30)
          << kDrawModes[i].name << " looks like " << kDrawModes[k].name;
    }
  }
}

TEST(Driver, LightAndDarkAndLargerTextAreDrawn) {
  DrivenViewer d;
  const core::Image8 dark = d.canvas.read();
  d.run("dark off");
  d.frames(2);
  const core::Image8 light = d.canvas.read();
  EXPECT_LT(dark.at(5, 300), 60);
  EXPECT_GT(light.at(5, 300), 180);
  d.run("font 2");
  d.frames(2);
  EXPECT_LT(psnr(light, d.canvas.read()), 30);
}

}  // namespace
}  // namespace tessera::viewer
