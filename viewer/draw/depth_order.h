// The order in which splats are blended, far to near, found on a thread of its own so that no frame
// waits for it. What lies outside of the view is left out.
//
// Depths are compared by their upper bits as floats, at least 16 of them below the exponent's range
// that is met, so neighbors closer than about 1/4000 of their depth keep their order in the file.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/array.h"
#include "core/gaussian_cloud.h"

namespace tessera::viewer {

// Splats in one frame of reference.
struct OrderItem {
  std::shared_ptr<const core::GaussianCloud> cloud;
  std::shared_ptr<const core::Array<float>> radii;     // PackedSplats::radii
  std::shared_ptr<const core::Array<uint8_t>> states;  // splat_state.h
  uint32_t first = 0;                                  // the number of its first splat
  float camera_from_item[3][4] = {};
  float scale = 1;  // of that similarity
};

struct OrderRequest {
  // Sides of the view along x or y of the camera: a splat is seen if its center lies no farther
  // than margin * radius beyond low_slope z + low and high_slope z + high.
  struct Sides {
    float low_slope = 0, high_slope = 0;
    float low = 0, high = 0;
    float margin = 1;
  };
  std::vector<OrderItem> items;
  Sides x, y;
  float nearest = 0;       // along z
  uint64_t numbering = 0;  // which numbering of splats `first` is of
};

struct FoundOrder {
  core::Array<uint32_t> numbers;  // far to near
  uint64_t numbering = 0;
};

// Room that is kept between calls.
struct OrderBuffers {
  core::Array<int32_t> keys;
  core::Array<uint64_t> by_low_digit;
};
// Far to near.
void order_by_depth(const OrderRequest& request, OrderBuffers& buffers,
                    core::Array<uint32_t>& order);

class DepthOrder {
 public:
  DepthOrder();
  ~DepthOrder();
  DepthOrder(const DepthOrder&) = delete;
  DepthOrder& operator=(const DepthOrder&) = delete;

  // Replaces a request that was not begun.
  void request(OrderRequest request);
  // The newest order since the last call, if there is one.
  std::optional<FoundOrder> take();
  // Whether an order is being found or waits for take().
  bool working() const;
  // Returns when nothing is left to be done.
  void wait();

 private:
  void work();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<OrderRequest> waiting_;
  std::optional<FoundOrder> done_;
  bool busy_ = false;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tessera::viewer
