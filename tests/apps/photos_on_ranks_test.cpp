// Photos of a run on ranks: who decodes which.
// SPDX-License-Identifier: MIT
#include "apps/commands/photos_on_ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <mutex>
#include <set>

#include "assets/captures/capture_reader.h"
#include "core/error.h"
#include "distributed/backends/threads.h"
#include "models/gaussian/model.h"
#include "models/gaussian/train.h"
#include "tests/support/recording_log.h"
#include "tests/support/temporary_folder.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

constexpr size_t kPhotos = 15;  // of the sample

assets::PhotoOptions eighth() {
  assets::PhotoOptions options;
  options.resolution = 8;
  return options;
}

std::vector<int> all_views(const core::Capture& capture) {
  std::vector<int> views(capture.views.size());
  for (size_t i = 0; i < views.size(); ++i) views[i] = static_cast<int>(i);
  return views;
}

// Photos that keep in mind which were drawn; nothing is fetched ahead.
class DrawnPhotos final : public core::PhotoSource {
 public:
  explicit DrawnPhotos(core::PhotoSource& photos) : photos_(photos) {}
  int count() const override { return photos_.count(); }
  const std::string& name(int view) const override { return photos_.name(view); }
  const core::PosedCamera& camera(int view) const override { return photos_.camera(view); }
  bool is_masked_out(int view) const override { return photos_.is_masked_out(view); }
  std::shared_ptr<const core::Photo> photo(int view) override {
    drawn.insert(view);
    return photos_.photo(view);
  }
  void prefetch(int /*view*/) override {}

  std::set<int> drawn;

 private:
  core::PhotoSource& photos_;
};

// Each photo is decoded by one rank to begin with, then once by each other rank that draws it.
// Returns how many photos ranks drew, added up.
size_t expect_fewest_decodes(int ranks, int batch) {
  const core::Capture capture = assets::read_capture(TESSERA_SAMPLE, {});
  EXPECT_EQ(capture.views.size(), kPhotos);
  std::mutex mutex;
  size_t drawn_by_all = 0;
  distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
    core::ThreadPool pool(1);
    tests::RecordingLog log;
    const auto photos =
        open_on_ranks(capture, all_views(capture), eighth(), communicator, pool, log).finish();
    const int rank = communicator.rank();
    std::set<int> decoded;
    for (int view = rank; view < photos->count(); view += ranks) decoded.insert(view);
    EXPECT_EQ(photos->decodes(), static_cast<int64_t>(decoded.size())) << rank;

    models::TrainSettings settings;
    settings.iterations = 2 * kPhotos;  // each photo twice
    settings.batch = batch;
    DrawnPhotos seen(*photos);
    models::Trainer trainer(
        settings, models::cloud_from_points(capture.points, settings, pool, {rank, ranks}), seen,
        all_views(capture), communicator, pool, log);
    trainer.run({});
    decoded.insert(seen.drawn.begin(), seen.drawn.end());
    EXPECT_EQ(photos->decodes(), static_cast<int64_t>(decoded.size())) << rank;
    const std::lock_guard lock(mutex);
    drawn_by_all += seen.drawn.size();
  });
  return drawn_by_all;
}

TEST(PhotosOnRanks, OfBlocksEachRankDecodesEveryPhotoOnce) {
  EXPECT_EQ(expect_fewest_decodes(3, 1), 3 * kPhotos);
}

TEST(PhotosOnRanks, OfWholeViewsEachRankDecodesItsPartAndWhatItDraws) {
  EXPECT_EQ(expect_fewest_decodes(1, 2), kPhotos);
  const size_t drawn = expect_fewest_decodes(2, 2);
  EXPECT_GE(drawn, kPhotos);
  EXPECT_LT(drawn, 2 * kPhotos) << "no photo is drawn where it was before";
}

TEST(PhotosOnRanks, BrokenOnesAreKnownToAllInTheSameWords) {
  const test::TemporaryFolder folder;
  fs::copy(TESSERA_SAMPLE, folder / "capture", fs::copy_options::recursive);
  core::Capture capture = assets::read_capture(folder / "capture", {});
  for (const int view : {1, 5}) {
    fs::resize_file(capture.views[view].image_path,
                    fs::file_size(capture.views[view].image_path) / 2);
  }
  const auto open = [&](int ranks, bool skip, const auto& each) {
    std::mutex mutex;
    distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
      core::ThreadPool pool(1);
      tests::RecordingLog log;
      assets::PhotoOptions options = eighth();
      options.skip_bad_images = skip;
      assets::PhotoOpening opening =
          open_on_ranks(capture, all_views(capture), options, communicator, pool, log);
      const std::lock_guard lock(mutex);
      each(opening, log);
    });
  };
  std::set<std::string> sentences;
  const auto refused = [&](assets::PhotoOpening& opening, const tests::RecordingLog& /*log*/) {
    try {
      opening.finish();
      FAIL() << "broken photos were taken";
    } catch (const core::IoError& error) {
      sentences.insert(error.what());
    }
  };
  open(1, false, refused);
  open(3, false, refused);
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_THAT(*sentences.begin(), testing::HasSubstr("2 of its photos cannot be used"));

  std::set<std::vector<std::string>> warnings;
  const auto taken = [&](assets::PhotoOpening& opening, const tests::RecordingLog& log) {
    const auto photos = opening.finish();
    EXPECT_EQ(photos->count(), static_cast<int>(kPhotos) - 2);
    EXPECT_EQ(photos->name(1), capture.views[2].name);
    warnings.insert(log.warnings);
  };
  open(1, true, taken);
  open(3, true, taken);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings.begin()->size(), 2U);
}

}  // namespace
}  // namespace tessera::apps
