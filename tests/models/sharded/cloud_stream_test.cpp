// Gaussians of several ranks that go through the first one: a file of theirs is the file of one
// rank that has them all.
// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/cloud_stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

#include "assets/io.h"
#include "core/file_io.h"
#include "distributed/backends/threads.h"
#include "tests/models/made_gaussians.h"
#include "tests/models/shared_clouds.h"
#include "tests/support/temporary_folder.h"

namespace tessera::models {
namespace {

// More than two pieces for a rank of three, and some that no file gets.
core::GaussianCloud large_cloud() {
  core::GaussianCloud cloud(0, 5 * kStreamedGaussians + 77);
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    float* values = cloud.plane(p);
    for (int64_t i = 0; i < cloud.size(); ++i) values[i] = static_cast<float>(i % 9973) * 1e-4F - p;
  }
  for (const int64_t i : {int64_t{0}, 2 * kStreamedGaussians, cloud.size() - 1}) {
    cloud.plane(core::kMeanPlane)[i] = std::numeric_limits<float>::quiet_NaN();
  }
  cloud.plane(core::kLogScalePlane)[kStreamedGaussians] = -INFINITY;
  return cloud;
}

void write_by_ranks(const std::filesystem::path& path, const core::GaussianScene& scene,
                    int ranks) {
  distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
    core::ThreadPool pool(1);
    GaussianState own = state_of(scene.cloud);
    keep_share(own, communicator, pool);
    const int64_t count = communicator.all_reduce("count", distributed::Reduction::kSum,
                                                  assets::count_written(own.cloud));
    core::GaussianScene rest = scene;
    rest.cloud = core::GaussianCloud(scene.cloud.sh_degree, 0);
    std::optional<assets::SceneWriter> writer;
    if (communicator.rank() == 0) writer.emplace(path, rest, count);
    stream_cloud(communicator, own.cloud, [&](const core::GaussianCloud& piece) {
      ASSERT_TRUE(writer.has_value()) << "rank " << communicator.rank();
      writer->append(piece);
    });
    if (writer) writer->commit();
  });
}

TEST(CloudStream, AFileOfManyRanksIsTheFileOfOne) {
  const test::TemporaryFolder folder;
  for (const char* name : {"one", "many"}) std::filesystem::create_directory(folder / name);
  core::GaussianScene scene;
  scene.cloud = large_cloud();
  scene.antialiased = true;
  scene.vertical_axis = "-y";
  scene.origin_in_file[0] = 432100;
  for (const char* name : {"scene.ply", "scene.splat"}) {
    assets::write_scene(folder / "one" / name, scene);
    for (const int ranks : {1, 2, 3}) {
      write_by_ranks(folder / "many" / name, scene, ranks);
      for (const char* file : {name, "scene_offset.xyz"}) {
        EXPECT_EQ(core::read_file(folder / "many" / file), core::read_file(folder / "one" / file))
            << file << " of " << ranks << " ranks";
      }
    }
  }
  EXPECT_EQ(assets::read_scene(folder / "many" / "scene.ply").cloud.size(), scene.cloud.size() - 3);
}

TEST(CloudStream, PiecesComeInTheOrderOfRanksEvenOfThoseWithout) {
  core::GaussianCloud all(0, 2);
  all.ids[1] = 17;
  distributed::run_in_threads(4, [&](distributed::Communicator& communicator) {
    core::ThreadPool pool(1);
    GaussianState own = state_of(all);
    keep_share(own, communicator, pool);
    const core::GaussianCloud everywhere = gathered(communicator, own.cloud);
    if (communicator.rank() == 0) {
      EXPECT_EQ(everywhere.ids, all.ids);
    } else {
      EXPECT_EQ(everywhere.size(), 0);
    }
  });
}

}  // namespace
}  // namespace tessera::models
