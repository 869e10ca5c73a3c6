// SPDX-License-Identifier: MIT
#include "assets/formats/usable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

namespace tessera::assets {
namespace {

enum Fault : uint8_t { kNone, kPosition, kRotation, kScale, kOther };

constexpr std::array<const char*, 5> kFaultNames = {
    "", "a position that is not finite", "a rotation of length 0",
    "a size that is infinite or not a number", "a value that is not finite"};

bool is_finite(float value) {
  return (std::bit_cast<uint32_t>(value) & 0x7f800000U) != 0x7f800000U;
}

// The first fault found counts.
void mark(std::vector<uint8_t>& faults, int64_t i, bool faulty, Fault fault) {
  if (faulty && faults[i] == kNone) faults[i] = fault;
}

double quaternion_length(const core::GaussianCloud& cloud, int64_t i) {
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    const double q = cloud.plane(core::kQuaternionPlane + k)[i];
    sum += q * q;
  }
  return std::sqrt(sum);
}

std::vector<uint8_t> faults_of(const core::GaussianCloud& cloud) {
  const int64_t n = cloud.size();
  std::vector<uint8_t> faults(n, kNone);
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    const float* plane = cloud.plane(p);
    if (p < core::kLogScalePlane) {
      for (int64_t i = 0; i < n; ++i) mark(faults, i, !is_finite(plane[i]), kPosition);
    } else if (p < core::kQuaternionPlane) {
      for (int64_t i = 0; i < n; ++i) mark(faults, i, !(plane[i] < INFINITY), kScale);
    } else if (p == core::kOpacityPlane) {
      for (int64_t i = 0; i < n; ++i) mark(faults, i, std::isnan(plane[i]), kOther);
    } else {
      for (int64_t i = 0; i < n; ++i) mark(faults, i, !is_finite(plane[i]), kOther);
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    mark(faults, i, !(quaternion_length(cloud, i) > 0), kRotation);
  }
  return faults;
}

std::vector<int64_t> rows_without_fault(const std::vector<uint8_t>& faults) {
  std::vector<int64_t> rows;
  for (size_t i = 0; i < faults.size(); ++i) {
    if (faults[i] == kNone) rows.push_back(static_cast<int64_t>(i));
  }
  return rows;
}

void normalize_rotations(core::GaussianCloud& cloud) {
  for (int64_t i = 0; i < cloud.size(); ++i) {
    const std::array<float, 4> unit = unit_quaternion(cloud, i);
    for (int k = 0; k < 4; ++k) cloud.plane(core::kQuaternionPlane + k)[i] = unit[k];
  }
}

void clamp_infinities(core::GaussianCloud& cloud) {
  for (int axis = 0; axis < 3; ++axis) {
    float* scale = cloud.plane(core::kLogScalePlane + axis);
    for (int64_t i = 0; i < cloud.size(); ++i) {
      if (scale[i] == -INFINITY) scale[i] = kFlatLogScale;
    }
  }
  float* opacity = cloud.plane(core::kOpacityPlane);
  for (int64_t i = 0; i < cloud.size(); ++i) {
    if (std::isinf(opacity[i])) opacity[i] = std::copysign(kExtremeLogit, opacity[i]);
  }
}

}  // namespace

std::array<float, 4> unit_quaternion(const core::GaussianCloud& cloud, int64_t i) {
  const double length = quaternion_length(cloud, i);
  const bool is_unit = std::abs(length - 1) < 1e-6;
  std::array<float, 4> unit;
  for (int k = 0; k < 4; ++k) {
    const float q = cloud.plane(core::kQuaternionPlane + k)[i];
    unit[k] = is_unit ? q : static_cast<float>(q / length);
  }
  return unit;
}

int64_t count_usable(const core::GaussianCloud& cloud) {
  const std::vector<uint8_t> faults = faults_of(cloud);
  return std::count(faults.begin(), faults.end(), kNone);
}

bool all_clean(const core::GaussianCloud& cloud) {
  for (const int p : {core::kLogScalePlane, core::kLogScalePlane + 1, core::kLogScalePlane + 2,
                      core::kOpacityPlane}) {
    if (!std::all_of(cloud.plane(p), cloud.plane(p) + cloud.size(), is_finite)) return false;
  }
  return count_usable(cloud) == cloud.size();
}

void keep_usable(core::GaussianScene& scene) {
  core::GaussianCloud& cloud = scene.cloud;
  const std::vector<uint8_t> faults = faults_of(cloud);
  std::array<int64_t, kFaultNames.size()> counts = {};
  for (const uint8_t fault : faults) ++counts[fault];
  const int64_t total = cloud.size();
  const int64_t dropped = total - counts[kNone];
  if (dropped > 0) {
    for (size_t fault = 1; fault < counts.size(); ++fault) {
      if (counts[fault] == 0) continue;
      const char* be = counts[fault] == 1 ? "is" : "are";
      scene.notes.push_back(fmt::format("{} of {} records {} not usable ({}) and {} left out",
                                        counts[fault], total, be, kFaultNames[fault], be));
    }
    cloud.parameters.gather(rows_without_fault(faults));
    cloud.ids.resize(cloud.size());
    std::iota(cloud.ids.begin(), cloud.ids.end(), uint64_t{0});
  }
  scene.dropped += dropped;
  normalize_rotations(cloud);
  clamp_infinities(cloud);
}

}  // namespace tessera::assets
