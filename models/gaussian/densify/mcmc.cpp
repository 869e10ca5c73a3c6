// Gaussians as samples of a Markov chain: the dead are moved to where the living are, noise moves
// the nearly transparent, and the count grows by a steady share up to a cap.
//
// Kheradmand et al., "3D Gaussian Splatting as Markov Chain Monte Carlo", 2024.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "core/math/rng.h"
#include "distributed/gather.h"
#include "models/gaussian/densify/densify.h"
#include "models/gaussian/densify/opacity_draw.h"
#include "models/gaussian/densify/relocation.h"
#include "models/gaussian/densify/rotation.h"

namespace tessera::models {
namespace {

constexpr int64_t kGrain = 4096;
// Of opacity at which the noise, 5e5 sigmoid(100 (0.005 - o)), is below 1e-7 of the scale.
constexpr float kNoiselessOpacity = 0.3F;

float logit(double opacity) {
  return static_cast<float>(std::log(opacity / (1 - opacity)));
}

// Where the Gaussians of this rank stand in memory.
class Places {
 public:
  explicit Places(const core::GaussianCloud& cloud) {
    places_.reserve(cloud.size());
    for (int64_t i = 0; i < cloud.size(); ++i) places_.emplace(cloud.ids[i], i);
  }

  std::optional<int64_t> find(uint64_t id) const {
    const auto found = places_.find(id);
    if (found == places_.end()) return std::nullopt;
    return found->second;
  }

 private:
  std::unordered_map<uint64_t, int64_t> places_;
};

class McmcDensifier : public Densifier {
 public:
  McmcDensifier(const TrainSettings& settings, const Schedule& schedule,
                distributed::Communicator& ranks, core::ThreadPool& pool)
      : settings_(settings), schedule_(schedule), ranks_(ranks), pool_(pool) {
    opacity_weight_ = settings.opacity_regularizer >= 0 ? settings.opacity_regularizer : 0.01F;
    scale_weight_ = settings.scale_regularizer >= 0 ? settings.scale_regularizer : 0.01F;
  }

  int statistics_planes() const override { return 0; }

  void add_gradient(const GaussianState& state, int64_t total, int views,
                    core::Planes& gradient) override {
    const float share = static_cast<float>(views) / static_cast<float>(total);
    const float per_opacity = opacity_weight_ * share;
    const float per_scale = scale_weight_ * share / 3;
    const core::GaussianCloud& cloud = state.cloud;
    pool_.parallel_for(state.size(), kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      const float* logits = cloud.plane(core::kOpacityPlane);
      float* opacity_gradient = gradient.plane(core::kOpacityPlane);
      for (int64_t i = begin; i < end; ++i) {
        const float opacity = sigmoid(logits[i]);
        opacity_gradient[i] += per_opacity * opacity * (1 - opacity);
      }
      for (int a = 0; a < 3; ++a) {
        const float* log_scale = cloud.plane(core::kLogScalePlane + a);
        float* scale_gradient = gradient.plane(core::kLogScalePlane + a);
        for (int64_t i = begin; i < end; ++i)
          scale_gradient[i] += per_scale * std::exp(log_scale[i]);
      }
    });
  }

  void collect(GaussianState& /*state*/, const ViewStatistics& /*view*/) override {}

  DensifyReport end_step(GaussianState& state, const StepEnd& step) override {
    DensifyReport report;
    if (schedule_.densifies(step.before, step.after)) {
      child_numbers_.clear();
      relocate_dead(state, step, report);
      grow(state, step, report);
    }
    add_noise(state, step);
    return report;
  }

 private:
  // The parameters of a source that was drawn so often, and no memory of its past.
  void divide(GaussianState& state, int64_t source, int draws) const {
    core::GaussianCloud& cloud = state.cloud;
    const double opacity = std::min(
        1.0 / (1.0 + std::exp(-double{cloud.plane(core::kOpacityPlane)[source]})), 1.0 - 1e-7);
    const Relocated copy = relocated(opacity, draws + 1);
    cloud.plane(core::kOpacityPlane)[source] = logit(std::max<double>(copy.opacity, kMinOpacity));
    const float log_factor = static_cast<float>(std::log(copy.scale_factor));
    for (int a = 0; a < 3; ++a) cloud.plane(core::kLogScalePlane + a)[source] += log_factor;
    clear_moments(state, source);
  }

  static void clear_moments(GaussianState& state, int64_t i) {
    for (int p = 0; p < state.first_moments.plane_count(); ++p) {
      state.first_moments.plane(p)[i] = 0;
      state.second_moments.plane(p)[i] = 0;
    }
  }

  // Divides each source by how often it was drawn.
  void divide_all(GaussianState& state, std::vector<int64_t> sources) const {
    std::sort(sources.begin(), sources.end());
    for (size_t i = 0; i < sources.size();) {
      size_t j = i;
      while (j < sources.size() && sources[j] == sources[i]) ++j;
      divide(state, sources[i], static_cast<int>(j - i));
      i = j;
    }
  }

  // Adds the child that was drawn from `source_id` if that one is this rank's. Called for all draws
  // of an event in their order, so that a source's owner numbers its children as any other would.
  void add_child(const Places& places, uint64_t source_id, const StepEnd& step,
                 std::vector<Child>& children) {
    const std::optional<int64_t> source = places.find(source_id);
    if (!source) return;
    children.push_back({*source, child_id(source_id, step.after, child_numbers_[source_id]++)});
  }

