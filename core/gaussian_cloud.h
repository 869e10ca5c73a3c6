// Gaussians as a structure of arrays: one plane of floats per parameter.
//
// The planes, in order: mean x y z; log scale x y z; quaternion w x y z; opacity logit; then the
// spherical harmonics, coefficient-major with RGB inside: plane kShPlane + 3 k + c. 59 planes at
// degree 3. Gradients and Adam's moments are planes of the same order, so whatever treats all
// parameters alike (optimiser, checkpoint, exchange, cloning) is one loop over planes.
// Colour = 0.5 + sum_k Y_k(direction) sh_k, clamped at 0, as in Kerbl et al. 2023.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/array.h"

namespace tessera::core {

inline constexpr int kMeanPlane = 0;
inline constexpr int kLogScalePlane = 3;
inline constexpr int kQuaternionPlane = 6;
inline constexpr int kOpacityPlane = 10;
inline constexpr int kShPlane = 11;
inline constexpr int kMaxShDegree = 4;

constexpr int sh_coefficient_count(int degree) {
  return (degree + 1) * (degree + 1);
}
constexpr int plane_count(int sh_degree) {
  return kShPlane + 3 * sh_coefficient_count(sh_degree);
}

// `planes` arrays of `size` floats each, all of one length, aligned and padded so that vectors may
// read (not write) up to 16 elements past the end.
class Planes {
 public:
  Planes() = default;
  Planes(int planes, int64_t size) { reset(planes, size); }

  int plane_count() const { return planes_; }
  int64_t size() const { return size_; }
  float* plane(int p) { return data_.data() + p * stride_; }
  const float* plane(int p) const { return data_.data() + p * stride_; }
  int64_t stride() const { return stride_; }  // floats from one plane to the next

  // All elements become zero.
  void reset(int planes, int64_t size);
  void fill(float value) { data_.fill(value); }
  // Keeps the first min(old, new) elements of each plane; further ones are zero.
  void resize(int64_t size);
  // New element i is old element source[i], for i < source.size(); an old element may be named
  // several times or not at all.
  void gather(const std::vector<int64_t>& source);
  // Adds planes of zeros or drops the last ones.
  void set_plane_count(int planes);

  friend bool operator==(const Planes& a, const Planes& b);

 private:
  static int64_t padded(int64_t size) { return (size + 15) / 16 * 16 + 16; }

  int planes_ = 0;
  int64_t size_ = 0;
  int64_t stride_ = 0;
  Array<float> data_;
};

struct GaussianCloud {
  int sh_degree = 0;
  Planes parameters;    // plane_count(sh_degree) planes
  Array<uint64_t> ids;  // unique; a child's id is a function of parent, step and child number

  GaussianCloud() = default;
  // `size` Gaussians with all parameters zero, ids 0..size-1.
  GaussianCloud(int sh_degree_, int64_t size);

  int64_t size() const { return parameters.size(); }
  float* plane(int p) { return parameters.plane(p); }
  const float* plane(int p) const { return parameters.plane(p); }
};

// The Gaussians whose numbers are given, in that order.
GaussianCloud part_of(const GaussianCloud& cloud, const std::vector<int64_t>& kept);

// A scene as a file holds it: the cloud and what the file says of how to show it.
struct GaussianScene {
  GaussianCloud cloud;
  bool antialiased = false;              // trained with opacity compensation
  double origin_in_file[3] = {0, 0, 0};  // file coordinates = cloud's + origin
  std::string vertical_axis;             // "", "+y", "-y", "+z", ..., "0 0.6 0.8"
  std::vector<std::string> notes;        // what the reader noticed, one sentence each
  int64_t dropped = 0;                   // records that were not usable, with a note why
};

}  // namespace tessera::core
