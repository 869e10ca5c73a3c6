// SPDX-License-Identifier: MIT
#include "models/multiplane/texel_optimizer.h"

#include <algorithm>
#include <cmath>

namespace tessera::models {
namespace {

constexpr float kBeta1 = 0.9F;
constexpr float kBeta2 = 0.999F;
constexpr float kEpsilon = 1e-12F;
constexpr uint16_t kSettled = 10'000;  // bias is no matter any more
constexpr float kLargestLogit = 6;     // within 0.0025 of 0 and of 1
constexpr float kCleared = -INFINITY;

struct BiasCorrection {
  float first;
  float second;
};

// For 0 to kSettled steps.
std::vector<BiasCorrection> bias_corrections() {
  std::vector<BiasCorrection> table(kSettled + 1);
  double beta1 = 1;
  double beta2 = 1;
  for (BiasCorrection& correction : table) {
    correction = {static_cast<float>(1 / std::max(1 - beta1, 1e-12)),
                  static_cast<float>(1 / std::max(1 - beta2, 1e-12))};
    beta1 *= kBeta1;
    beta2 *= kBeta2;
  }
  return table;
}

float logit(float value) {
  const float most = 1 / (1 + std::exp(-kLargestLogit));
  const float inside = std::clamp(value, 1 - most, most);
  return std::log(inside / (1 - inside));
}

float sigmoid(float value) {
  return 1 / (1 + std::exp(-value));
}

}  // namespace

TexelOptimizer::TexelOptimizer(const core::MultiplaneImageF& image, const RowRange& rows) {
  for (const core::ImageF& texels : image.pages) {
    Page& page = pages_.emplace_back();
    page.first_texel = int64_t{rows.begin} * texels.width;
    const int64_t count = int64_t{rows.count()} * texels.width;
    page.logits.resize(4 * count);
    page.first.resize(4 * count);
    page.second.resize(4 * count);
    page.steps.resize(count);
    page.first.fill(0);
    page.second.fill(0);
    page.steps.fill(0);
    for (int64_t i = 0; i < count; ++i) {
      const float* texel = texels.data.data() + 4 * (page.first_texel + i);
      const float alpha = texel[3];
      for (int c = 0; c < 3; ++c) {
        page.logits[4 * i + c] = logit(alpha > 0 ? texel[c] / alpha : 0.5F);
      }
      page.logits[4 * i + 3] = logit(alpha);
    }
  }
}

void TexelOptimizer::step(float rate, std::vector<core::ImageF>& gradient,
                          core::MultiplaneImageF& image, core::ThreadPool& pool) {
  static const std::vector<BiasCorrection> corrections = bias_corrections();
  constexpr int64_t kGrain = 1 << 14;
  for (size_t p = 0; p < pages_.size(); ++p) {
    Page& page = pages_[p];
    pool.parallel_for(page.steps.size(), kGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        float* g = gradient[p].data.data() + 4 * (page.first_texel + i);
        if (g[0] == 0 && g[1] == 0 && g[2] == 0 && g[3] == 0) continue;
        if (page.logits[4 * i + 3] == kCleared) {
          std::fill_n(g, 4, 0.0F);
          continue;
        }
        if (page.steps[i] < kSettled) ++page.steps[i];
        const BiasCorrection& correct = corrections[page.steps[i]];
        float* logits = page.logits.data() + 4 * i;
        float* first = page.first.data() + 4 * i;
        float* second = page.second.data() + 4 * i;
        // texel = (color * alpha, alpha)
        const float alpha = sigmoid(logits[3]);
        float of_alpha = g[3];
        for (int c = 0; c < 3; ++c) {
          const float color = sigmoid(logits[c]);
          of_alpha += g[c] * color;
          g[c] *= alpha * color * (1 - color);
        }
        g[3] = of_alpha * alpha * (1 - alpha);
        for (int c = 0; c < 4; ++c) {
          first[c] = kBeta1 * first[c] + (1 - kBeta1) * g[c];
          second[c] = kBeta2 * second[c] + (1 - kBeta2) * g[c] * g[c];
          const float moved = logits[c] - rate * correct.first * first[c] /
                                              (std::sqrt(correct.second * second[c]) + kEpsilon);
          logits[c] = std::clamp(moved, -kLargestLogit, kLargestLogit);
          g[c] = 0;
        }
        float* texel = image.pages[p].data.data() + 4 * (page.first_texel + i);
        texel[3] = sigmoid(logits[3]);
        for (int c = 0; c < 3; ++c) texel[c] = sigmoid(logits[c]) * texel[3];
      }
    });
  }
}

void TexelOptimizer::clear_below(float alpha, core::MultiplaneImageF& image,
                                 core::ThreadPool& pool) {
  constexpr int64_t kGrain = 1 << 16;
  for (size_t p = 0; p < pages_.size(); ++p) {
    pool.parallel_for(pages_[p].steps.size(), kGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        float* texel = image.pages[p].data.data() + 4 * (pages_[p].first_texel + i);
        if (texel[3] >= alpha) continue;
        std::fill_n(texel, 4, 0.0F);
        pages_[p].logits[4 * i + 3] = kCleared;
      }
    });
  }
}

}  // namespace tessera::models