  // Divides the sources among their children, and puts these beside the Gaussians `kept`.
  void give_birth(GaussianState& state, const std::vector<int64_t>& kept,
                  const std::vector<Child>& children) const {
    std::vector<int64_t> sources;
    sources.reserve(children.size());
    for (const Child& child : children) sources.push_back(child.parent);
    divide_all(state, std::move(sources));
    rebuild(state, kept, children, pool_);
  }

  void relocate_dead(GaussianState& state, const StepEnd& step, DensifyReport& report) {
    const core::GaussianCloud& cloud = state.cloud;
    const OpacityDraw draw(cloud, ranks_);
    if (draw.empty()) return;
    std::vector<uint64_t> own_dead;
    std::vector<int64_t> living;
    for (int64_t i = 0; i < cloud.size(); ++i) {
      if (sigmoid(cloud.plane(core::kOpacityPlane)[i]) > kMinOpacity) {
        living.push_back(i);
      } else {
        own_dead.push_back(cloud.ids[i]);
      }
    }
    std::vector<uint64_t> dead =
        distributed::gather_lists(ranks_, "mcmc", std::span<const uint64_t>(own_dead));
    if (dead.empty()) return;
    std::sort(dead.begin(), dead.end());
    const Places places(cloud);
    std::vector<uint64_t> random;
    for (const uint64_t id : dead) {
      const math::Random4 bits = random_bits(settings_.seed, math::RandomStream::kMcmcDraw,
                                             static_cast<uint32_t>(step.after), id);
      random.push_back(uint64_t{bits.v[0]} << 32 | bits.v[1]);
    }
    std::vector<Child> children;
    for (const uint64_t source : draw.draw(random)) add_child(places, source, step, children);
    give_birth(state, living, children);
    report.relocated = static_cast<int64_t>(children.size());
  }

  void grow(GaussianState& state, const StepEnd& step, DensifyReport& report) {
    const int64_t total = ranks_.all_reduce("mcmc", distributed::Reduction::kSum, state.size());
    const int64_t grown =
        static_cast<int64_t>((1.0 + double{settings_.mcmc_growth}) * static_cast<double>(total));
    const int64_t added = std::min(settings_.max_gaussians, grown) - total;
    const OpacityDraw draw(state.cloud, ranks_);
    if (added <= 0 || draw.empty()) return;
    const Places places(state.cloud);
    std::vector<uint64_t> random;
    for (int64_t k = 0; k < added; ++k) {
      const math::Random4 bits =
          random_bits(settings_.seed, math::RandomStream::kMcmcDraw,
                      static_cast<uint32_t>(step.after), static_cast<uint64_t>(k));
      random.push_back(uint64_t{bits.v[2]} << 32 | bits.v[3]);
    }
    std::vector<Child> children;
    for (const uint64_t source : draw.draw(random)) add_child(places, source, step, children);
    std::vector<int64_t> all(state.size());
    std::iota(all.begin(), all.end(), int64_t{0});
    give_birth(state, all, children);
    report.added = static_cast<int64_t>(children.size());
  }

  void add_noise(GaussianState& state, const StepEnd& step) {
    core::GaussianCloud& cloud = state.cloud;
    const float strength =
        settings_.mcmc_noise * step.position_rate * std::sqrt(static_cast<float>(settings_.batch));
    pool_.parallel_for(cloud.size(), kGrain, [&](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t i = begin; i < end; ++i) {
        const float opacity = sigmoid(cloud.plane(core::kOpacityPlane)[i]);
        if (!(opacity < kNoiselessOpacity)) continue;
        move(cloud, i, strength * sigmoid(100 * (kMinOpacity - opacity)), step.after);
      }
    });
  }

  // mean += Sigma xi, times `strength`.
  void move(core::GaussianCloud& cloud, int64_t i, float strength, int64_t step) const {
    const math::Random4 bits = random_bits(settings_.seed, math::RandomStream::kMcmcNoise,
                                           static_cast<uint32_t>(step), cloud.ids[i]);
    float n[4];
    math::normals_from_bits(bits.v[0], bits.v[1], n[0], n[1]);
    math::normals_from_bits(bits.v[2], bits.v[3], n[2], n[3]);
    float q[4];
    for (int k = 0; k < 4; ++k) q[k] = cloud.plane(core::kQuaternionPlane + k)[i];
    const math::Mat3<float> rotation = rotation_of(q);
    math::Vec3<float> along = transposed_times(rotation, math::Vec3<float>{n[0], n[1], n[2]});
    float* components[3] = {&along.x, &along.y, &along.z};
    for (int a = 0; a < 3; ++a) {
      const float scale = std::exp(cloud.plane(core::kLogScalePlane + a)[i]);
      *components[a] *= scale * scale * strength;
    }
    const math::Vec3<float> offset = rotation * along;
    cloud.plane(core::kMeanPlane)[i] += offset.x;
    cloud.plane(core::kMeanPlane + 1)[i] += offset.y;
    cloud.plane(core::kMeanPlane + 2)[i] += offset.z;
  }

  const TrainSettings settings_;
  const Schedule schedule_;
  distributed::Communicator& ranks_;
  core::ThreadPool& pool_;
  float opacity_weight_;
  float scale_weight_;
  std::unordered_map<uint64_t, uint32_t> child_numbers_;  // by source, in the current event
};

}  // namespace

std::unique_ptr<Densifier> make_mcmc_densifier(const TrainSettings& settings,
                                               const Schedule& schedule,
                                               distributed::Communicator& ranks,
                                               core::ThreadPool& pool) {
  return std::make_unique<McmcDensifier>(settings, schedule, ranks, pool);
}

}  // namespace tessera::models
