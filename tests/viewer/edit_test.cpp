// Choosing, deleting, moving, undoing and saving, by commands, keys and the mouse.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/metrics.h"
#include "tests/support/viewer_fixture.h"
#include "viewer/draw/splat_state.h"

namespace tessera::viewer {
namespace {

using test::DrivenViewer;
using ::testing::HasSubstr;

class Edit : public ::testing::Test {
 protected:
  Edit() { d.run("open made.ply"); }

  const SceneItem& item() { return *d.viewer.current_item(); }
  const core::GaussianCloud& cloud() { return std::get<SplatContent>(item().content).scene->cloud; }
  const core::Array<uint8_t>& states() { return *std::get<SplatContent>(item().content).states; }
  StateCounts counts() { return count_states(states()); }
  bool selected(int64_t i) { return (states()[i] & kSelected) != 0; }
  math::Vec3<double> mean(int64_t i) {
    return {cloud().plane(0)[i], cloud().plane(1)[i], cloud().plane(2)[i]};
  }
  math::Vec3<double> pixel(int64_t i) {
    const ViewRect view = d.viewer.view_rect();
    return projection_of(d.viewer.camera().camera(), view.width, view.height, 1).pixel_of(mean(i));
  }
  core::GaussianScene saved(const std::string& words = "") {
    d.run("save x.ply " + words);
    return d.host.saved["x.ply"];
  }

