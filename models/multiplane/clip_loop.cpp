// SPDX-License-Identifier: MIT
#include "models/multiplane/clip_loop.h"

#include <algorithm>
#include <cmath>

#include "core/table_entry.h"

namespace tessera::models {
namespace {

constexpr int kMostFaded = 8;       // frames
constexpr int64_t kSamples = 8192;  // pixels that frames are compared by
// A loop is as good as the best if its ends differ by no more than this.
constexpr float kAsGood = 1.1F;
constexpr float kRounding = 0.5F;  // of 255, squared

double decibels(double mean_square) {
  return mean_square > 0 ? 10 * std::log10(255 * 255 / mean_square) : INFINITY;
}

// Of the moving pixels evenly, [frames][pixels * 3]. Wide enough that none is missed where few
// move.
std::vector<std::vector<uint8_t>> samples_of(std::span<const core::Image8> frames,
                                             const core::Image8& moves) {
  std::vector<int64_t> pixels;
  for (int64_t i = 0; i < moves.pixel_count(); ++i) {
    if (moves.data[i] != 0) pixels.push_back(i);
  }
  const int64_t count = std::min<int64_t>(kSamples, static_cast<int64_t>(pixels.size()));
  std::vector<std::vector<uint8_t>> samples(frames.size());
  for (size_t frame = 0; frame < frames.size(); ++frame) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t pixel = pixels[i * static_cast<int64_t>(pixels.size()) / count];
      for (int c = 0; c < 3; ++c) samples[frame].push_back(frames[frame].data[3 * pixel + c]);
    }
  }
  return samples;
}

float mean_square(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const int difference = int{a[i]} - int{b[i]};
    sum += difference * difference;
  }
  return a.empty() ? 0
                   : static_cast<float>(static_cast<double>(sum) / static_cast<double>(a.size()));
}

float usual_step(const core::ImageF& differences) {
  std::vector<float> steps;
  for (int i = 1; i < differences.width; ++i) steps.push_back(differences.at(i, i - 1));
  std::nth_element(steps.begin(), steps.begin() + static_cast<int64_t>(steps.size() / 2),
                   steps.end());
  return steps[steps.size() / 2];
}

ClipLoop whole_clip(const core::ImageF& differences, const LoopSettings& /*settings*/) {
  ClipLoop loop;
  for (int i = 0; i < differences.width; ++i) loop.frames.push_back({i, i, 0});
  return loop;
}

// Frames `start` and on, whose first `faded` are mixed with those behind the end.
ClipLoop faded_loop(int start, int length, int faded) {
  ClipLoop loop;
  loop.start = start;
  loop.faded = faded;
  for (int k = 0; k < length; ++k) {
    const int first = k < faded ? start + length + k : start + k;
    const float weight =
        k < faded ? static_cast<float>(k + 1) / static_cast<float>(faded + 1) : 0.0F;
    loop.frames.push_back({first, start + k, weight});
  }
  return loop;
}

ClipLoop crossfaded(const core::ImageF& differences, const LoopSettings& settings) {
  const int count = differences.width;
  const int least = std::clamp(settings.least_frames > 0 ? settings.least_frames : (count + 1) / 2,
                               2, std::max(2, count));
  const bool closed = differences.at(count - 1, 0) <= kAsGood * usual_step(differences) + kRounding;
  if (closed || least + 1 > count) return whole_clip(differences, settings);

  struct Candidate {
    int start, length, faded;
    float cost;
  };
  std::vector<Candidate> candidates;
  for (int length = count - 1; length >= least; --length) {
    for (int start = 0; start + length < count; ++start) {
      const int faded = std::min({kMostFaded, std::max(1, length / 4), count - start - length});
      float sum = 0;
      for (int k = 0; k < faded; ++k) sum += differences.at(start + k, start + length + k);
      candidates.push_back({start, length, faded, sum / static_cast<float>(faded)});
    }
  }
  const float best =
      std::min_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
        return a.cost < b.cost;
      })->cost;
  // The longest of those that are as good, of these the one with the longest fade.
  const Candidate* chosen = nullptr;
  for (const Candidate& candidate : candidates) {
    if (candidate.cost > kAsGood * best + kRounding) continue;
    if (chosen == nullptr ||
        (candidate.length == chosen->length &&
         (candidate.faded > chosen->faded ||
          (candidate.faded == chosen->faded && candidate.cost < chosen->cost)))) {
      chosen = &candidate;
    }
  }
  return faded_loop(chosen->start, chosen->length, chosen->faded);
}

constexpr LoopingEntry kLoopings[] = {{"crossfade", crossfaded}, {"none", whole_clip}};

std::vector<uint8_t> mixed(const std::vector<std::vector<uint8_t>>& samples,
                           const LoopFrame& frame) {
  std::vector<uint8_t> colors = samples[frame.first];
  for (size_t i = 0; i < colors.size(); ++i) {
    colors[i] = static_cast<uint8_t>(
        (1 - frame.second_weight) * static_cast<float>(colors[i]) +
        frame.second_weight * static_cast<float>(samples[frame.second][i]) + 0.5F);
  }
  return colors;
}

}  // namespace

std::span<const LoopingEntry> loopings() {
  return kLoopings;
}

const LoopingEntry& find_looping(std::string_view name) {
  return core::entry_named(loopings(), name, "--loop");
}

ClipLoop find_loop(std::span<const core::Image8> frames, const core::Image8& moves,
                   const LoopSettings& settings, core::ThreadPool& pool) {
  const std::vector<std::vector<uint8_t>> samples = samples_of(frames, moves);
  const int count = static_cast<int>(frames.size());
  core::ImageF differences(count, count, 1);
  pool.parallel_for(count, 1, [&](int64_t begin, int64_t end, int) {
    for (int i = static_cast<int>(begin); i < end; ++i) {
      for (int j = 0; j <= i; ++j) {
        differences.at(j, i) = differences.at(i, j) = mean_square(samples[i], samples[j]);
      }
    }
  });
  ClipLoop loop = find_looping(settings.name).find(differences, settings);
  loop.usual_db = decibels(usual_step(differences));
  loop.clip_db = decibels(differences.at(count - 1, 0));
  float worst = 0;
  for (int k = -1; k < loop.faded; ++k) {
    const size_t before = k < 0 ? loop.frames.size() - 1 : static_cast<size_t>(k);
    const size_t after = static_cast<size_t>(k + 1) % loop.frames.size();
    worst = std::max(worst, mean_square(mixed(samples, loop.frames[before]),
                                        mixed(samples, loop.frames[after])));
  }
  loop.closed_db = decibels(worst);
  return loop;
}

}  // namespace tessera::models
