// SPDX-License-Identifier: MIT
#include "models/multiplane/refiner/trainer.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include "core/adam.h"
#include "core/error.h"
#include "models/multiplane/refiner/layer_patches.h"
#include "models/multiplane/refiner/lesson.h"
#include "models/multiplane/refiner/network.h"

namespace tessera::models {
namespace {

constexpr const char* kStateKind = "tessera multiplane refiner in training 1";
constexpr double kWarmUpSteps = 30;
constexpr double kLastRate = 0.05;
// Adam's: gradients of means over pictures are far smaller than the usual 1e-8.
constexpr double kAdamEpsilon = 1e-12;
// Of the mean of parameters: it forgets within the last few hundred steps.
constexpr double kMeanDecay = 0.99;
// Every so many photos one is held out, where there are as many.
constexpr size_t kHeldOutEvery = 8;
constexpr int kHeldOutLessons = 12;
constexpr int kMostSteps = 1 << 23;
constexpr int kHeldOutStep = kMostSteps;  // and on: their steps, none that training comes to
constexpr int kLeastSide = 64;            // of photos
constexpr int64_t kBatch = 16;

}  // namespace

struct RefinerTrainer::Impl {
  Impl(std::vector<TrainingPhoto> all, const RefinerSettings& settings_, core::ThreadPool& pool_)
      : settings(settings_),
        pool(pool_),
        network(settings.seed),
        first_moment(1, network.values().size()),
        second_moment(1, network.values().size()),
        mean(network.values()),
        best(network.values()) {
    at::set_num_threads(pool.thread_count());
    for (size_t i = 0; i < all.size(); ++i) {
      const bool is_held_out = all.size() >= kHeldOutEvery && i % kHeldOutEvery == 0;
      (is_held_out ? held_out : photos).push_back(std::move(all[i]));
    }
  }

  void update();
  std::optional<Lesson> lesson(std::span<const TrainingPhoto> of, int step) const;

