// Points found by comparing photos: on the surface that the photos show, never in front of what
// they show as transparent, the same for any number of threads.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>

#include "distributed/backends/lone_rank.h"
#include "distributed/backends/threads.h"
#include "models/gaussian/sweep_start.h"
#include "tests/models/synthetic.h"

namespace tessera::models {
namespace {

constexpr double kWall = -1.5;  // the textured plane z = kWall, 4 wide

// A texture without a period, so that a patch of it is found in one place only.
double texture(double x, double y, int channel) {
  const double phase = 2.1 * channel;
  return 127 + 60 * std::sin(5.1 * x + 3.3 * y + phase) + 60 * std::sin(9.7 * y - 4.4 * x * y);
}

// Photos of the wall from cameras that stand on a grid before it; beside it they are transparent.
MemoryPhotos wall_photos(int columns, int rows, double step) {
  MemoryPhotos photos;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      MemoryPhotos::View view;
      core::Camera& camera = view.camera.camera;
      camera.width = 96;
      camera.height = 72;
      camera.fx = camera.fy = 100;
      camera.cx = 48;
      camera.cy = 36;
      // It looks along -z, upright.
      core::Rigid& pose = view.camera.cam_from_world;
      pose.rotation = math::Mat3<double>{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
      const math::Vec3<double> center = {step * (column - 0.5 * (columns - 1)),
                                         step * (row - 0.5 * (rows - 1)), 2};
      pose.translation = -(pose.rotation * center);
      view.photo.pixels = core::Image8(camera.width, camera.height, 4);
      for (int v = 0; v < camera.height; ++v) {
        for (int u = 0; u < camera.width; ++u) {
          const double depth = center.z - kWall;
          const double x = center.x + depth * (u + 0.5 - camera.cx) / camera.fx;
          const double y = center.y - depth * (v + 0.5 - camera.cy) / camera.fy;
          const bool wall = std::fabs(x) < 1.2;
          uint8_t* pixel = &view.photo.pixels.at(u, v);
          for (int c = 0; c < 3; ++c) {
            pixel[c] = static_cast<uint8_t>(std::lround(texture(x, y, c) / 1.1));
          }
          pixel[3] = wall ? 255 : 0;
        }
      }
      photos.views.push_back(view);
    }
  }
  return photos;
}

SweptPoints swept_alone(MemoryPhotos& photos, int64_t count, uint64_t seed,
                        core::ThreadPool& pool) {
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  return swept_points(photos, photos.all(), count, seed, *alone, pool);
}

TEST(SweptPoints, LieOnTheSurfaceWithItsColors) {
  MemoryPhotos photos = wall_photos(4, 3, 0.4);
  core::ThreadPool pool(2);
  const SweptPoints swept = swept_alone(photos, 400, 3, pool);
  ASSERT_GT(swept.points.size(), 300U);
  ASSERT_EQ(swept.spacing.size(), swept.points.size());
  int on_wall = 0, of_its_color = 0;
  for (size_t i = 0; i < swept.points.size(); ++i) {
    const auto& p = swept.points[i].position;
    EXPECT_LT(std::fabs(p.x), 1.3);
    const bool close = std::fabs(p.z - kWall) < 0.1;  // of 3.5 from the cameras
    on_wall += close ? 1 : 0;
    const double red = texture(p.x, p.y, 0) / 1.1;
    of_its_color += close && std::fabs(swept.points[i].rgb[0] - red) < 25 ? 1 : 0;
  }
  EXPECT_GT(on_wall, static_cast<int>(0.95 * static_cast<double>(swept.points.size())));
  EXPECT_GT(of_its_color, static_cast<int>(0.95 * on_wall));
  // 400 points spread over a photo of 96x72 lie 4.2 pixels apart, each of 3.5 / 100.
  EXPECT_NEAR(swept.spacing[0], 4.157 * 0.035, 0.01);
}

TEST(SweptPoints, AreTheSameForAnyNumberOfThreads) {
  MemoryPhotos photos = wall_photos(3, 3, 0.4);
  core::ThreadPool one(1), three(3);
  const SweptPoints a = swept_alone(photos, 200, 5, one);
  const SweptPoints b = swept_alone(photos, 200, 5, three);
  ASSERT_EQ(a.points.size(), b.points.size());
  for (size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_EQ(a.points[i].position.x, b.points[i].position.x);
    EXPECT_EQ(a.points[i].position.z, b.points[i].position.z);
  }
  const SweptPoints other = swept_alone(photos, 200, 6, one);
  EXPECT_NE(a.points[0].position.x, other.points[0].position.x);
}

// Keeps in mind how often photos were asked for.
class CountedPhotos : public MemoryPhotos {
 public:
  std::shared_ptr<const core::Photo> photo(int view) override {
    ++asked;
    return MemoryPhotos::photo(view);
  }
  int asked = 0;
};

TEST(SweptPoints, AreTheSameOnAllRanksOfWhichOneLooksAtEachPhoto) {
  CountedPhotos photos;
  photos.views = wall_photos(4, 3, 0.4).views;
  photos.views[5].photo.mask = core::Image8(96, 72, 1);
  core::ThreadPool pool(1);
  const SweptPoints alone = swept_alone(photos, 200, 5, pool);
  EXPECT_EQ(photos.asked, 12);
  std::atomic<int> asked = 0;
  distributed::run_in_threads(3, [&](distributed::Communicator& ranks) {
    CountedPhotos own;
    own.views = photos.views;
    core::ThreadPool threads(1);
    const SweptPoints swept = swept_points(own, own.all(), 200, 5, ranks, threads);
    asked += own.asked;
    EXPECT_EQ(swept.spacing, alone.spacing);
    ASSERT_EQ(swept.points.size(), alone.points.size());
    for (size_t i = 0; i < alone.points.size(); ++i) {
      EXPECT_EQ(swept.points[i].position.x, alone.points[i].position.x);
      EXPECT_EQ(swept.points[i].position.z, alone.points[i].position.z);
      EXPECT_EQ(swept.points[i].rgb[1], alone.points[i].rgb[1]);
    }
  });
  EXPECT_EQ(asked, 12);
}

TEST(SweptPoints, LeaveOutWhatIsMasked) {
  MemoryPhotos photos = wall_photos(4, 3, 0.4);
  for (MemoryPhotos::View& view : photos.views) {
    view.photo.mask = core::Image8(96, 72, 1);
    for (int v = 0; v < 72; ++v) {
      for (int u = 0; u < 96; ++u) {
        const auto& center = center_in_world(view.camera.cam_from_world);
        const double y = center.y - 3.5 * (v + 0.5 - 36) / 100;
        view.photo.mask.at(u, v) = y > 0 ? 255 : 0;
      }
    }
  }
  core::ThreadPool pool(1);
  const SweptPoints swept = swept_alone(photos, 300, 3, pool);
  ASSERT_GT(swept.points.size(), 150U);
  for (const core::ColoredPoint& point : swept.points) EXPECT_GT(point.position.y, -0.1);
}

TEST(SweptPoints, AreNoneWherePhotosHaveNothingInCommon) {
  core::ThreadPool pool(1);
  MemoryPhotos single = wall_photos(1, 1, 1);
  EXPECT_TRUE(swept_alone(single, 100, 1, pool).points.empty());
  MemoryPhotos in_one_place = wall_photos(3, 3, 0);
  EXPECT_TRUE(swept_alone(in_one_place, 100, 1, pool).points.empty());
}

}  // namespace
}  // namespace tessera::models