  DrivenViewer d;
};

TEST_F(Edit, ShapesInThePictureChooseByCenters) {
  d.run("select rectangle 100 80 300 260");
  int64_t within = 0;
  for (int64_t i = 0; i < cloud().size(); ++i) {
    const math::Vec3<double> p = pixel(i);
    const bool inside = p.z > 0.01 && p.x >= 100 && p.x <= 300 && p.y >= 80 && p.y <= 260;
    EXPECT_EQ(selected(i), inside) << i;
    within += inside ? 1 : 0;
  }
  ASSERT_GT(within, 20);
  d.run("select polygon 100 80 300 80 100 260");
  for (int64_t i = 0; i < cloud().size(); ++i) {
    const math::Vec3<double> p = pixel(i);
    const bool inside =
        p.z > 0.01 && p.x > 100 && p.y > 80 && (p.x - 100) / 200 + (p.y - 80) / 180 < 1;
    EXPECT_EQ(selected(i), inside) << i;
  }
  d.run("select brush 40 200 200 260 200");
  for (int64_t i = 0; i < cloud().size(); ++i) {
    const math::Vec3<double> p = pixel(i);
    const double nearest =
        std::min(std::hypot(p.x - 200, p.y - 200), std::hypot(p.x - 260, p.y - 200));
    EXPECT_EQ(selected(i), p.z > 0.01 && nearest <= 40) << i;
  }
}

TEST_F(Edit, ShapesInTheSceneChooseByPlace) {
  d.run("select sphere 0 0 4 1.5");
  for (int64_t i = 0; i < cloud().size(); ++i) {
    const math::Vec3<double> p = mean(i) - math::Vec3<double>{0, 0, 4};
    EXPECT_EQ(selected(i), dot(p, p) <= 2.25);
  }
  d.run("select box -1 -1 2 1 0 6");
  for (int64_t i = 0; i < cloud().size(); ++i) {
    const math::Vec3<double> p = mean(i);
    EXPECT_EQ(selected(i), std::abs(p.x) <= 1 && p.y >= -1 && p.y <= 0 && p.z >= 2 && p.z <= 6);
  }
}

TEST_F(Edit, OperationsCombineChoices) {
  d.run("select sphere 0 0 4 1.5");
  const core::Array<uint8_t> first = states();
  d.run("select box -9 -9 0 0 9 9 add");
  const core::Array<uint8_t> both = states();
  d.run("select sphere 0 0 4 1.5 remove");
  const core::Array<uint8_t> rest = states();
  d.run("select all");
  d.run("select sphere 0 0 4 1.5 intersect");
  EXPECT_EQ(states(), first);
  for (int64_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(both[i] != 0, first[i] != 0 || mean(i).x <= 0);
    EXPECT_EQ(rest[i] != 0, first[i] == 0 && mean(i).x <= 0);
  }
  d.run("select invert");
  EXPECT_EQ(counts().selected, cloud().size() - count_states(first).selected);
  d.run("select none");
  EXPECT_EQ(counts().selected, 0);
}

TEST_F(Edit, PropertiesAndColorsChooseAndAreCounted) {
  d.run("select property opacity 0 0.25");
  int64_t faint = 0;
  for (int64_t i = 0; i < cloud().size(); ++i) {
    const double opacity = 1 / (1 + std::exp(-double{cloud().plane(core::kOpacityPlane)[i]}));
    EXPECT_EQ(selected(i), opacity <= 0.25);
    faint += opacity <= 0.25 ? 1 : 0;
  }
  ASSERT_GT(faint, 5);
  const PropertyHistogram histogram = histogram_of(item(), splat_property("opacity"), 10);
  EXPECT_EQ(std::accumulate(histogram.counts.begin(), histogram.counts.end(), 0.0F),
            static_cast<float>(cloud().size()));
  d.run("select color 0.5 0.5 0.5 0.1");
  for (int64_t i = 0; i < cloud().size(); ++i) {
    bool near = true;
    for (int c = 0; c < 3; ++c) {
      near = near && std::abs(0.28209479 * cloud().plane(core::kShPlane + c)[i]) <= 0.1;
    }
    EXPECT_EQ(selected(i), near);
  }
}

TEST_F(Edit, WhatIsDeletedIsNeitherDrawnNorSavedAndComesBackWithTheSameBytes) {
  const core::GaussianScene before = saved();
  EXPECT_EQ(before.cloud.parameters, cloud().parameters);
  const int64_t drawn = d.viewer.ordered_splats();
  d.run("select sphere 0 0 4 1.5");
  const int64_t chosen = counts().selected;
  ASSERT_GT(chosen, 3);
  d.key("Del");
  EXPECT_EQ(counts().deleted, chosen);
  EXPECT_EQ(d.viewer.ordered_splats(), drawn - chosen);
  EXPECT_EQ(saved().cloud.size(), cloud().size() - chosen);
  const ViewRect view = d.viewer.view_rect();
  core::ThreadPool pool(1);
  const core::Image8 exact = d.viewer.exact_picture(view.width, view.height);
  core::ImageF floats(exact.width, exact.height, 3);
  for (int64_t i = 0; i < floats.data.size(); ++i) floats.data[i] = exact.data[i] / 255.0F;
  EXPECT_GE(
      core::measure(std::move(floats), d.viewer.picture(view.width, view.height), {}, pool).psnr,
      35);
  d.key("Ctrl+Z");
  EXPECT_EQ(counts().deleted, 0);
  EXPECT_EQ(counts().selected, chosen);
  EXPECT_EQ(saved().cloud.parameters, before.cloud.parameters);
  d.key("Ctrl+Shift+Z");
  EXPECT_EQ(counts().deleted, chosen);
}

TEST_F(Edit, HiddenSplatsAreSavedAndNotChosen) {
  d.run("select sphere 0 0 4 1.5");
  const int64_t chosen = counts().selected;
  d.key("X");
  EXPECT_EQ(counts().hidden, chosen);
  EXPECT_EQ(saved().cloud.size(), cloud().size());
  d.key("Ctrl+A");
  EXPECT_EQ(counts().selected, cloud().size() - chosen);
  EXPECT_EQ(saved("selection").cloud.size(), cloud().size() - chosen);
  d.key("U");
  EXPECT_EQ(counts().hidden, 0);
}

TEST_F(Edit, CropDeletesWhatIsOutside) {
  d.run("crop -1 -1 2 1 1 6");
  for (int64_t i = 0; i < cloud().size(); ++i) {
    const math::Vec3<double> p = mean(i);
    const bool inside = std::abs(p.x) <= 1 && std::abs(p.y) <= 1 && p.z >= 2 && p.z <= 6;
    EXPECT_EQ((states()[i] & kDeleted) == 0, inside);
  }
}

TEST_F(Edit, MovedScenesAreSavedWhereTheyStandAndBackAgain) {
  const core::GaussianScene before = saved();
  d.run("rotate 0 1 0 90");
  d.run("scale 2");
  d.run("move 1 2 3");
  const core::GaussianScene moved = saved();
  const core::Similarity placement = item().placement;
  for (int64_t i = 0; i < cloud().size(); ++i) {
    const math::Vec3<double> p = placement(mean(i));
    EXPECT_NEAR(moved.cloud.plane(0)[i], p.x, 1e-5);
    EXPECT_NEAR(moved.cloud.plane(2)[i], p.z, 1e-5);
    EXPECT_NEAR(moved.cloud.plane(core::kLogScalePlane)[i],
                before.cloud.plane(core::kLogScalePlane)[i] + std::log(2), 1e-5);
  }
  for (int i = 0; i < 3; ++i) d.key("Ctrl+Z");
  EXPECT_EQ(saved().cloud.parameters, before.cloud.parameters);
}

TEST_F(Edit, UndoGoesOverTheListOfScenes) {
  d.run("rename first");
  d.run("duplicate");
  d.run("remove");
  d.run("choose 1");
  d.run("remove");
  EXPECT_TRUE(d.viewer.items().empty());
  d.run("undo");
  d.run("undo");
  ASSERT_EQ(d.viewer.items().size(), 2U);
  d.run("undo");
  d.run("undo");
  ASSERT_EQ(d.viewer.items().size(), 1U);
  EXPECT_EQ(d.viewer.items()[0].name, "made.ply");
  EXPECT_THROW(d.viewer.run("undo"), core::Error);
  for (int i = 0; i < 4; ++i) d.run("redo");
  EXPECT_TRUE(d.viewer.items().empty());
  EXPECT_THROW(d.viewer.run("redo"), core::Error);
}

TEST_F(Edit, UnsavedEditsAskOnClosing) {
  d.run("select sphere 0 0 4 1.5");
  d.run("delete");
  d.run("quit");
  EXPECT_FALSE(d.viewer.quit_wanted());
  EXPECT_TRUE(d.viewer.shown().unsaved);
  d.key("Esc");
  EXPECT_FALSE(d.viewer.shown().unsaved);
  d.run("save x.ply");
  d.run("quit");
  EXPECT_TRUE(d.viewer.quit_wanted());
}

TEST_F(Edit, ChoicesAndWhatWasUndoneAreNothingToSave) {
  d.run("scale 2");
  d.run("undo");
  d.run("select all");
  EXPECT_FALSE(d.viewer.history().unsaved());
  d.run("scale 3");
  EXPECT_TRUE(d.viewer.history().unsaved());
  d.run("undo");
  d.run("quit");
  EXPECT_TRUE(d.viewer.quit_wanted());
}

TEST_F(Edit, AnywayClosesWithEdits) {
  d.run("scale 2");
  d.run("quit anyway");
  EXPECT_TRUE(d.viewer.quit_wanted());
}

TEST_F(Edit, TheMouseDrawsWhatCommandsChoose) {
  const ViewRect view = d.viewer.view_rect();
  d.run("select rectangle 100 80 300 260");
  const core::Array<uint8_t> by_command = states();
  d.run("select none");
  d.key("R");
  d.drag(MouseButton::kLeft, view.x + 100, view.y + 80, view.x + 300, view.y + 260);
  EXPECT_EQ(states(), by_command);
  d.modifiers.control = true;
  d.drag(MouseButton::kLeft, view.x + 100, view.y + 80, view.x + 300, view.y + 260);
  d.modifiers = {};
  EXPECT_EQ(counts().selected, 0);

  d.run("select polygon 100 80 300 80 100 260");
  const core::Array<uint8_t> triangle = states();
  d.run("select none");
  d.key("P");
  const double corners[3][2] = {{100, 80}, {300, 80}, {100, 260}};
  for (const auto& [x, y] : corners) {
    d.frames(4, 0.1);
    d.move(view.x + x, view.y + y);
    d.button(MouseButton::kLeft, true, view.x + x, view.y + y);
    d.button(MouseButton::kLeft, false, view.x + x, view.y + y);
  }
  d.button(MouseButton::kLeft, true, view.x + 100, view.y + 260);
  d.button(MouseButton::kLeft, false, view.x + 100, view.y + 260);
  d.settle();
  EXPECT_EQ(states(), triangle);
  EXPECT_GT(count_states(triangle).selected, 10);

  d.run("select none");
  d.key("B");
  d.run("brush 60");
  d.drag(MouseButton::kLeft, view.x + 150, view.y + 150, view.x + 250, view.y + 150);
  EXPECT_GT(counts().selected, 10);
  d.key("V");
  const ViewCamera before = d.viewer.camera().camera();
  d.drag(MouseButton::kLeft, d.middle_x(), d.middle_y(), d.middle_x() + 50, d.middle_y());
  EXPECT_NE(d.viewer.camera().camera(), before) << "the button moves the camera again";
}

TEST_F(Edit, WhatCannotBeMeantIsAnswered) {
  const std::pair<const char*, const char*> kRefused[] = {
      {"select ring", "is by all, none"},
      {"select rectangle 1 2 3", "X0 Y0 X1 Y1"},
      {"select polygon 1 2 3 4", "three corners"},
      {"select polygon 1 2 3 4 5", "pairs of numbers"},
      {"select property weight 0 1", "is one of opacity"},
      {"delete", "no splat is chosen"},
      {"save x.ply everything", "a file and selection"},
      {"save x", "has no extension"},
      {"tool fork", "is one of none, rectangle"},
      {"rotate 0 0 0 90", "an axis that is not 0"},
      {"crop -99 -99 -99 99 99 99", "all splats are in this box"},
  };
  for (const auto& [line, words] : kRefused) {
    try {
      d.viewer.run(line);
      ADD_FAILURE() << line << " was not refused";
    } catch (const core::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(words)) << line;
    }
  }
  EXPECT_TRUE(d.viewer.history().undo_name().empty());
}

}  // namespace
}  // namespace tessera::viewer
