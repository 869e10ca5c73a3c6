// Compressed messages: their bytes, their errors, and what a training makes of them.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "core/error.h"
#include "models/gaussian/sharded/message_coding.h"
#include "models/gaussian/sharded/ownership.h"
#include "models/gaussian/sharded/sharded_pass.h"
#include "tests/models/made_gaussians.h"
#include "tests/models/sharded/ranks_fixture.h"
#include "tests/support/random_scene.h"

namespace tessera::models {
namespace {

constexpr int kFloats = render::kGradientFloats;

float* values_of(render::CpuSplatGradient& gradient) {
  return gradient.color;
}
const float* values_of(const render::CpuSplatGradient& gradient) {
  return gradient.color;
}

std::vector<render::CpuSplatGradient> random_gradients(int count) {
  test::Random random(11);
  std::vector<render::CpuSplatGradient> gradients(count);
  for (render::CpuSplatGradient& gradient : gradients) {
    // Over many orders of magnitude, as between large splats and small ones.
    const double size = std::exp2(random.uniform(-30, 0));
    for (int f = 0; f < kFloats; ++f) {
      values_of(gradient)[f] = static_cast<float>(random.normal() * size * std::exp2(2 * f));
    }
  }
  return gradients;
}

std::vector<render::CpuSplatGradient> after_crossing(
    const std::vector<render::CpuSplatGradient>& gradients, const MessageCoding& coding,
    uint32_t step) {
  const auto count = static_cast<int64_t>(gradients.size());
  std::vector<std::byte> bytes(coding.gradient_bytes(count));
  coding.write_gradients(gradients, {step, 5}, bytes.data());
  std::vector<uint32_t> which(count);
  std::iota(which.begin(), which.end(), 0U);
  std::vector<render::CpuSplatGradient> got(count);
  coding.add_gradients(bytes.data(), {which.data(), count}, got.data());
  return got;
}

TEST(CompressedGradients, AreUnbiased) {
  core::ThreadPool pool(2);
  const std::vector<render::CpuSplatGradient> sent = random_gradients(40);
  constexpr int kSeeds = 1000;
  std::vector<std::vector<double>> sums(sent.size(), std::vector<double>(kFloats));
  std::vector<std::vector<double>> squares = sums;
  float largest[kFloats] = {};
  for (const render::CpuSplatGradient& gradient : sent) {
    for (int f = 0; f < kFloats; ++f) {
      largest[f] = std::max(largest[f], std::fabs(values_of(gradient)[f]));
    }
  }
  for (int seed = 0; seed < kSeeds; ++seed) {
    const auto coding = make_compressed_coding({true, true}, seed, pool);
    const std::vector<render::CpuSplatGradient> got = after_crossing(sent, *coding, 7);
    for (size_t k = 0; k < sent.size(); ++k) {
      for (int f = 0; f < kFloats; ++f) {
        const double error = double{values_of(got[k])[f]} - double{values_of(sent[k])[f]};
        sums[k][f] += error;
        squares[k][f] += error * error;
      }
    }
  }
  for (size_t k = 0; k < sent.size(); ++k) {
    for (int f = 0; f < kFloats; ++f) {
      // Halves are at most this far apart: 2^-10 of the value, 2^-38 of the message's largest.
      const double step = 0x1p-10 * std::fabs(values_of(sent[k])[f]) + 0x1p-38 * largest[f];
      EXPECT_LE(squares[k][f] / kSeeds, 0.26 * step * step) << k << ", " << f;
      // What happens less than a few times tells too little of its variance.
      const double variance = std::max(squares[k][f] / kSeeds, step * step * 4 / kSeeds);
      EXPECT_LE(std::fabs(sums[k][f]) / kSeeds, 4 * std::sqrt(variance / kSeeds)) << k << ", " << f;
    }
  }
}

TEST(CompressedGradients, AreTheSameAgainAndOthersInAnotherStep) {
  core::ThreadPool one(1), many(3);
  const std::vector<render::CpuSplatGradient> sent = random_gradients(5000);
  const auto bits = [&](core::ThreadPool& pool, uint32_t step) {
    std::vector<float> values;
    const auto coding = make_compressed_coding({false, false}, 3, pool);
    for (const render::CpuSplatGradient& gradient : after_crossing(sent, *coding, step)) {
      values.insert(values.end(), values_of(gradient), values_of(gradient) + kFloats);
    }
    return values;
  };
  EXPECT_EQ(bits(one, 9), bits(many, 9));
  EXPECT_NE(bits(one, 9), bits(one, 10));
}

TEST(CompressedGradients, OfAnySizeCross) {
  core::ThreadPool pool(1);
  const auto coding = make_compressed_coding({true, true}, 3, pool);
  for (const float size : {0.0F, 1e-45F, 1e-38F, 1.0F, 3e38F}) {
    std::vector<render::CpuSplatGradient> sent(1);
    for (int f = 0; f < kFloats; ++f) values_of(sent[0])[f] = f % 2 == 0 ? size : -size;
    const render::CpuSplatGradient got = after_crossing(sent, *coding, 1)[0];
    for (int f = 0; f < kFloats; ++f) {
      EXPECT_NEAR(values_of(got)[f] / 2, values_of(sent[0])[f] / 2, 1e-3F * size + 1e-36F);
    }
  }
  EXPECT_EQ(coding->gradient_bytes(0), 0);
}

class CompressedMessages : public RanksTest {
 protected:
  static TrainSettings compressed(TrainSettings settings) {
    settings.message_precision = "compressed";
    return settings;
  }

