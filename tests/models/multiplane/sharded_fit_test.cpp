// A fit over ranks is that of one rank bit by bit, and sends what its strips and rows say.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <vector>

#include "distributed/backends/threads.h"
#include "models/multiplane/fit.h"
#include "models/multiplane/sharded/fit_share.h"
#include "models/multiplane/sharded/strips.h"

namespace tessera::models {
namespace {

constexpr int kWidth = 60;
constexpr int kHeight = 100;

// Of a slanted wall; the camera stands at (x, y) and is turned about its axis.
PosedPhoto photo_from(double x, double y, double roll_deg) {
  PosedPhoto photo;
  core::Camera& camera = photo.camera.camera;
  camera.width = kWidth;
  camera.height = kHeight;
  camera.fx = camera.fy = 80;
  camera.cx = 0.5 * kWidth;
  camera.cy = 0.5 * kHeight;
  const double roll = roll_deg * M_PI / 180;
  math::Mat3<double> turn = math::Mat3<double>::identity();
  turn.m[0][0] = turn.m[1][1] = std::cos(roll);
  turn.m[0][1] = -std::sin(roll);
  turn.m[1][0] = std::sin(roll);
  photo.camera.cam_from_world.rotation = turn;
  photo.camera.cam_from_world.translation = turn * math::Vec3<double>{-x, -y, 0};
  photo.pixels.resize(kWidth, kHeight, 3);
  const core::Rigid world_from_camera = photo.camera.cam_from_world.inverse();
  for (int v = 0; v < kHeight; ++v) {
    for (int u = 0; u < kWidth; ++u) {
      const math::Vec3<double> ray =
          world_from_camera.rotation * math::Vec3<double>{(u + 0.5 - camera.cx) / camera.fx,
                                                          (v + 0.5 - camera.cy) / camera.fy, 1};
      // z = 3 + 0.3 y
      const double depth = (3 + 0.3 * y) / (ray.z - 0.3 * ray.y);
      const double at_x = x + depth * ray.x, at_y = y + depth * ray.y;
      for (int c = 0; c < 3; ++c) {
        const double value =
            120 + 50 * std::sin(9 * at_x + 5 * at_y + c) + 50 * std::sin(4 * at_x - 11 * at_y);
        photo.pixels.at(u, v, c) = static_cast<uint8_t>(std::lround(value));
      }
    }
  }
  return photo;
}

std::vector<PosedPhoto> photos() {
  std::vector<PosedPhoto> photos = {photo_from(0, 0, 0), photo_from(-0.2, 0.05, 0),
                                    photo_from(0.1, 0.2, 3), photo_from(0.05, -0.2, 180),
                                    photo_from(-0.05, 0.1, 90)};
  photos[1].mask.resize(kWidth, kHeight, 1);
  photos[1].mask.data.fill(255);
  for (int x = 0; x < kWidth / 2; ++x) photos[1].mask.at(x, 40) = 0;
  return photos;
}

FitSettings settings(int steps) {
  FitSettings settings;
  settings.planes = 6;
  settings.steps = steps;
  return settings;
}

struct Fitted {
  core::MultiplaneImage image;
  std::vector<double> losses;
  int64_t bytes = 0;  // of texels and their gradients, sent by all ranks
};

Fitted fitted(int ranks, int steps) {
  Fitted result;
  std::mutex mutex;
  distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
    core::ThreadPool pool(1);
    std::vector<double> losses;
    core::MultiplaneImage image =
        fit_multiplane(photos(), settings(steps), communicator, pool, [&](int, double loss) {
          losses.push_back(loss);
          return true;
        });
    const std::lock_guard lock(mutex);
    for (const distributed::Traffic& row : communicator.traffic()) {
      if (row.tag.starts_with("texel")) result.bytes += row.bytes_sent;
    }
    if (communicator.rank() != 0) {
      EXPECT_TRUE(image.layers.empty());
      return;
    }
    result.image = std::move(image);
    result.losses = losses;
  });
  return result;
}

TEST(ShardedFit, AnyNumberOfRanksGivesTheSameBits) {
  const Fitted alone = fitted(1, 8);
  EXPECT_EQ(alone.bytes, 0);
  EXPECT_LT(alone.losses.back(), 0.8 * alone.losses.front());
  for (const int ranks : {2, 3, 5, 8}) {
    SCOPED_TRACE(ranks);
    const Fitted shared = fitted(ranks, 8);
    EXPECT_EQ(shared.image.layers, alone.image.layers);
    EXPECT_EQ(shared.image.pages, alone.image.pages);
    for (size_t i = 0; i < alone.losses.size(); ++i) {
      EXPECT_NEAR(shared.losses[i], alone.losses[i], 1e-12);
    }
    EXPECT_GT(shared.bytes, 0);
  }
}

