// The refiner: what an untrained one leaves, what it learns, what it keeps, what it refuses.
// SPDX-License-Identifier: MIT
#include "models/multiplane/refiner/refine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "core/metrics.h"
#include "models/multiplane/refiner/layer_patches.h"
#include "models/multiplane/refiner/network.h"
#include "models/multiplane/refiner/trainer.h"
#include "render/multiplane/multiplane_renderer.h"
#include "tests/models/multiplane/made_photos.h"
#include "tests/models/multiplane/refiner/made_training_photos.h"

namespace tessera::models {
namespace {

using ::testing::HasSubstr;

RefinerSettings quick_settings() {
  RefinerSettings settings;
  settings.side = 96;
  settings.patches = 8;
  settings.rate = 3e-4F;
  settings.steps = 40;
  settings.seed = 5;
  return settings;
}

// A square before a slanted ground.
core::MultiplaneImage made_image(core::ThreadPool& pool) {
  const DepthPhoto photo = made_photo(150, 110, [](float x, float y) {
    return std::abs(x - 70) < 25 && std::abs(y - 50) < 25 ? 14.0F : 2 + 0.02F * y;
  });
  PlanSettings settings;
  settings.baseline = 1;
  return build_multiplane(photo, settings, pool);
}

void make_wild(core::TensorData& tensor) {
  core::Array<float> values = core::floats_of(tensor);
  for (int64_t i = 0; i < values.size(); ++i) values[i] = 0.3F * std::sin(1.7F * i);
  std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
}

// Weights that change much: the last layer is no longer zero.
core::TensorMap wild_weights() {
  RefinerNetwork network(3);
  core::TensorMap map = network.weights(network.values());
  make_wild(map.tensors.at("last.weight"));
  return map;
}

core::MultiplaneImage refined(const core::MultiplaneImage& image, const core::TensorMap& weights,
                              core::ThreadPool& pool) {
  return refined_multiplane(image, weights, pool, [](int64_t, int64_t) {});
}

class RefinerTest : public ::testing::Test {
 protected:
  core::ThreadPool pool_{2};
};

TEST_F(RefinerTest, AnUntrainedOneChangesNothing) {
  const core::MultiplaneImage image = made_image(pool_);
  const std::vector<LayerPatch> patches = layer_patches(image, reference_view(image));
  int hidden = 0;
  for (const LayerPatch& patch : patches) hidden += patch.hidden;
  EXPECT_GT(hidden, 2000);  // of the 2,500 pixels of ground that the square hides
  RefinerNetwork network(1);
  const core::MultiplaneImage result = refined(image, network.weights(network.values()), pool_);
  EXPECT_EQ(result.layers, image.layers);
  EXPECT_EQ(result.pages, image.pages);
}

TEST_F(RefinerTest, TheReferenceViewStaysWhateverTheWeights) {
  const core::MultiplaneImage image = made_image(pool_);
  const core::MultiplaneImage result = refined(image, wild_weights(), pool_);
  EXPECT_NE(result.pages, image.pages);
  const auto view = [&](const core::MultiplaneImage& of) {
    render::MultiplaneOutput output;
    render::make_multiplane_renderer("cpu", pool_)->forward(of, of.camera, {}, output);
    return std::move(output.color);
  };
  EXPECT_GE(core::measure(view(result), view(image), {}, pool_).psnr, kReferencePsnr);
}

TEST_F(RefinerTest, RefusesWeightsOfOthers) {
  const core::MultiplaneImage image = made_image(pool_);
  const auto refusal = [&](const core::TensorMap& map) -> std::string {
    try {
      refined(image, map, pool_);
    } catch (const core::Error& error) {
      return error.what();
    }
    return "";
  };
  core::TensorMap map = wild_weights();
  map.metadata["architecture"] = "another";
  EXPECT_THAT(refusal(map), HasSubstr("architecture"));
  map = wild_weights();
  map.tensors.erase("middle.0.weight");
  EXPECT_THAT(refusal(map), HasSubstr("middle.0.weight is missing"));
  map = wild_weights();
  map.tensors.at("last.bias") = core::float_tensor({1}, std::vector<float>(1));
  EXPECT_THAT(refusal(map), HasSubstr("last.bias is [1] and should be [16]"));
}

TEST_F(RefinerTest, WeightsComeBackAsTheyWere) {
  const core::TensorMap map = wild_weights();
  RefinerNetwork network(map);
  EXPECT_EQ(network.weights(network.values()), map);
  int64_t count = 0;
  for (const auto& [name, tensor] : map.tensors) count += core::element_count(tensor.shape);
  EXPECT_GT(count, 1'800'000);
  EXPECT_LT(count, 2'400'000);
}

TEST_F(RefinerTest, AllOfTheNetworkLearns) {
  RefinerTrainer trainer(made_set(), quick_settings(), pool_);
  const core::TensorMap before = trainer.weights();
  for (int i = 0; i < 3; ++i) trainer.step();
  const core::TensorMap after = trainer.weights();
  for (const auto& [name, tensor] : before.tensors) {
    EXPECT_FALSE(after.tensors.at(name) == tensor) << name;
  }
}

TEST_F(RefinerTest, TrainingLowersTheLossOnWhatIsHeldOut) {
  RefinerTrainer trainer(made_set(), quick_settings(), pool_);
  const RefinerLoss before = trainer.check();
  EXPECT_EQ(before.refined, before.plain);
  EXPECT_EQ(trainer.best_weights(), trainer.weights());
  while (trainer.steps_done() < 40) trainer.step();
  const RefinerLoss after = trainer.check();
  EXPECT_EQ(after.plain, before.plain);
  EXPECT_LT(after.refined, 0.98 * after.plain);
  EXPECT_EQ(trainer.best_weights(), trainer.weights());
}

TEST_F(RefinerTest, WhatIsWorseThanNoneIsNotKept) {
  RefinerTrainer trainer(made_set(), quick_settings(), pool_);
  const core::TensorMap untrained = trainer.weights();
  core::TensorMap state = trainer.state();
  make_wild(state.tensors.at("mean"));
  trainer.resume(state);
  const RefinerLoss loss = trainer.check();
  EXPECT_GT(loss.refined, 1.02 * loss.plain);
  EXPECT_EQ(trainer.best_weights(), untrained);
}

TEST_F(RefinerTest, AResumedTrainingIsTheSame) {
  RefinerTrainer whole(made_set(), quick_settings(), pool_);
  whole.step();
  whole.step();
  whole.check();
  const core::TensorMap state = whole.state();
  whole.step();
  RefinerTrainer resumed(made_set(), quick_settings(), pool_);
  resumed.resume(state);
  EXPECT_EQ(resumed.steps_done(), 2);
  resumed.step();
  EXPECT_EQ(resumed.state(), whole.state());
  EXPECT_EQ(resumed.best_weights(), whole.best_weights());
  EXPECT_THROW(resumed.resume(whole.weights()), core::Error);
}

}  // namespace
}  // namespace tessera::models
