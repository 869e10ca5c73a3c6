// SPDX-License-Identifier: MIT
#include "core/gaussian_cloud.h"

#include <algorithm>
#include <numeric>

namespace tessera::core {

void Planes::reset(int planes, int64_t size) {
  planes_ = planes;
  size_ = size;
  stride_ = padded(size);
  data_.resize(planes_ * stride_);
  data_.fill(0.0F);
}

void Planes::resize(int64_t size) {
  Planes grown(planes_, size);
  const int64_t kept = std::min(size_, size);
  for (int p = 0; p < planes_; ++p) std::copy_n(plane(p), kept, grown.plane(p));
  std::swap(*this, grown);
}

void Planes::gather(const std::vector<int64_t>& source) {
  Planes gathered(planes_, static_cast<int64_t>(source.size()));
  for (int p = 0; p < planes_; ++p) {
    const float* from = plane(p);
    float* to = gathered.plane(p);
    for (size_t i = 0; i < source.size(); ++i) to[i] = from[source[i]];
  }
  std::swap(*this, gathered);
}

void Planes::set_plane_count(int planes) {
  Planes changed(planes, size_);
  for (int p = 0; p < std::min(planes, planes_); ++p) {
    std::copy_n(plane(p), size_, changed.plane(p));
  }
  std::swap(*this, changed);
}

bool operator==(const Planes& a, const Planes& b) {
  if (a.planes_ != b.planes_ || a.size_ != b.size_) return false;
  for (int p = 0; p < a.planes_; ++p) {
    if (!std::equal(a.plane(p), a.plane(p) + a.size_, b.plane(p))) return false;
  }
  return true;
}

GaussianCloud::GaussianCloud(int sh_degree_, int64_t size)
    : sh_degree(sh_degree_), parameters(plane_count(sh_degree_), size), ids(size) {
  std::iota(ids.begin(), ids.end(), uint64_t{0});
}

GaussianCloud part_of(const GaussianCloud& cloud, const std::vector<int64_t>& kept) {
  GaussianCloud part;
  part.sh_degree = cloud.sh_degree;
  part.parameters = cloud.parameters;
  part.parameters.gather(kept);
  part.ids.resize(static_cast<int64_t>(kept.size()));
  for (size_t i = 0; i < kept.size(); ++i) part.ids[static_cast<int64_t>(i)] = cloud.ids[kept[i]];
  return part;
}

}  // namespace tessera::core
