// Points found by comparing photos: on the surface that the photos show, never in front of what
// they show as transparent, the same for any number of threads.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

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

TEST(SweptPoints, LieOnTheSurfaceWithItsColors) {
  MemoryPhotos photos = wall_photos(4, 3, 0.4);
  core::ThreadPool pool(2);
  const SweptPoints swept = swept_points(photos, photos.all(), 400, 3, pool);
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
  const SweptPoints a = swept_points(photos, photos.all(), 200, 5, one);
  const SweptPoints b = swept_points(photos, photos.all(), 200, 5, three);
  ASSERT_EQ(a.points.size(), b.points.size());
  for (size_t i = 0; i < a.points.size(); ++i) {
    EXPECT_EQ(a.points[i].position.x, b.points[i].position.x);
    EXPECT_EQ(a.points[i].position.z, b.points[i].position.z);
  }
  const SweptPoints other = swept_points(photos, photos.all(), 200, 6, one);
  EXPECT_NE(a.points[0].position.x, other.points[0].position.x);
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
  const SweptPoints swept = swept_points(photos, photos.all(), 300, 3, pool);
  ASSERT_GT(swept.points.size(), 150U);
  for (const core::ColoredPoint& point : swept.points) EXPECT_GT(point.position.y, -0.1);
}

TEST(SweptPoints, AreNoneWherePhotosHaveNothingInCommon) {
  core::ThreadPool pool(1);
  MemoryPhotos single = wall_photos(1, 1, 1);
  EXPECT_TRUE(swept_points(single, single.all(), 100, 1, pool).points.empty());
  MemoryPhotos in_one_place = wall_photos(3, 3, 0);
  EXPECT_TRUE(swept_points(in_one_place, in_one_place.all(), 100, 1, pool).points.empty());
}

}  // namespace
}  // namespace tessera::models
