// The rule of the original: clone the small, split the large where the picture's gradient is high,
// prune the transparent and the huge, reset opacities now and then.
//
// Kerbl et al. 2023; absolute gradients: Yu et al., "Gaussian Opacity Fields" and Ye et al.,
// "AbsGS", 2024. Gradients are measured in normalized device units, as the original's threshold is.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "core/math/rng.h"
#include "distributed/gather.h"
#include "models/gaussian/densify/densify.h"
#include "models/gaussian/densify/rotation.h"

namespace tessera::models {
namespace {

constexpr int kGradientSum = 0;  // statistics: sum over views of the gradient's norm
constexpr int kSeenCount = 1;    // and the number of views that saw the Gaussian
constexpr int kStatistics = 2;
constexpr int kSplitChildren = 2;

float logit(float opacity) {
  return std::log(opacity / (1 - opacity));
}

// A sample of the Gaussian's own distribution, relative to its mean.
math::Vec3<float> sample_offset(const core::GaussianCloud& cloud, int64_t i, uint64_t seed,
                                int64_t step, uint64_t id) {
  const math::Random4 bits =
      random_bits(seed, math::RandomStream::kSplit, static_cast<uint32_t>(step), id);
  float n[4];
  math::normals_from_bits(bits.v[0], bits.v[1], n[0], n[1]);
  math::normals_from_bits(bits.v[2], bits.v[3], n[2], n[3]);
  float q[4];
  for (int k = 0; k < 4; ++k) q[k] = cloud.plane(core::kQuaternionPlane + k)[i];
  const math::Vec3<float> along_axes = {std::exp(cloud.plane(core::kLogScalePlane)[i]) * n[0],
                                        std::exp(cloud.plane(core::kLogScalePlane + 1)[i]) * n[1],
                                        std::exp(cloud.plane(core::kLogScalePlane + 2)[i]) * n[2]};
  return rotation_of(q) * along_axes;
}

class DefaultDensifier : public Densifier {
 public:
  DefaultDensifier(const TrainSettings& settings, const Schedule& schedule,
                   distributed::Communicator& ranks, core::ThreadPool& pool)
      : settings_(settings), schedule_(schedule), ranks_(ranks), pool_(pool) {
    threshold_ = settings.densify_gradient;
    if (threshold_ < 0) threshold_ = settings.absgrad ? 8e-4F : 2e-4F;
  }

  int statistics_planes() const override { return kStatistics; }

  void add_gradient(const GaussianState& /*state*/, int64_t /*total*/, int /*views*/,
                    core::Planes& /*gradient*/) override {}

  void collect(GaussianState& state, const ViewStatistics& view) override {
    const auto& gradient = view.gradient;
    const float* gx = (settings_.absgrad ? gradient.absolute_mean2d_x : gradient.mean2d_x).data();
    const float* gy = (settings_.absgrad ? gradient.absolute_mean2d_y : gradient.mean2d_y).data();
    const float* radii = view.radii.data();
    float* sum = state.statistics.plane(kGradientSum);
    float* seen = state.statistics.plane(kSeenCount);
    const float to_ndc_x = 0.5F * static_cast<float>(view.width);
    const float to_ndc_y = 0.5F * static_cast<float>(view.height);
    pool_.parallel_for(state.size(), kGrain, [=](int64_t begin, int64_t end, int /*thread*/) {
      for (int64_t i = begin; i < end; ++i) {
        const float x = gx[i] * to_ndc_x;
        const float y = gy[i] * to_ndc_y;
        sum[i] += std::sqrt(x * x + y * y);
        seen[i] += radii[i] > 0 ? 1.0F : 0.0F;
      }
    });
  }

  DensifyReport end_step(GaussianState& state, const StepEnd& step) override {
    DensifyReport report;
    if (schedule_.densifies(step.before, step.after)) {
      grow(state, step, report);
      prune(state, step, report);
    }
    if (schedule_.resets_opacity(step.before, step.after)) reset_opacity(state);
    return report;
  }

 private:
  static constexpr int64_t kGrain = 16384;

  static float largest_log_scale(const core::GaussianCloud& cloud, int64_t i) {
    return std::max({cloud.plane(core::kLogScalePlane)[i], cloud.plane(core::kLogScalePlane + 1)[i],
                     cloud.plane(core::kLogScalePlane + 2)[i]});
  }

  // One that asks to grow.
  struct Candidate {
    float gradient = 0;
    uint64_t id = 0;

    bool operator<(const Candidate& other) const {  // the most urgent first
      return gradient != other.gradient ? gradient > other.gradient : id < other.id;
    }
  };

  // How many may be added now: the room below the cap in equal parts for the events that are left,
  // so that late errors find room as early ones do.
  int64_t budget(int64_t size, int64_t after) const {
    const int64_t room = std::max<int64_t>(0, settings_.max_gaussians - size);
    const int64_t events_after =
        std::max<int64_t>(0, schedule_.densify_until() - after) / settings_.densify_interval;
    return (room + events_after) / (events_after + 1);
  }