  struct PassResult {
    std::map<uint64_t, std::vector<float>> gradients;  // by id
    std::vector<double> losses;
  };

  // One step of the pass over the first views.
  PassResult pass(const TrainSettings& settings, int ranks) {
    PassResult result;
    std::mutex mutex;
    distributed::run_in_threads(ranks, [&](distributed::Communicator& communicator) {
      core::ThreadPool pool(1);
      GaussianState own = state_of(cloud_from_points(scene.points, settings, pool));
      const int planes = own.cloud.parameters.plane_count();
      // The start's balls have no rotation for a gradient to turn.
      test::Random random(5);
      for (int p = core::kLogScalePlane; p < planes; ++p) {
        for (int64_t i = 0; i < own.size(); ++i) {
          own.cloud.plane(p)[i] += static_cast<float>(0.4 * random.normal());
        }
      }
      keep_share(own, communicator, pool);
      MemoryPhotos photos = scene.photos;
      CameraCorrections corrections(settings, 1.0, photos.count(), pool);
      StageClock clock;
      clock.begin(1);
      const std::unique_ptr<ViewPass> views =
          make_sharded_pass({settings, photos, corrections, pool, clock}, communicator);
      std::vector<StepView> step(settings.batch);
      for (int v = 0; v < settings.batch; ++v) {
        step[v].index = step[v].view = v;
        step[v].position = 40 + v;
      }
      render::RasterizeGradient gradient;
      gradient.absolute = settings.absgrad;
      gradient.parameters.reset(planes, own.size());
      const std::vector<double> losses =
          views->run(own.cloud, step, {}, gradient, [](const ViewStatistics&) {});
      const std::lock_guard lock(mutex);
      result.losses = losses;
      for (int64_t i = 0; i < own.size(); ++i) {
        for (int p = 0; p < planes; ++p) {
          result.gradients[own.cloud.ids[i]].push_back(gradient.parameters.plane(p)[i]);
        }
      }
    });
    return result;
  }

  static double cosine(const PassResult& a, const PassResult& b, int plane) {
    double ab = 0, aa = 0, bb = 0;
    for (const auto& [id, row] : a.gradients) {
      const double x = row[plane], y = b.gradients.at(id)[plane];
      ab += x * y;
      aa += x * x;
      bb += y * y;
    }
    return aa == 0 && bb == 0 ? 1 : ab / std::sqrt(aa * bb);
  }
};

TEST_F(CompressedMessages, GradientsPointWhereTheExactOnesDo) {
  for (const int batch : {1, 4}) {
    TrainSettings settings = settings_of(batch);
    for (const bool absolute : {false, true}) {
      settings.absgrad = absolute;
      for (const int ranks : {2, 3, 4}) {
        const PassResult exact = pass(settings, ranks);
        const PassResult got = pass(compressed(settings), ranks);
        ASSERT_EQ(exact.gradients.size(), got.gradients.size());
        EXPECT_NE(exact.gradients, got.gradients);
        EXPECT_EQ(got.gradients, pass(compressed(settings), ranks).gradients);
        for (int v = 0; v < batch; ++v) EXPECT_NEAR(exact.losses[v], got.losses[v], 1e-4);
        const int planes = static_cast<int>(exact.gradients.begin()->second.size());
        for (int p = 0; p < planes; ++p) {
          EXPECT_GT(cosine(exact, got, p), 0.999) << "plane " << p << ", " << ranks << " ranks";
        }
      }
    }
  }
}

TEST_F(CompressedMessages, RunsEndWhereExactOnesDoAndRepeatTheirBits) {
  for (const int batch : {1, 3}) {
    TrainSettings settings = settings_of(batch);
    settings.densify_from = settings.densify_until = settings.iterations;
    settings.opacity_reset_interval = 0;
    for (const int ranks : {2, 3}) {
      const RanksResult exact = train(settings, ranks);
      const RanksResult got = train(compressed(settings), ranks);
      const RanksResult again = train(compressed(settings), ranks);
      EXPECT_EQ(got.losses, again.losses);
      EXPECT_TRUE(got.cloud.parameters == again.cloud.parameters);
      EXPECT_FALSE(got.cloud.parameters == exact.cloud.parameters);
      const auto end = [](const RanksResult& run) {
        constexpr int kSteps = 10;
        return std::accumulate(run.losses.end() - kSteps, run.losses.end(), 0.0) / kSteps;
      };
      EXPECT_NEAR(end(got), end(exact), 0.02 * end(exact)) << batch << ", " << ranks;
    }
  }
}

TEST_F(CompressedMessages, GrowingRunsRepeatTheirBits) {
  for (const char* strategy : {"default", "mcmc"}) {
    const TrainSettings settings = compressed(settings_of(2, strategy));
    const RanksResult one = train(settings, 3);
    const RanksResult again = train(settings, 3);
    EXPECT_EQ(one.losses, again.losses);
    EXPECT_EQ(one.cloud.ids, again.cloud.ids);
    EXPECT_TRUE(one.cloud.parameters == again.cloud.parameters);
  }
}

TEST_F(CompressedMessages, APrecisionThatIsNoneIsRefused) {
  TrainSettings settings = settings_of(1);
  settings.message_precision = "float8";
  core::ThreadPool pool(1);
  EXPECT_THROW(make_message_coding(settings, pool), core::UsageError);
}

}  // namespace
}  // namespace tessera::models
