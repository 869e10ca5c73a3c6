// Messages foreseen against those of real runs, byte by byte.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "models/gaussian/common_view.h"
#include "models/gaussian/sharded/message_coding.h"
#include "models/gaussian/sharded/rank_plan.h"
#include "models/gaussian/sharded/traffic_replay.h"
#include "models/gaussian/view_regions.h"
#include "render/gaussian/backends/cpu_kernels.h"
#include "tests/models/sharded/ranks_fixture.h"

namespace tessera::models {
namespace {

struct Arrangement {
  int ranks;
  int batch;
  const char* partition;
};

constexpr Arrangement kArrangements[] = {
    {2, 4, "auto"},   {2, 5, "auto"},     {4, 4, "auto"},     {4, 6, "auto"},
    {4, 2, "views"},  {2, 1, "auto"},     {4, 1, "auto"},     {4, 3, "blocks"},
    {3, 3, "blocks"}, {2, 5, "balanced"}, {4, 6, "balanced"}, {3, 2, "balanced"}};

// What the trainer exchanges around the passes.
bool is_of_trainer(std::string_view tag) {
  constexpr std::string_view kTags[] = {
      "count", "dropped Gaussians", "moved Gaussians", "ownership", "start", "wishes"};
  return std::find(std::begin(kTags), std::end(kTags), tag) != std::end(kTags);
}

class TrafficTest : public RanksTest {
 protected:
  std::vector<core::PosedCamera> cameras() { return cameras_of(scene.photos, scene.photos.all()); }

  // Of the last step, by rank.
  std::vector<std::vector<distributed::Traffic>> measured(const TrainSettings& settings,
                                                          int ranks) {
    std::vector<std::vector<distributed::Traffic>> traffic(ranks);
    distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
      core::ThreadPool own_pool(1);
      QuietLog log;
      MemoryPhotos photos = scene.photos;
      Trainer trainer(
          settings,
          cloud_from_points(scene.points, settings, own_pool, share_of_rank(communicator)), photos,
          photos.all(), communicator, own_pool, log);
      std::vector<distributed::Traffic> before;
      TrainHooks hooks;
      hooks.progress = [&](const TrainProgress& /*progress*/) {
        if (trainer.images_seen() == settings.iterations - settings.batch) {
          before = communicator.traffic();
        }
      };
      trainer.run(hooks);
      traffic[communicator.rank()] = difference(communicator.traffic(), before);
    });
    return traffic;
  }

  static std::vector<distributed::Traffic> difference(
      std::vector<distributed::Traffic> after, const std::vector<distributed::Traffic>& before) {
    for (distributed::Traffic& row : after) {
      for (const distributed::Traffic& old : before) {
        if (old.tag != row.tag) continue;
        row.bytes_sent -= old.bytes_sent;
        row.messages_sent -= old.messages_sent;
      }
    }
    return after;
  }

  // What the replay foresees of the last step, and what a run sent in it.
  void expect_foreseen(const TrainSettings& settings, int ranks, Showing showing) {
    const core::GaussianCloud cloud = cloud_from_points(scene.points, settings, pool);
    const std::vector<core::PosedCamera> all = cameras();
    const std::unique_ptr<MessageCoding> coding = make_message_coding(settings, pool);
    TrafficReplay replay(cloud, all, settings, *coding, pool);
    ViewOrder order = order_of_views(all, scene_extent(all), settings.batch, settings.seed);
    std::vector<int> views;
    views.reserve(settings.batch);
    for (int64_t position = settings.iterations - settings.batch; position < settings.iterations;
         ++position) {
      views.push_back(order.view(position));
    }
    const StepCounts step = replay.step(views, showing, ranks, replay.owners_by_boxes(ranks));
    const std::vector<TagTraffic> foreseen = step_traffic(step, *coding);

    const auto real = measured(settings, ranks);
    int64_t bytes = 0;
    for (const TagTraffic& tag : foreseen) {
      for (int r = 0; r < ranks; ++r) {
        const auto found =
            std::find_if(real[r].begin(), real[r].end(),
                         [&](const distributed::Traffic& row) { return row.tag == tag.tag; });
        ASSERT_NE(found, real[r].end()) << tag.tag;
        EXPECT_EQ(tag.bytes[r], found->bytes_sent) << tag.tag << ", rank " << r;
        EXPECT_EQ(tag.messages[r], found->messages_sent) << tag.tag << ", rank " << r;
        bytes += tag.bytes[r];
      }
    }
    EXPECT_GT(bytes, 0);
    for (const distributed::Traffic& row : real[0]) {
      const bool is_foreseen = std::any_of(foreseen.begin(), foreseen.end(),
                                           [&](const TagTraffic& t) { return t.tag == row.tag; });
      EXPECT_TRUE(is_foreseen || is_of_trainer(row.tag)) << row.tag;
    }
  }

