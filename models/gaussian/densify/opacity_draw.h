// Draws from the living Gaussians of all ranks, with probability proportional to opacity.
//
// Draws go by opacities as integers over their prefix sum in the order of ids, so any number of
// ranks makes the same ones. Each rank sums up a range of ids, so none holds the list of all.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/gaussian_cloud.h"
#include "distributed/communicator.h"

namespace tessera::models {

inline constexpr float kMinOpacity = 0.005F;  // at or below it a Gaussian is dead

inline float sigmoid(float x) {
  return 1 / (1 + std::exp(-x));
}

class OpacityDraw {
 public:
  // Collective, as all here is. `ranks` must outlive it; the cloud need not.
  OpacityDraw(const core::GaussianCloud& cloud, distributed::Communicator& ranks);

  // Whether nothing lives on any rank; then nothing can be drawn.
  bool empty() const { return total_ == 0; }

  // The ids that these random numbers, the same on all ranks, point at.
  std::vector<uint64_t> draw(std::span<const uint64_t> bits) const;

 private:
  struct Living {
    uint64_t id = 0;
    uint64_t opacity = 0;
  };

  static std::vector<Living> living_of(const core::GaussianCloud& cloud);
  std::vector<Living> ranges_of_ids(const std::vector<Living>& own) const;

  distributed::Communicator& ranks_;
  std::vector<uint64_t> ids_;   // of this rank's range, ascending
  std::vector<uint64_t> sums_;  // of their opacities, up to and including each
  uint64_t before_ = 0;         // of all ranges before
  uint64_t total_ = 0;
};

}  // namespace tessera::models
