// What users of reconstruction programs met (reports/ in the test data), at the trainer.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "assets/captures/capture_reader.h"
#include "assets/photos/photo_cache.h"
#include "distributed/backends/lone_rank.h"
#include "models/gaussian/checkpoint.h"
#include "models/gaussian/model.h"
#include "models/gaussian/train.h"
#include "tests/models/synthetic.h"
#include "tests/support/test_data.h"

namespace tessera::models {
namespace {

namespace fs = std::filesystem;

// A capture with its photos opened, trained once.
struct Trained {
  core::ThreadPool pool{2};
  QuietLog log;
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  core::Capture capture;
  std::unique_ptr<core::PhotoSource> photos;
  std::unique_ptr<Trainer> trainer;
  std::vector<double> losses;

  std::vector<int> views() const {
    std::vector<int> all(capture.views.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    return all;
  }

  void open(const fs::path& folder, const assets::PhotoOptions& options = {}) {
    capture = assets::read_capture(folder);
    photos = assets::open_photos(capture, views(), options, pool, log);
  }

  void train(const TrainSettings& settings) {
    trainer = std::make_unique<Trainer>(settings, cloud_from_points(capture.points, settings, pool),
                                        *photos, views(), *alone, pool, log);
    TrainHooks hooks;
    hooks.progress = [&](const TrainProgress& progress) { losses.push_back(progress.loss); };
    trainer->run(hooks);
  }

  // Of `source`'s photos, by name from `first` on; drawn from this run's cloud.
  double psnr_on(Trained& source, const std::string& first = "") {
    const auto rasterizer = render::make_rasterizer("cpu", pool);
    render::RenderOutput output;
    double sum = 0;
    int count = 0;
    for (int view = 0; view < source.photos->count(); ++view) {
      if (source.photos->name(view) < first) continue;
      rasterizer->forward(trainer->cloud(), source.photos->camera(view), trainer->render_options(),
                          output);
      const std::shared_ptr<const core::Photo> photo = source.photos->photo(view);
      double squares = 0;
      for (int64_t i = 0; i < output.color.data.size(); ++i) {
        const double drawn = std::clamp(double{output.color.data[i]}, 0.0, 1.0);
        const double difference = drawn - photo->pixels.data[i] / 255.0;
        squares += difference * difference;
      }
      sum += -10 * std::log10(squares / static_cast<double>(output.color.data.size()));
      ++count;
    }
    return sum / count;
  }
};

TrainSettings short_run(int64_t iterations) {
  TrainSettings settings;
  settings.iterations = iterations;
  settings.seed = 2;
  return settings;
}

void expect_finite(const core::GaussianCloud& cloud) {
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    for (int64_t i = 0; i < cloud.size(); ++i) {
      ASSERT_TRUE(std::isfinite(cloud.plane(p)[i])) << "plane " << p;
    }
  }
}

TEST(Reports, K01MaskedPixelsHaveNoWeight) {
  TESSERA_NEED_TEST_DATA(folder, "reports/K01");
  for (const float ssim_weight : {0.0F, 0.2F}) {
    TrainSettings settings = short_run(150);
    settings.ssim_weight = ssim_weight;
    Trained runs[3];
    const char* names[3] = {"true", "noise", "white"};
    for (int i = 0; i < 3; ++i) {
      runs[i].open(folder / names[i]);
      runs[i].train(settings);
    }
    for (int i = 1; i < 3; ++i) {
      EXPECT_TRUE(runs[i].trainer->cloud().parameters == runs[0].trainer->cloud().parameters)
          << names[i] << " " << ssim_weight;
      EXPECT_EQ(runs[i].losses, runs[0].losses) << names[i] << " " << ssim_weight;
    }
  }
}

TEST(Reports, N01PointsInCamerasDoNoHarm) {
  TESSERA_NEED_TEST_DATA(folder, "reports/N01");
  Trained with;
  with.open(folder);
  ASSERT_EQ(with.capture.points.size(), 246U);
  with.train(short_run(200));
  for (const double loss : with.losses) ASSERT_TRUE(std::isfinite(loss));
  expect_finite(with.trainer->cloud());
  EXPECT_EQ(with.trainer->dropped_gaussians(), 0);
  Trained without;
  without.open(folder);
  without.capture.points.resize(240);
  without.train(short_run(200));
  // Cameras 0 to 5 have such a point before them. To the others it lies far behind the scene, where
  // it may do for background and so help, but must not harm.
  const auto others = [](Trained& run) {
    return (run.psnr_on(run, "img_06") + run.psnr_on(run, "img_07")) / 2;
  };
  EXPECT_GT(others(with), others(without) - 1.0);
}

TEST(Reports, N05CropsWithThePrincipalPointOutsideTrainAsTheWhole) {
  TESSERA_NEED_TEST_DATA(folder, "reports/N05");
  Trained full;
  full.open(folder / "full");
  full.train(short_run(400));
  Trained crops;
  crops.open(folder / "crops");
  crops.train(short_run(800));  // two crops for each picture
  EXPECT_GT(crops.psnr_on(crops), full.psnr_on(crops) - 1.0);
  double first = 0;
  double second = 0;
  for (int i = 0; i < 50; ++i) {
    first += crops.losses[i];
    second += crops.losses[50 + i];
  }
  EXPECT_LT(second, first);
}

TEST(Reports, C01DistortedPhotosTrainAsWellAsPinholeOnes) {
  TESSERA_NEED_TEST_DATA(folder, "reports/C01");
  Trained pinhole;
  pinhole.open(folder / "pinhole");
  pinhole.train(short_run(400));
  Trained distorted;
  distorted.open(folder / "distorted");
  distorted.train(short_run(400));
  EXPECT_GT(distorted.psnr_on(distorted), pinhole.psnr_on(pinhole) - 1.5);

  // The same photos as they are, drawn through their lenses.
  assets::PhotoOptions native_camera;
  native_camera.native_camera = true;
  Trained native;
  native.open(folder / "distorted", native_camera);
  ASSERT_EQ(native.photos->camera(5).camera.model, core::CameraModel::kOpenCvFisheye);
  native.train(short_run(400));
  EXPECT_GT(native.psnr_on(native), pinhole.psnr_on(pinhole) - 1.5);
}

TEST(Reports, R01ARunGoesOnWithItsOwnSettings) {
  TESSERA_NEED_TEST_DATA(folder, "reports/R01");
  const fs::path checkpoints =
      fs::temp_directory_path() / ("tessera_r01_" + std::to_string(getpid()));
  fs::remove_all(checkpoints);
  Trained run;
  run.open(folder);
  TrainSettings settings = short_run(400);
  settings.sh_degree = 1;
  settings.seed = 5;
  Trainer stopped(settings, cloud_from_points(run.capture.points, settings, run.pool), *run.photos,
                  run.views(), *run.alone, run.pool, run.log);
  TrainHooks hooks;
  hooks.checkpoints = checkpoints;
  hooks.wishes = [&] { return TrainWishes{.stop = stopped.images_seen() >= 150}; };
  EXPECT_EQ(stopped.run(hooks), TrainEnd::kStopped);

  for (const int64_t total : {int64_t{0}, int64_t{600}}) {
    Trainer resumed(checkpoints / "checkpoint_150", total, *run.photos, run.views(), *run.alone,
                    run.pool, run.log);
    EXPECT_EQ(resumed.settings().sh_degree, 1);
    EXPECT_EQ(resumed.settings().seed, 5U);
    std::vector<int64_t> steps;
    TrainHooks watching;
    watching.progress = [&](const TrainProgress& progress) {
      steps.push_back(progress.images_seen);
    };
    EXPECT_EQ(resumed.run(watching), TrainEnd::kFinished);
    EXPECT_EQ(steps.front(), 151);
    EXPECT_EQ(steps.back(), total == 0 ? 400 : 600);
  }
  fs::remove_all(checkpoints);
}

}  // namespace
}  // namespace tessera::models
