// Shares of a scene that training starts from.
// SPDX-License-Identifier: MIT
#include "apps/commands/scene_share.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <mutex>
#include <numeric>

#include "assets/io.h"
#include "core/evenly_spread.h"
#include "distributed/backends/threads.h"
#include "models/gaussian/model.h"
#include "tests/support/random_scene.h"
#include "tests/support/temporary_folder.h"

namespace tessera::apps {
namespace {

constexpr int kRecords = 150'000;  // more than two pieces

// Every 1000th has no size, and cannot be used.
void write_records(const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary);
  file << "ply\nformat binary_little_endian 1.0\nelement vertex " << kRecords << '\n';
  for (const char* name : {"x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0",
                           "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"}) {
    file << "property float " << name << '\n';
  }
  file << "end_header\n";
  test::Random random(3);
  for (int i = 0; i < kRecords; ++i) {
    float values[14];
    for (float& value : values) value = static_cast<float>(random.uniform(-1, 1));
    if (i % 1000 == 7) values[8] = std::nanf("");
    file.write(reinterpret_cast<const char*>(values), sizeof(values));
  }
}

TEST(SceneShare, TogetherAreTheWholeScene) {
  const test::TemporaryFolder folder;
  write_records(folder / "x.ply");
  const core::GaussianScene scene = assets::read_scene(folder / "x.ply");
  ASSERT_EQ(scene.cloud.size(), kRecords - 150);
  for (const int64_t limit : {0, 40'001}) {
    models::TrainSettings settings;
    settings.sh_degree = 1;
    settings.max_gaussians = limit;
    std::vector<int64_t> places(scene.cloud.size());
    std::iota(places.begin(), places.end(), int64_t{0});
    if (limit > 0) places = core::evenly_spread(places, limit);
    core::GaussianCloud expected = models::cloud_from_scene(scene.cloud, places, settings);
    for (int64_t i = 0; i < expected.size(); ++i) expected.plane(1)[i] += 2;
    for (const int ranks : {1, 2, 3, 4}) {
      std::mutex mutex;
      int64_t all = 0;
      distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
        const auto reader = assets::open_scene(folder / "x.ply");
        const SceneShare share = read_scene_share(*reader, {0, -2, 0}, settings, communicator);
        const models::IndexRange own =
            models::share_of(expected.size(), {communicator.rank(), ranks});
        const std::lock_guard lock(mutex);
        EXPECT_EQ(share.gaussians, scene.cloud.size());
        ASSERT_EQ(share.cloud.size(), own.end - own.begin);
        ASSERT_EQ(share.cloud.parameters.plane_count(), expected.parameters.plane_count());
        all += share.cloud.size();
        for (int64_t i = 0; i < share.cloud.size(); ++i) {
          ASSERT_EQ(share.cloud.ids[i], expected.ids[own.begin + i]);
          for (int p = 0; p < expected.parameters.plane_count(); ++p) {
            ASSERT_EQ(share.cloud.plane(p)[i], expected.plane(p)[own.begin + i]) << p << ' ' << i;
          }
        }
      });
      EXPECT_EQ(all, expected.size());
    }
  }
}

}  // namespace
}  // namespace tessera::apps
