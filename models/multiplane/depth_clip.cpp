// SPDX-License-Identifier: MIT
#include "models/multiplane/depth_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace tessera::models {
namespace {

constexpr int kNoiseBlock = 16;       // pixels on a side
constexpr double kStillShare = 0.25;  // of the picture, that is taken to be still
constexpr float kTimesNoise = 3;
constexpr float kLeastDeviation = 1.5F;  // of 255: what rounding and compression may do

void check(std::span<const core::Image8> frames) {
  if (frames.size() < 2) {
    throw core::Error("A clip has two frames or more; one alone is a photo.");
  }
  for (size_t i = 0; i < frames.size(); ++i) {
    const core::Image8& frame = frames[i];
    if (frame.width == frames[0].width && frame.height == frames[0].height && frame.channels == 3 &&
        !frame.empty()) {
      continue;
    }
    throw core::Error(fmt::format(
        "Frame {} is {}x{} with {} channels, the first {}x{}; frames of a "
        "clip are RGB of one size.",
        i, frame.width, frame.height, frame.channels, frames[0].width, frames[0].height));
  }
}

// Calls body(y, values) for the rows, with room for `count` values.
template <class T>
void for_rows(int height, size_t count, core::ThreadPool& pool, const auto& body) {
  pool.parallel_for(height, 4, [&](int64_t begin, int64_t end, int) {
    std::vector<T> values(count);
    for (int y = static_cast<int>(begin); y < end; ++y) body(y, values);
  });
}

float median_of_block(const core::ImageF& deviation, int left, int top) {
  std::vector<float> values;
  for (int y = top; y < std::min(top + kNoiseBlock, deviation.height); ++y) {
    for (int x = left; x < std::min(left + kNoiseBlock, deviation.width); ++x) {
      values.push_back(deviation.at(x, y));
    }
  }
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

float noise_of(const core::ImageF& deviation) {
  std::vector<float> blocks;
  for (int top = 0; top < deviation.height; top += kNoiseBlock) {
    for (int left = 0; left < deviation.width; left += kNoiseBlock) {
      blocks.push_back(median_of_block(deviation, left, top));
    }
  }
  const auto nth =
      blocks.begin() + static_cast<int64_t>(kStillShare * static_cast<double>(blocks.size()));
  std::nth_element(blocks.begin(), nth, blocks.end());
  return *nth;
}

// The root mean square of the deviations of a pixel and its neighbors.
float around(const core::ImageF& deviation, int x, int y) {
  float sum = 0;
  int count = 0;
  for (int v = std::max(y - 1, 0); v <= std::min(y + 1, deviation.height - 1); ++v) {
    for (int u = std::max(x - 1, 0); u <= std::min(x + 1, deviation.width - 1); ++u) {
      sum += deviation.at(u, v) * deviation.at(u, v);
      ++count;
    }
  }
  return std::sqrt(sum / static_cast<float>(count));
}

bool is_known(float inverse_depth) {
  return std::isfinite(inverse_depth) && inverse_depth > 0;
}

float median_of_three(float a, float b, float c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

}  // namespace

float deviation_of(const uint8_t* colors, int count) {
  double variance = 0;
  for (int c = 0; c < 3; ++c) {
    int64_t sum = 0;
    int64_t squares = 0;
    for (int i = 0; i < count; ++i) {
      const int value = colors[3 * i + c];
      sum += value;
      squares += value * value;
    }
    const double mean = static_cast<double>(sum) / count;
    variance += static_cast<double>(squares) / count - mean * mean;
  }
  return static_cast<float>(std::sqrt(std::max(variance, 0.0) / 3));
}

void median_of(uint8_t* colors, int count, uint8_t* rgb) {
  std::vector<uint8_t> channel(count);
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < count; ++i) channel[i] = colors[3 * i + c];
    const auto middle = channel.begin() + count / 2;
    std::nth_element(channel.begin(), middle, channel.end());
    rgb[c] = *middle;
  }
}

ClipStatistics clip_statistics(std::span<const core::Image8> frames, core::ThreadPool& pool) {
  check(frames);
  const int width = frames[0].width;
  const int height = frames[0].height;
  const int count = static_cast<int>(frames.size());
  ClipStatistics statistics;
  statistics.median.resize(width, height, 3);
  core::ImageF deviation(width, height, 1);
  for_rows<uint8_t>(height, 3 * frames.size(), pool, [&](int y, std::vector<uint8_t>& colors) {
    for (int x = 0; x < width; ++x) {
      for (int i = 0; i < count; ++i) std::copy_n(&frames[i].at(x, y), 3, &colors[3 * i]);
      deviation.at(x, y) = deviation_of(colors.data(), count);
      median_of(colors.data(), count, &statistics.median.at(x, y));
    }
  });
  statistics.noise = noise_of(deviation);
  statistics.least_moved = kLeastDeviation + kTimesNoise * statistics.noise;
  statistics.moves.resize(width, height, 1);
  int64_t moving = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      statistics.moves.at(x, y) = around(deviation, x, y) > statistics.least_moved ? 1 : 0;
      moving += statistics.moves.at(x, y);
    }
  }
  statistics.moving_share =
      static_cast<double>(moving) / static_cast<double>(statistics.moves.pixel_count());
  return statistics;
}

DepthPhoto still_photo(const DepthClip& clip, const ClipStatistics& statistics,
                       core::ThreadPool& pool) {
  DepthPhoto photo;
  photo.photo = statistics.median;
  photo.camera = clip.camera;
  photo.metric = clip.metric;
  photo.inverse_depth = clip.inverse_depth.at(0);
  if (clip.inverse_depth.size() == 1) return photo;
  core::ImageF& median = photo.inverse_depth;
  for_rows<float>(median.height, 0, pool, [&](int y, std::vector<float>& known) {
    for (int x = 0; x < median.width; ++x) {
      known.clear();
      for (const core::ImageF& depth : clip.inverse_depth) {
        if (is_known(depth.at(x, y))) known.push_back(depth.at(x, y));
      }
      const auto middle = known.begin() + static_cast<int64_t>(known.size() / 2);
      if (!known.empty()) std::nth_element(known.begin(), middle, known.end());
      median.at(x, y) = known.empty() ? 0 : *middle;
    }
  });
  return photo;
}

DepthExtremes depth_extremes(const DepthClip& clip, core::ThreadPool& pool) {
  const core::ImageF& first = clip.inverse_depth.at(0);
  DepthExtremes extremes;
  extremes.least.resize(first.width, first.height, 1);
  extremes.greatest.resize(first.width, first.height, 1);
  for_rows<float>(first.height, 0, pool, [&](int y, std::vector<float>& known) {
    for (int x = 0; x < first.width; ++x) {
      known.clear();
      for (const core::ImageF& depth : clip.inverse_depth) {
        if (is_known(depth.at(x, y))) known.push_back(depth.at(x, y));
      }
      float least = known.empty() ? 0 : known.front();
      float greatest = least;
      for (size_t i = 0; i < known.size(); ++i) {
        const float value = known.size() < 3
                                ? known[i]
                                : median_of_three(known[i == 0 ? 1 : i - 1], known[i],
                                                  known[i + 1 == known.size() ? i - 1 : i + 1]);
        least = i == 0 ? value : std::min(least, value);
        greatest = i == 0 ? value : std::max(greatest, value);
      }
      extremes.least.at(x, y) = least;
      extremes.greatest.at(x, y) = greatest;
    }
  });
  return extremes;
}

}  // namespace tessera::models
