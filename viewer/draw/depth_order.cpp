// SPDX-License-Identifier: MIT
#include "viewer/draw/depth_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "viewer/draw/splat_state.h"

namespace tessera::viewer {
namespace {

constexpr int kKeyBits = 16;
constexpr uint32_t kFarthest = (1U << kKeyBits) - 1;

// Keys are sorted by their lower digit, then by the upper: so few places are written to at once
// that they stay in the cache.
constexpr uint32_t kDigits = 1U << (kKeyBits / 2);
using DigitCounts = std::array<uint32_t, kDigits>;

// Each count becomes the sum of those before it.
void sum_before(DigitCounts& counts) {
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), 0U);
}

// Bits of depths that are met: positive floats have the order of their bits.
struct DepthRange {
  int32_t least = INT32_MAX;
  int32_t most = 0;
};

// The bits of each splat's depth, 0 for those that are not in view. No branch, and minima of whole
// numbers, so that compilers make vectors of it.
void find_depths(const OrderRequest& request, const OrderItem& item, int32_t* depths,
                 DepthRange& range) {
  const core::GaussianCloud& cloud = *item.cloud;
  const float* px = cloud.plane(core::kMeanPlane);
  const float* py = cloud.plane(core::kMeanPlane + 1);
  const float* pz = cloud.plane(core::kMeanPlane + 2);
  const float* radii = item.radii->data();
  const uint8_t* states = item.states->data();
  const auto& m = item.camera_from_item;
  const OrderRequest::Sides sx = request.x, sy = request.y;
  const float margin_x = sx.margin * item.scale, margin_y = sy.margin * item.scale;
  int32_t least = range.least, most = range.most;
  const int64_t size = cloud.size();
  for (int64_t i = 0; i < size; ++i) {
    const float x = m[0][0] * px[i] + m[0][1] * py[i] + m[0][2] * pz[i] + m[0][3];
    const float y = m[1][0] * px[i] + m[1][1] * py[i] + m[1][2] * pz[i] + m[1][3];
    const float z = m[2][0] * px[i] + m[2][1] * py[i] + m[2][2] * pz[i] + m[2][3];
    const float beside_x = margin_x * radii[i], beside_y = margin_y * radii[i];
    const bool seen = static_cast<int>(z >= request.nearest) &
                      static_cast<int>(x >= sx.low_slope * z + sx.low - beside_x) &
                      static_cast<int>(x <= sx.high_slope * z + sx.high + beside_x) &
                      static_cast<int>(y >= sy.low_slope * z + sy.low - beside_y) &
                      static_cast<int>(y <= sy.high_slope * z + sy.high + beside_y) &
                      static_cast<int>((states[i] & kAbsent) == 0);
    depths[i] = seen ? std::bit_cast<int32_t>(z) : 0;
  }
  for (int64_t i = 0; i < size; ++i) {
    least = std::min(least, depths[i] == 0 ? INT32_MAX : depths[i]);
    most = std::max(most, depths[i]);
  }
  range = {least, most};
}

}  // namespace

void order_by_depth(const OrderRequest& request, OrderBuffers& buffers,
                    core::Array<uint32_t>& order) {
  int64_t total = 0;
  for (const OrderItem& item : request.items) total += item.cloud->size();
  buffers.keys.resize(total);
  int32_t* keys = buffers.keys.data();
  DepthRange range;
  int64_t begin = 0;
  for (const OrderItem& item : request.items) {
    find_depths(request, item, keys + begin, range);
    begin += item.cloud->size();
  }
  order.resize(0);
  if (range.most == 0) return;
  const int shift = std::max(
      0,
      static_cast<int>(std::bit_width(static_cast<uint32_t>(range.most - range.least))) - kKeyBits);
  const auto place = [&](int32_t depth) {
    return kFarthest - static_cast<uint32_t>((depth - range.least) >> shift);
  };
  DigitCounts low = {}, high = {};
  int64_t seen = 0;
  for (int64_t i = 0; i < total; ++i) {
    if (keys[i] == 0) continue;
    const uint32_t key = place(keys[i]);
    ++low[key % kDigits];
    ++high[key / kDigits];
    ++seen;
  }
  sum_before(low);
  sum_before(high);
  buffers.by_low_digit.resize(seen);
  uint64_t* by_low_digit = buffers.by_low_digit.data();
  begin = 0;
  for (const OrderItem& item : request.items) {
    const int64_t size = item.cloud->size();
    for (int64_t i = 0; i < size; ++i) {
      const int32_t depth = keys[begin + i];
      if (depth == 0) continue;
      const uint32_t key = place(depth);
      const uint32_t number = item.first + static_cast<uint32_t>(i);
      by_low_digit[low[key % kDigits]++] = uint64_t{key / kDigits} << 32 | number;
    }
    begin += size;
  }
  order.resize(seen);
  for (int64_t i = 0; i < seen; ++i) {
    order[high[by_low_digit[i] >> 32]++] = static_cast<uint32_t>(by_low_digit[i]);
  }
}

DepthOrder::DepthOrder() : thread_([this] { work(); }) {}

DepthOrder::~DepthOrder() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void DepthOrder::request(OrderRequest request) {
  {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(request);
  }
  changed_.notify_all();
}

std::optional<FoundOrder> DepthOrder::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, std::nullopt);
}

bool DepthOrder::working() const {
  const std::lock_guard lock(mutex_);
  return busy_ || waiting_ || done_;
}

void DepthOrder::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !busy_ && !waiting_; });
}

void DepthOrder::work() {
  OrderBuffers buffers;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return waiting_ || ending_; });
    if (ending_) return;
    const OrderRequest request = *std::exchange(waiting_, std::nullopt);
    busy_ = true;
    lock.unlock();
    FoundOrder order;
    order.numbering = request.numbering;
    order_by_depth(request, buffers, order.numbers);
    lock.lock();
    busy_ = false;
    done_ = std::move(order);
    changed_.notify_all();
  }
}

}  // namespace tessera::viewer
