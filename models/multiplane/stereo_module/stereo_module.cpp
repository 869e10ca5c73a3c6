// The module of the stereo matcher: OpenCV's calib3d behind one C function.
// SPDX-License-Identifier: MIT
#include "models/multiplane/stereo_module.h"

#include <algorithm>
#include <exception>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>

namespace {

constexpr int kBlock = 3;
constexpr int kSmallStepCost = 8 * 3 * kBlock * kBlock;  // as OpenCV's documents advise
constexpr int kLargeStepCost = 32 * 3 * kBlock * kBlock;
constexpr int kLargestLeftRightDifference = 1;
constexpr int kUniquePercent = 5;
constexpr int kSpecklePixels = 100;
constexpr int kSpeckleRange = 2;

}  // namespace

extern "C" __attribute__((visibility("default"))) int tessera_match_stereo(const uint8_t* left,
                                                                           const uint8_t* right,
                                                                           int width, int height,
                                                                           int largest_disparity,
                                                                           int16_t* disparity) {
  try {
    const int count = std::max(16, (largest_disparity + 16) / 16 * 16);
    // The matcher leaves out as many columns at the left border as there are disparities.
    cv::Mat pictures[2];
    const uint8_t* const pixels[2] = {left, right};
    for (int i = 0; i < 2; ++i) {
      const cv::Mat picture(height, width, CV_8UC3, const_cast<uint8_t*>(pixels[i]));
      cv::copyMakeBorder(picture, pictures[i], 0, 0, count, 0, cv::BORDER_REPLICATE);
    }
    cv::Mat found;
    cv::StereoSGBM::create(0, count, kBlock, kSmallStepCost, kLargeStepCost,
                           kLargestLeftRightDifference, 0, kUniquePercent, kSpecklePixels,
                           kSpeckleRange, cv::StereoSGBM::MODE_SGBM)
        ->compute(pictures[0], pictures[1], found);
    for (int y = 0; y < height; ++y) {
      std::copy_n(found.ptr<int16_t>(y) + count, width, disparity + int64_t{width} * y);
    }
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}