  std::vector<TrainingPhoto> photos;
  std::vector<TrainingPhoto> held_out;
  RefinerSettings settings;
  core::ThreadPool& pool;
  RefinerNetwork network;
  core::Planes first_moment;
  core::Planes second_moment;
  core::Planes mean;
  core::Planes best;      // the mean that did best on what is held out; at first it changes nothing
  double best_loss = -1;  // there; below zero: as without the network
  int steps = 0;
};

// None where no depth is known.
std::optional<Lesson> RefinerTrainer::Impl::lesson(std::span<const TrainingPhoto> of,
                                                   int step) const {
  WarpedPhoto example = warped_photo(of, settings.side, settings.seed, step);
  if (example.truth.width == 0) return std::nullopt;
  return std::optional<Lesson>(std::in_place, std::move(example), settings.ssim_weight, pool);
}

void RefinerTrainer::Impl::update() {
  const double part = std::min(1.0, static_cast<double>(steps) / settings.steps);
  const double fall = kLastRate + (1 - kLastRate) * 0.5 * (1 + std::cos(std::numbers::pi * part));
  const auto rate =
      static_cast<float>(settings.rate * fall * std::min(1.0, (steps + 1) / kWarmUpSteps));
  core::AdamStep adam;
  adam.epsilon = kAdamEpsilon;
  adam.step = steps + 1;
  adam.rates = std::span(&rate, 1);
  core::adam_update(adam, network.values(), network.gradients(), first_moment, second_moment, pool);
  // Early on the mean is that of all steps so far.
  const auto keep = static_cast<float>(std::min(kMeanDecay, steps / (steps + 1.0)));
  for (int64_t i = 0; i < mean.size(); ++i) {
    float& value = mean.plane(0)[i];
    value = keep * value + (1 - keep) * network.values().plane(0)[i];
  }
}

RefinerTrainer::RefinerTrainer(std::vector<TrainingPhoto> photos, const RefinerSettings& settings,
                               core::ThreadPool& pool) {
  if (photos.empty()) throw core::Error("A refiner learns from photos with depth; there are none.");
  for (const TrainingPhoto& photo : photos) {
    if (photo.color.width != photo.inverse_depth.width ||
        photo.color.height != photo.inverse_depth.height) {
      throw core::Error("A photo and its depth must be of one size.");
    }
    if (std::min(photo.color.width, photo.color.height) < kLeastSide) {
      throw core::Error(
          fmt::format("A refiner learns from photos of at least {0}x{0} pixels; one "
                      "has {1}x{2}.",
                      kLeastSide, photo.color.width, photo.color.height));
    }
  }
  impl_ = std::make_unique<Impl>(std::move(photos), settings, pool);
}

RefinerTrainer::~RefinerTrainer() = default;

RefinerLoss RefinerTrainer::step() {
  Impl& o = *impl_;
  std::optional<Lesson> lesson = o.lesson(o.photos, o.steps);
  RefinerLoss loss;
  if (lesson) {
    lesson->keep_first(o.settings.patches);
    loss = {lesson->plain_loss(), lesson->plain_loss()};
  }
  if (lesson && lesson->patch_count() > 0) {
    const at::Tensor output = o.network.forward(lesson->seen(0, lesson->patch_count()));
    at::Tensor gradient = at::empty(output.sizes(), at::kFloat);
    loss.refined = lesson->refined_loss(output, &gradient);
    output.backward(gradient);
    o.update();
  }
  ++o.steps;
  return loss;
}

RefinerLoss RefinerTrainer::check() {
  Impl& o = *impl_;
  const at::NoGradGuard no_gradients;
  const RefinerNetwork network(o.network.weights(o.mean));
  RefinerLoss sum;
  for (int i = 0; i < kHeldOutLessons; ++i) {
    std::optional<Lesson> lesson =
        o.lesson(o.held_out.empty() ? o.photos : o.held_out, kHeldOutStep + i);
    if (!lesson) continue;
    const int64_t count = lesson->patch_count();
    const at::Tensor output = at::empty({count, kRefinedChannels, kPatchSide, kPatchSide});
    for (int64_t begin = 0; begin < count; begin += kBatch) {
      const int64_t some = std::min(kBatch, count - begin);
      const at::Tensor refined = network.forward(lesson->seen(begin, some));
      std::copy_n(refined.const_data_ptr<float>(), refined.numel(),
                  output.mutable_data_ptr<float>() + begin * kRefinedValues);
    }
    sum.plain += lesson->plain_loss() / kHeldOutLessons;
    sum.refined += lesson->refined_loss(output, nullptr) / kHeldOutLessons;
  }
  if (sum.refined < (o.best_loss < 0 ? sum.plain : o.best_loss)) {
    o.best_loss = sum.refined;
    o.best = o.mean;
  }
  return {sum.refined, sum.plain};
}

int RefinerTrainer::steps_done() const {
  return impl_->steps;
}

core::TensorMap RefinerTrainer::weights() const {
  return impl_->network.weights(impl_->mean);
}

core::TensorMap RefinerTrainer::best_weights() const {
  return impl_->network.weights(impl_->best);
}

core::TensorMap RefinerTrainer::state() const {
  const Impl& o = *impl_;
  core::TensorMap map;
  map.metadata = {{"kind", kStateKind},
                  {"steps", std::to_string(o.steps)},
                  {"seed", std::to_string(o.settings.seed)},
                  {"best_loss", fmt::format("{}", o.best_loss)}};
  const auto add = [&](const char* name, const core::Planes& planes) {
    map.tensors[name] =
        core::float_tensor({planes.size()}, {planes.plane(0), static_cast<size_t>(planes.size())});
  };
  add("values", impl_->network.values());
  add("first_moment", o.first_moment);
  add("second_moment", o.second_moment);
  add("mean", o.mean);
  add("best", o.best);
  return map;
}

void RefinerTrainer::resume(const core::TensorMap& state) {
  Impl& o = *impl_;
  const auto number = [&](const char* key, auto value) {
    const auto found = state.metadata.find(key);
    if (found != state.metadata.end()) {
      const std::string& text = found->second;
      std::from_chars(text.data(), text.data() + text.size(), value);
    }
    return value;
  };
  const auto kind = state.metadata.find("kind");
  const uint64_t steps = number("steps", UINT64_MAX);
  if (kind == state.metadata.end() || kind->second != kStateKind || steps >= kMostSteps) {
    throw core::Error("This is no checkpoint of a refiner in training.");
  }
  if (number("seed", UINT64_MAX) != o.settings.seed) {
    throw core::Error("The checkpoint was made with another --seed; give that one.");
  }
  const auto take = [&](const char* name, core::Planes& planes) {
    const auto found = state.tensors.find(name);
    if (found == state.tensors.end() ||
        found->second.shape != std::vector<int64_t>{planes.size()}) {
      throw core::Error(fmt::format("The checkpoint has no {} of this network.", name));
    }
    const core::Array<float> values = core::floats_of(found->second);
    std::copy(values.begin(), values.end(), planes.plane(0));
  };
  take("values", o.network.values());
  take("first_moment", o.first_moment);
  take("second_moment", o.second_moment);
  take("mean", o.mean);
  take("best", o.best);
  o.best_loss = number("best_loss", -1.0);
  o.steps = static_cast<int>(steps);
}

}  // namespace tessera::models