  core::ThreadPool pool{1};
};

TEST_F(TrafficTest, IsForeseenToTheByte) {
  for (const char* precision : {"float32", "compressed"}) {
    for (const auto& [ranks, batch, partition] : kArrangements) {
      SCOPED_TRACE(testing::Message()
                   << precision << ", " << ranks << " ranks, " << batch << " views, " << partition);
      TrainSettings settings = settings_of(batch);
      settings.iterations = batch;  // one step
      settings.message_precision = precision;
      settings.partition = partition;
      expect_foreseen(settings, ranks, Showing::kFirst);
    }
  }
}

// Once all views were shown of a scene that stands still, they are cut by what drawing them took.
TEST_F(TrafficTest, OfSecondShowingsIsForeseenToTheByte) {
  const auto views = static_cast<int>(scene.photos.all().size());
  for (const auto& [ranks, batch, partition] : kArrangements) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks, " << batch << " views, " << partition);
    TrainSettings settings = settings_of(batch);
    settings.iterations = (views + batch - 1) / batch * batch + batch;
    for (float* rate : {&settings.position_rate, &settings.position_rate_final, &settings.sh_rate,
                        &settings.opacity_rate, &settings.scale_rate, &settings.rotation_rate}) {
      *rate = 1e-30F;
    }
    settings.densify_from = settings.densify_until = settings.iterations;
    settings.opacity_reset_interval = 0;
    settings.partition = partition;
    expect_foreseen(settings, ranks, Showing::kLater);
  }
}

TEST_F(TrafficTest, RowsCoverEveryViewOnce) {
  const TrainSettings settings = settings_of(3);
  const core::GaussianCloud cloud = cloud_from_points(scene.points, settings, pool);
  const std::vector<core::PosedCamera> all = cameras();
  const std::unique_ptr<MessageCoding> coding = make_message_coding(settings, pool);
  TrafficReplay replay(cloud, all, settings, *coding, pool);
  const std::vector<int> views = {0, 2, 5};
  for (const int ranks : {1, 2, 4}) {
    const auto step = replay.row_step(views, ranks, replay.owners_at_random(ranks));
    ASSERT_TRUE(step.has_value());
    std::vector<int64_t> rows(views.size(), 0);
    int64_t evaluated = 0;
    for (const std::vector<WindowCounts>& round : step->rounds) {
      for (const WindowCounts& window : round) {
        rows[window.drawn.view] += window.drawn.window.height;
        evaluated += window.evaluated_pairs;
      }
    }
    int64_t evaluated_whole = 0;
    for (size_t v = 0; v < views.size(); ++v) {
      EXPECT_EQ(rows[v], all[views[v]].camera.height);
      evaluated_whole += replay.work(views[v]).evaluated_pairs();
    }
    EXPECT_EQ(evaluated, evaluated_whole);
    EXPECT_EQ(std::accumulate(step->owned.begin(), step->owned.end(), int64_t{0}), cloud.size());
  }
  EXPECT_FALSE(replay.row_step({views.data(), 1}, 1000, replay.owners_at_random(1000)));
}

// Fewer Gaussians than planned stand for more of them.
TEST_F(TrafficTest, APlanKnowsWhatOneRankIs) {
  PlanRequest request;
  request.ranks = {1, 2, 4};
  request.settings = settings_of(1);
  request.model.bytes_per_second = 1e9;
  request.model.latency_s = 1e-5;
  const core::GaussianCloud cloud = cloud_from_points(scene.points, request.settings, pool);
  const std::vector<core::PosedCamera> all = cameras();
  const auto plan = [&](int64_t gaussians) {
    request.gaussians = gaussians;
    return plan_ranks(request, cloud, all, pool, [](int64_t, int64_t) {});
  };
  const RankPlan as_it_is = plan(0), tenfold = plan(10 * cloud.size());
  ASSERT_EQ(as_it_is.rows.size(), 3U);
  EXPECT_NEAR(as_it_is.rows[0].ours.efficiency, 1, 1e-6);
  EXPECT_EQ(as_it_is.rows[0].ours.step.bytes_sent, 0);
  const int64_t state = 4 * cloud.parameters.plane_count() * static_cast<int64_t>(sizeof(float));
  EXPECT_EQ(as_it_is.rows[0].ours.step.state_bytes, state * cloud.size());
  EXPECT_EQ(tenfold.rows[0].ours.step.state_bytes, 10 * state * cloud.size());
  for (const RankPlanRow& row : as_it_is.rows) {
    EXPECT_EQ(row.batch, row.ranks);
    EXPECT_GT(row.ours.step.step_s, 0);
    EXPECT_LE(row.ours.efficiency, 1 + 1e-6);
    EXPECT_EQ(row.ours.step.bytes_sent > 0, row.ranks > 1);
  }
}

}  // namespace
}  // namespace tessera::models
