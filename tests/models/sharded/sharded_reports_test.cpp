// What users of distributed trainers met (reports/D02 in the test data): fewer splats than ranks,
// views that do not divide by the ranks, views that see nothing.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "assets/captures/capture_reader.h"
#include "assets/photos/photo_cache.h"
#include "distributed/backends/threads.h"
#include "models/gaussian/model.h"
#include "models/gaussian/train.h"
#include "tests/models/sharded/ranks_fixture.h"
#include "tests/support/test_data.h"

namespace tessera::models {
namespace {

namespace fs = std::filesystem;

// Counts who was asked for, over all ranks.
class CountedPhotos : public core::PhotoSource {
 public:
  CountedPhotos(core::PhotoSource& photos, std::map<int, int>& asked, std::mutex& mutex)
      : photos_(photos), asked_(asked), mutex_(mutex) {}
  int count() const override { return photos_.count(); }
  const std::string& name(int view) const override { return photos_.name(view); }
  const core::PosedCamera& camera(int view) const override { return photos_.camera(view); }
  bool is_masked_out(int view) const override { return photos_.is_masked_out(view); }
  std::shared_ptr<const core::Photo> photo(int view) override {
    {
      const std::lock_guard lock(mutex_);
      ++asked_[view];
    }
    return photos_.photo(view);
  }
  void prefetch(int view) override { photos_.prefetch(view); }

 private:
  core::PhotoSource& photos_;
  std::map<int, int>& asked_;
  std::mutex& mutex_;
};

struct Outcome {
  core::GaussianCloud cloud;
  std::vector<double> losses;
  std::map<int, int> asked;  // per view
};

Outcome train(const fs::path& folder, const TrainSettings& settings, int ranks) {
  Outcome outcome;
  std::mutex mutex;
  distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
    communicator.set_timeout(20);
    core::ThreadPool pool(1);
    QuietLog log;
    const core::Capture capture = assets::read_capture(folder);
    std::vector<int> views(capture.views.size());
    for (size_t v = 0; v < views.size(); ++v) views[v] = static_cast<int>(v);
    const std::unique_ptr<core::PhotoSource> photos =
        assets::open_photos(capture, views, {}, pool, log);
    CountedPhotos counted(*photos, outcome.asked, mutex);
    Trainer trainer(settings,
                    cloud_from_points(capture.points, settings, pool, share_of_rank(communicator)),
                    counted, views, communicator, pool, log);
    std::vector<double> losses;
    TrainHooks hooks;
    hooks.progress = [&](const TrainProgress& progress) { losses.push_back(progress.loss); };
    trainer.run(hooks);
    const core::GaussianCloud cloud = gathered(communicator, trainer.cloud());
    if (communicator.rank() != 0) return;
    outcome.cloud = sorted_by_id(cloud);
    outcome.losses = losses;
  });
  return outcome;
}

class ShardedReports : public testing::TestWithParam<const char*> {};

TEST_P(ShardedReports, D02RanksWithNothingToDoTakePart) {
  TESSERA_NEED_TEST_DATA(folder, "reports/D02");
  for (const int batch : {1, 4}) {
    TrainSettings settings;
    settings.iterations = 60;
    settings.batch = batch;
    settings.densify_from = settings.densify_until = 60;
    settings.adam_epsilon = 1e-6F;  // rounding is not to become whole steps
    const Outcome alone = train(folder / GetParam(), settings, 1);
    for (const int ranks : {3, 4, 8}) {
      const Outcome many = train(folder / GetParam(), settings, ranks);
      EXPECT_EQ(many.cloud.ids, alone.cloud.ids);
      EXPECT_EQ(many.losses.size(), alone.losses.size());
      EXPECT_NEAR(many.losses.back(), alone.losses.back(), 1e-4) << ranks << " ranks";
      for (int p = 0; p < alone.cloud.parameters.plane_count(); ++p) {
        for (int64_t i = 0; i < alone.cloud.size(); ++i) {
          const float expected = alone.cloud.plane(p)[i];
          EXPECT_NEAR(many.cloud.plane(p)[i], expected, 1e-3 * (1 + std::fabs(expected)))
              << ranks << " ranks, batch " << batch << ", plane " << p << ", Gaussian " << i;
        }
      }
      // 60 photos were seen: each of the 5 views as often as the others.
      ASSERT_EQ(many.asked.size(), 5U);
      for (const auto& [view, times] : many.asked) EXPECT_EQ(times % 12, 0) << view;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, ShardedReports,
                         testing::Values("five_points", "two_points", "two_views_see_nothing"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace
}  // namespace tessera::models
