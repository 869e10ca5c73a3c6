// The module of foreign formats: OpenCV's imgcodecs behind one C function.
// SPDX-License-Identifier: MIT
#include "assets/photos/foreign_module.h"

#include <cstdlib>
#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

namespace {

cv::Mat decode(const uint8_t* bytes, size_t size) {
  const cv::Mat file(1, static_cast<int>(size), CV_8UC1, const_cast<uint8_t*>(bytes));
  cv::Mat image = cv::imdecode(file, cv::IMREAD_UNCHANGED | cv::IMREAD_IGNORE_ORIENTATION);
  if (image.depth() == CV_16U) {
    image.convertTo(image, CV_8U, 1.0 / 257.0);
  }
  if (image.empty() || image.depth() != CV_8U) return {};
  if (image.channels() == 3) cv::cvtColor(image, image, cv::COLOR_BGR2RGB);
  if (image.channels() == 4) cv::cvtColor(image, image, cv::COLOR_BGRA2RGBA);
  return image.channels() == 2 ? cv::Mat() : image;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int tessera_decode_foreign(
    const uint8_t* bytes, size_t size, int* width, int* height, int* channels, uint8_t** pixels) {
  try {
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    const cv::Mat image = decode(bytes, size);
    if (image.empty()) return 1;
    const size_t total = image.total() * image.elemSize();
    *pixels = static_cast<uint8_t*>(std::malloc(total));
    if (*pixels == nullptr) return 1;
    std::memcpy(*pixels, image.data, total);
    *width = image.cols;
    *height = image.rows;
    *channels = image.channels();
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}
