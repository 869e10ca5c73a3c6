// A training that is watched and steered from the viewer.
// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/support/viewer_fixture.h"

namespace tessera::viewer {
namespace {

using test::DrivenViewer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WatchedRun : public ::testing::Test {
 protected:
  WatchedRun() {
    const std::lock_guard lock(d.host.training->mutex);
    d.host.training->figures.attached = true;
    d.host.training->figures.phase = "training";
    d.host.training->figures.steps = 100;
  }

  void trained(int64_t step, int64_t gaussians, std::vector<uint16_t> owners = {}) {
    test::RandomCloud spec;
    spec.count = gaussians;
    core::GaussianScene scene;
    scene.cloud = test::random_cloud(spec, test::pinhole_camera(64, 48));
    const std::lock_guard lock(d.host.training->mutex);
    d.host.training->scene = {step, std::make_shared<core::GaussianScene>(std::move(scene)),
                              std::move(owners)};
    d.host.training->figures.step = step;
  }
  // Frames until the list's scene has so many splats.
  bool shows(int64_t gaussians) {
    for (int i = 0; i < 500; ++i) {
      d.frames(1);
      if (!d.viewer.items().empty()) {
        const auto& content = std::get<SplatContent>(d.viewer.items()[0].content);
        if (content.scene->cloud.size() == gaussians) return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  math::Vec3<float> color_of(int64_t i) {
    const core::GaussianCloud& cloud =
        std::get<SplatContent>(d.viewer.items()[0].content).scene->cloud;
    const auto channel = [&](int c) {
      return 0.5F + 0.28209479F * cloud.plane(core::kShPlane + c)[i];
    };
    return {channel(0), channel(1), channel(2)};
  }

  DrivenViewer d;
};

TEST_F(WatchedRun, ShowsTheSceneAsItIsTrained) {
  trained(10, 50);
  d.run("attach run");
  ASSERT_TRUE(shows(50));
  EXPECT_EQ(d.viewer.items()[0].name, "run (training)");
  trained(20, 80);
  ASSERT_TRUE(shows(80));
  EXPECT_EQ(d.viewer.items().size(), 1U);
  d.settle();
  EXPECT_GT(d.viewer.ordered_splats(), 40);
  d.run("detach");
  EXPECT_EQ(d.viewer.training(), nullptr);
  EXPECT_EQ(d.viewer.items().size(), 1U) << "the last scene stays";
}

TEST_F(WatchedRun, APictureStandsUntilTheNextCanBeDrawn) {
  trained(10, 50);
  d.run("attach run");
  ASSERT_TRUE(shows(50));
  d.settle();
  const ViewRect view = d.viewer.view_rect();
  const auto lit = [&] {
    core::Image8 part;
    core::crop(d.canvas.read(), {view.x, view.y, view.width, view.height}, part);
    return std::count_if(part.data.begin(), part.data.end(), [](uint8_t v) { return v > 40; });
  };
  const int64_t at_first = lit();
  ASSERT_GT(at_first, 1000);
  for (int64_t step = 11; step < 16; ++step) {
    trained(step, 50 + step);
    for (int i = 0; i < 20; ++i) {
      d.frames(1);
      EXPECT_GT(lit(), at_first / 2) << "step " << step << ", frame " << i;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

TEST_F(WatchedRun, IsSteered) {
  d.run("attach run");
  for (const char* line : {"train pause", "train resume", "train save", "train stop"}) d.run(line);
  EXPECT_THAT(d.host.training->asked,
              ElementsAre("watch 0.030000", "pause", "resume", "save", "stop"));
  {
    const std::lock_guard lock(d.host.training->mutex);
    d.host.training->figures.attached = false;
  }
  try {
    d.viewer.run("train pause");
    ADD_FAILURE() << "was not refused";
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not answer"));
  }
}

TEST_F(WatchedRun, IsStartedWithItsOptions) {
  d.run("train \"my photos\" run -r 4 -n 500");
  EXPECT_THAT(d.host.started, ElementsAre("my photos", "run", "-r", "4", "-n", "500"));
  EXPECT_NE(d.viewer.training(), nullptr);
}

TEST_F(WatchedRun, RanksHaveColors) {
  trained(10, 60, [] {
    std::vector<uint16_t> owners(60);
    for (size_t i = 0; i < owners.size(); ++i) owners[i] = static_cast<uint16_t>(i % 3);
    return owners;
  }());
  d.run("attach run");
  ASSERT_TRUE(shows(60));
  d.run("owners on");
  for (int i = 0; i < 200; ++i) {
    d.frames(1);
    const math::Vec3<float> c = color_of(4), owner = owner_color(1);
    if (std::abs(c.x - owner.x) < 1e-3 && std::abs(c.y - owner.y) < 1e-3) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  for (int64_t i = 0; i < 60; ++i) {
    const math::Vec3<float> c = color_of(i), owner = owner_color(static_cast<int>(i % 3));
    EXPECT_NEAR(c.x, owner.x, 1e-3) << i;
    EXPECT_NEAR(c.y, owner.y, 1e-3) << i;
    EXPECT_NEAR(c.z, owner.z, 1e-3) << i;
  }
}

TEST_F(WatchedRun, AFolderWithoutARunIsRefused) {
  EXPECT_THROW(d.viewer.run("attach elsewhere"), core::IoError);
  EXPECT_THROW(d.viewer.run("train pause"), core::Error);
  EXPECT_THROW(d.viewer.run("owners"), core::Error);
}

}  // namespace
}  // namespace tessera::viewer
