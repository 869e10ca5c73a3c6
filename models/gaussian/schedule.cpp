// SPDX-License-Identifier: MIT
#include "models/gaussian/schedule.h"

#include <algorithm>
#include <cmath>

namespace tessera::models {
namespace {

constexpr int64_t kDensifyFrom = 500;
constexpr int64_t kDensifyUntil = 15000;
constexpr int64_t kMcmcDensifyUntil = 25000;
constexpr double kPositionDecay = 0.01;      // over a standard run
constexpr double kLeastPositionDecay = 0.1;  // over a short one
constexpr double kShRestDivisor = 20;        // of the rate of degree 0, in a standard run
constexpr double kLeastShRestDivisor = 10;   // in a short one

// How many times shorter than a standard run.
double shorter(const TrainSettings& settings) {
  return std::max(
      1.0, static_cast<double>(kStandardIterations) / static_cast<double>(settings.iterations));
}

double final_position_rate(const TrainSettings& settings) {
  if (settings.position_rate_final >= 0) return settings.position_rate_final;
  double decay = kPositionDecay;
  // mcmc draws its noise by the position rate, which must fade.
  if (settings.strategy != "mcmc") {
    decay = std::min(decay * std::pow(shorter(settings), 1.5), kLeastPositionDecay);
  }
  return decay * settings.position_rate;
}

double sh_rest_divisor(const TrainSettings& settings) {
  if (settings.sh_rest_divisor >= 0) return settings.sh_rest_divisor;
  if (settings.strategy == "mcmc") return kShRestDivisor;
  return std::max(kShRestDivisor / std::sqrt(shorter(settings)), kLeastShRestDivisor);
}

}  // namespace

AdamConstants adam_constants(const TrainSettings& settings) {
  const double root = std::sqrt(static_cast<double>(settings.batch));
  AdamConstants constants;
  constants.beta1 = std::pow(constants.beta1, settings.batch);
  constants.beta2 = std::pow(constants.beta2, settings.batch);
  constants.epsilon = settings.adam_epsilon / root;
  constants.rate_factor = root;
  return constants;
}

Schedule::Schedule(const TrainSettings& settings, double scene_extent)
    : settings_(settings),
      extent_(scene_extent),
      position_rate_final_(final_position_rate(settings)),
      sh_rest_divisor_(sh_rest_divisor(settings)) {
  const int64_t n = settings.iterations;
  densify_from_ =
      settings.densify_from >= 0 ? settings.densify_from : std::min(kDensifyFrom, n / 6);
  if (settings.densify_until >= 0) {
    densify_until_ = settings.densify_until;
  } else if (settings.strategy == "mcmc") {
    densify_until_ = std::min(kMcmcDensifyUntil, n * kMcmcDensifyUntil / kStandardIterations);
  } else {
    densify_until_ = std::min(kDensifyUntil, n / 2);
  }
}

LearningRates Schedule::rates(int64_t seen) const {
  const double span = static_cast<double>(std::min(settings_.iterations, kStandardIterations));
  const double t = std::clamp(static_cast<double>(seen) / span, 0.0, 1.0);
  const double position = std::exp((1 - t) * std::log(double{settings_.position_rate}) +
                                   t * std::log(position_rate_final_));
  LearningRates rates;
  rates.position = static_cast<float>(position * extent_);
  rates.scale = settings_.scale_rate;
  rates.rotation = settings_.rotation_rate;
  rates.opacity = settings_.opacity_rate;
  rates.sh = settings_.sh_rate;
  rates.sh_rest = static_cast<float>(settings_.sh_rate / sh_rest_divisor_);
  return rates;
}

int Schedule::sh_degree(int64_t seen) const {
  const int64_t reached =
      std::max<int64_t>(settings_.sh_start_degree, seen / settings_.sh_interval);
  return static_cast<int>(std::min<int64_t>(settings_.sh_degree, reached));
}

bool Schedule::collects(int64_t after) const {
  return after <= densify_until_;
}

bool Schedule::densifies(int64_t before, int64_t after) const {
  return after > densify_from_ && after <= densify_until_ &&
         crosses_multiple(before, after, settings_.densify_interval);
}

bool Schedule::resets_opacity(int64_t before, int64_t after) const {
  return settings_.strategy != "mcmc" && after <= densify_until_ &&
         3 * after <= 2 * settings_.iterations &&
         crosses_multiple(before, after, settings_.opacity_reset_interval);
}

bool Schedule::prunes_large(int64_t after) const {
  return settings_.opacity_reset_interval > 0 && after > settings_.opacity_reset_interval;
}

}  // namespace tessera::models