TEST(ShardedFit, SendsTheRowsThatStripsNeedOfOthers) {
  constexpr int kRanks = 3;
  const std::vector<PosedPhoto> taken = photos();
  const core::PosedCamera& reference = taken[reference_photo(taken)].camera;
  int64_t per_step = 0;
  int64_t at_the_end = 0;
  std::mutex mutex;
  distributed::run_in_threads(kRanks, [&](distributed::Communicator& ranks) {
    core::ThreadPool pool(1);
    const InverseDepthRange range = swept_range(taken, reference, pool);
    const core::PixelWindow window = {-10, -20, 80, 140};
    const RowRange all = {window.top, window.bottom()};
    const std::vector<core::MultiplaneLayer> planes = planes_between(range, 6, window);
    const std::vector<SharedPhoto> shared = shared_photos(taken, reference, planes, all, ranks);
    const int self = ranks.rank();
    const RowRange held = held_rows(shared, all, kSweptMargin, self, kRanks);
    core::PixelWindow part = window;
    part.top = held.begin;
    part.height = held.count();
    FitShare share(swept_multiplane(taken, reference, part, range, 6, pool), all, held, ranks,
                   pool);
    for (const SharedPhoto& photo : shared) share.step(photo, {0, 0, 0}, 0.2F, 0.02F, 0.05F);
    int64_t sent = 0;
    for (const distributed::Traffic& row : ranks.traffic()) {
      if (row.tag.starts_with("texel")) sent += row.bytes_sent;
    }
    // Rows of others' texels that this rank draws with come here, those of its strips' gradients
    // go there: four floats a texel and plane.
    constexpr int64_t kRowBytes = 80 * 6 * 4 * sizeof(float);
    const RowRange own = owned_rows(all, self, kRanks);
    int64_t expected = 0;
    for (const SharedPhoto& photo : shared) {
      for (int other = 0; other < kRanks; ++other) {
        if (other == self) continue;
        expected += intersection(own, photo.needed[other]).count() * kRowBytes;
        for (const Strip& strip : strips_of_rank(photo.strips, self)) {
          expected += intersection(owned_rows(all, other, kRanks), strip.rows).count() * kRowBytes;
        }
      }
    }
    EXPECT_EQ(sent, expected);
    const core::MultiplaneImageF whole = share.whole();
    const std::lock_guard lock(mutex);
    per_step += sent;
    at_the_end += self == 0 ? 0 : own.count() * kRowBytes;
    if (self == 0) {
      EXPECT_EQ(whole.layers.front().window, window);
    }
  });
  EXPECT_GT(per_step, 0);
  EXPECT_GT(at_the_end, 0);
}

TEST(Strips, CoverThePictureAndFollowTheRowsThatTheyShow) {
  const std::vector<PosedPhoto> taken = photos();
  const RowRange all = {-20, 120};
  const std::vector<core::MultiplaneLayer> planes =
      planes_between({0.5, 0.2}, 4, {-10, -20, 80, 140});
  for (const PosedPhoto& photo : taken) {
    for (const int ranks : {1, 2, 3, 4, 7}) {
      const std::vector<Strip> strips =
          strips_of(taken[0].camera, photo.camera, planes, all, ranks);
      int row = 0;
      for (const Strip& strip : strips) {
        EXPECT_EQ(strip.window.top, row);
        EXPECT_EQ(strip.window.width, kWidth);
        row = strip.window.bottom();
        EXPECT_GE(strip.rank, 0);
        EXPECT_LT(strip.rank, ranks);
      }
      EXPECT_EQ(row, kHeight);
    }
  }
  // The picture that stands on its head is drawn from the other end.
  const std::vector<Strip> upright = strips_of(taken[0].camera, taken[1].camera, planes, all, 2);
  const std::vector<Strip> turned = strips_of(taken[0].camera, taken[3].camera, planes, all, 2);
  EXPECT_EQ(upright.front().rank, 0);
  EXPECT_EQ(turned.front().rank, 1);
  EXPECT_LT(upright.front().rows.begin, 10);
  EXPECT_GT(turned.front().rows.end, 90);
}

}  // namespace
}  // namespace tessera::models
