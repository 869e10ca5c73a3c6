// Views drawn over ranks are those of one rank bit by bit, and ranks get the rows that they show.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <random>
#include <vector>

#include "distributed/backends/threads.h"
#include "models/multiplane/pages.h"
#include "models/multiplane/sharded/strips.h"
#include "models/multiplane/sharded/view_share.h"

namespace tessera::models {
namespace {

core::PosedCamera camera_at(double x, double y, double roll_deg) {
  core::PosedCamera posed;
  posed.camera = {core::CameraModel::kPinhole, 120, 200, 150, 150, 60, 100};
  const double roll = roll_deg * M_PI / 180;
  math::Mat3<double>& turn = posed.cam_from_world.rotation;
  turn.m[0][0] = turn.m[1][1] = std::cos(roll);
  turn.m[0][1] = -std::sin(roll);
  turn.m[1][0] = std::sin(roll);
  posed.cam_from_world.translation = turn * math::Vec3<double>{-x, -y, 0};
  return posed;
}

// Tiles of 40x40 texels with two slanted layers each, half of whose texels are clear.
core::MultiplaneImage tiled_image() {
  core::MultiplaneImage image;
  image.camera = camera_at(0, 0, 0);
  std::mt19937 bits(7);
  const auto uniform = [&] { return static_cast<float>(bits()) * 0x1p-32F; };
  for (int y = -20; y < 220; y += 40) {
    for (int x = -20; x < 140; x += 40) {
      for (const float near : {0.25F, 0.6F}) {
        const auto slant = [&] { return 0.1F * (uniform() - 0.5F); };
        image.layers.push_back({{slant(), slant(), near}, {x, y, 40, 40}});
      }
    }
  }
  for (const PageSize& size : pack_into_pages(image.layers)) {
    image.pages.emplace_back(size.width, size.height, 4).data.fill(0);
  }
  for (const core::MultiplaneLayer& layer : image.layers) {
    for (int y = 0; y < layer.window.height; ++y) {
      for (int x = 0; x < layer.window.width; ++x) {
        uint8_t* texel = &image.pages[layer.page].at(layer.x + x, layer.y + y);
        const float alpha = std::floor(2 * uniform()) * uniform();
        for (int c = 0; c < 3; ++c) {
          texel[c] = static_cast<uint8_t>(255 * alpha * uniform());
        }
        texel[3] = static_cast<uint8_t>(255 * alpha);
      }
    }
  }
  return image;
}

std::vector<core::PosedCamera> cameras() {
  return {camera_at(0, 0, 0), camera_at(0.3, 0.1, 0), camera_at(-0.2, 0.4, 4),
          camera_at(0.1, -0.2, 180), camera_at(0, 0.2, 90)};
}

struct Drawn {
  std::vector<render::MultiplaneOutput> views;
  std::vector<int64_t> texel_bytes;  // received, by rank
};

// Each view on another rank.
Drawn drawn(int ranks) {
  const core::MultiplaneImage image = tiled_image();
  Drawn result;
  result.views.resize(cameras().size());
  result.texel_bytes.resize(ranks);
  std::mutex mutex;
  distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
    core::ThreadPool pool(1);
    const bool first = communicator.rank() == 0;
    const core::MultiplaneImage nothing;
    ViewShare share(first ? image : nothing, first ? cameras() : std::vector<core::PosedCamera>(),
                    communicator, pool);
    EXPECT_EQ(share.view_count(), static_cast<int>(cameras().size()));
    for (int view = 0; view < share.view_count(); ++view) {
      const int root = view % ranks;
      render::MultiplaneOutput output;
      share.draw(view, root, output);
      const std::lock_guard lock(mutex);
      if (communicator.rank() == root) result.views[view] = std::move(output);
    }
    for (const distributed::Traffic& row : communicator.traffic()) {
      if (row.tag == "texels") result.texel_bytes[communicator.rank()] = row.bytes_received;
    }
  });
  return result;
}

TEST(ViewShare, AnyNumberOfRanksDrawsTheSameBits) {
  const Drawn alone = drawn(1);
  const core::ImageF& front = alone.views[0].color;
  EXPECT_GT(*std::max_element(front.data.begin(), front.data.end()), 0.5F);
  for (const int ranks : {2, 3, 5, 8}) {
    SCOPED_TRACE(ranks);
    const Drawn shared = drawn(ranks);
    for (size_t i = 0; i < alone.views.size(); ++i) {
      EXPECT_EQ(shared.views[i].color, alone.views[i].color);
      EXPECT_EQ(shared.views[i].alpha, alone.views[i].alpha);
      EXPECT_EQ(shared.views[i].disparity, alone.views[i].disparity);
    }
  }
}

TEST(ViewShare, RanksGetTheRowsThatTheirStripsShow) {
  constexpr int kRanks = 4;
  const core::MultiplaneImage image = tiled_image();
  std::vector<RowRange> needed(kRanks);
  for (const core::PosedCamera& camera : cameras()) {
    const std::vector<Strip> strips =
        strips_of(image.camera, camera, image.layers, {-20, 220}, kRanks);
    for (const Strip& strip : strips) needed[strip.rank] = hull(needed[strip.rank], strip.rows);
  }
  const Drawn shared = drawn(kRanks);
  EXPECT_EQ(shared.texel_bytes[0], 0);
  for (int rank = 1; rank < kRanks; ++rank) {
    int64_t expected = 0;
    for (const core::MultiplaneLayer& layer : image.layers) {
      const RowRange rows = {layer.window.top, layer.window.bottom()};
      expected += int64_t{4} * layer.window.width * intersection(needed[rank], rows).count();
    }
    EXPECT_EQ(shared.texel_bytes[rank], expected);
  }
}

}  // namespace
}  // namespace tessera::models