  // Indices of those whose mean gradient reaches the threshold, ascending; of all ranks' the
  // highest gradients where the budget does not hold all.
  std::vector<int64_t> candidates(const GaussianState& state, int64_t after) const {
    const float* sum = state.statistics.plane(kGradientSum);
    const float* seen = state.statistics.plane(kSeenCount);
    std::vector<int64_t> found;
    std::vector<Candidate> asking;
    for (int64_t i = 0; i < state.size(); ++i) {
      if (!(seen[i] > 0 && sum[i] >= threshold_ * seen[i])) continue;
      found.push_back(i);
      asking.push_back({sum[i] / seen[i], state.cloud.ids[i]});
    }
    int64_t totals[2] = {state.size(), static_cast<int64_t>(found.size())};
    ranks_.all_reduce("densify", distributed::Reduction::kSum, std::span<int64_t>(totals));
    const int64_t most = budget(totals[0], after);
    if (totals[1] <= most) return found;
    std::vector<Candidate> all =
        distributed::gather_lists(ranks_, "densify", std::span<const Candidate>(asking));
    if (most == 0) return {};
    std::nth_element(all.begin(), all.begin() + (most - 1), all.end());
    const Candidate last = all[most - 1];
    std::vector<int64_t> chosen;
    for (size_t k = 0; k < found.size(); ++k) {
      if (!(last < asking[k])) chosen.push_back(found[k]);
    }
    return chosen;
  }

  void grow(GaussianState& state, const StepEnd& step, DensifyReport& report) {
    const float log_limit = static_cast<float>(std::log(settings_.clone_extent * step.extent));
    std::vector<uint8_t> is_split(state.size(), 0);
    std::vector<Child> clones;
    std::vector<Child> halves;
    for (const int64_t i : candidates(state, step.after)) {
      const uint64_t id = state.cloud.ids[i];
      if (largest_log_scale(state.cloud, i) <= log_limit) {
        clones.push_back({i, child_id(id, step.after, 0)});
        continue;
      }
      is_split[i] = 1;
      for (int k = 0; k < kSplitChildren; ++k) halves.push_back({i, child_id(id, step.after, k)});
    }
    report.cloned = static_cast<int64_t>(clones.size());
    report.split = static_cast<int64_t>(halves.size()) / kSplitChildren;
    std::vector<int64_t> kept;
    for (int64_t i = 0; i < state.size(); ++i) {
      if (is_split[i] == 0) kept.push_back(i);
    }
    std::vector<Child> children = clones;
    children.insert(children.end(), halves.begin(), halves.end());
    rebuild(state, kept, children, pool_);

    const float log_divisor = std::log(settings_.split_divisor);
    core::GaussianCloud& cloud = state.cloud;
    for (int64_t i = cloud.size() - static_cast<int64_t>(halves.size()); i < cloud.size(); ++i) {
      const auto offset = sample_offset(cloud, i, settings_.seed, step.after, cloud.ids[i]);
      cloud.plane(core::kMeanPlane)[i] += offset.x;
      cloud.plane(core::kMeanPlane + 1)[i] += offset.y;
      cloud.plane(core::kMeanPlane + 2)[i] += offset.z;
      for (int a = 0; a < 3; ++a) cloud.plane(core::kLogScalePlane + a)[i] -= log_divisor;
    }
  }

  void prune(GaussianState& state, const StepEnd& step, DensifyReport& report) {
    const float logit_limit = logit(settings_.prune_opacity);
    const float log_limit = schedule_.prunes_large(step.after)
                                ? static_cast<float>(std::log(settings_.prune_extent * step.extent))
                                : INFINITY;
    const float* opacity = state.cloud.plane(core::kOpacityPlane);
    std::vector<int64_t> kept;
    kept.reserve(state.size());
    for (int64_t i = 0; i < state.size(); ++i) {
      if (opacity[i] >= logit_limit && largest_log_scale(state.cloud, i) <= log_limit) {
        kept.push_back(i);
      }
    }
    report.pruned = state.size() - static_cast<int64_t>(kept.size());
    if (report.pruned > 0) rebuild(state, kept, {}, pool_);
  }

  void reset_opacity(GaussianState& state) const {
    const float limit = logit(settings_.opacity_after_reset);
    float* opacity = state.cloud.plane(core::kOpacityPlane);
    for (int64_t i = 0; i < state.size(); ++i) opacity[i] = std::min(opacity[i], limit);
    std::fill_n(state.first_moments.plane(core::kOpacityPlane), state.size(), 0.0F);
    std::fill_n(state.second_moments.plane(core::kOpacityPlane), state.size(), 0.0F);
  }

  const TrainSettings settings_;
  const Schedule schedule_;
  distributed::Communicator& ranks_;
  core::ThreadPool& pool_;
  float threshold_;
};

}  // namespace

std::unique_ptr<Densifier> make_default_densifier(const TrainSettings& settings,
                                                  const Schedule& schedule,
                                                  distributed::Communicator& ranks,
                                                  core::ThreadPool& pool) {
  return std::make_unique<DefaultDensifier>(settings, schedule, ranks, pool);
}

}  // namespace tessera::models
