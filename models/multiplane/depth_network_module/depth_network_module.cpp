// The module of depth networks: OpenCV's dnn behind one C function.
// SPDX-License-Identifier: MIT
#include "models/multiplane/depth_network_module.h"

#include <cstdio>
#include <exception>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>
#include <stdexcept>

namespace {

// Errors reach the caller; OpenCV would print them as well.
int print_nothing(int, const char*, const char*, const char*, int, void*) {
  return 0;
}

cv::Mat output_of(const char* path, const float* input, int width, int height) {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::redirectError(print_nothing);
  cv::dnn::Net network = cv::dnn::readNetFromONNX(path);
  const int sizes[] = {1, 3, height, width};
  network.setInput(cv::Mat(4, sizes, CV_32F, const_cast<float*>(input)));
  cv::Mat output = network.forward();
  // Whatever comes before rows and columns must be one.
  int64_t others = 1;
  for (int i = 0; i + 2 < output.dims; ++i) others *= output.size[i];
  if (output.dims < 2 || others != 1 || output.type() != CV_32F || output.empty()) {
    throw std::runtime_error("its output is no picture of one channel");
  }
  return output;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int tessera_run_depth_network(
    const char* path, const float* input, int width, int height,
    void (*take)(void* context, const float* values, int columns, int rows), void* context,
    char* message, int message_size) {
  try {
    const cv::Mat output = output_of(path, input, width, height);
    take(context, output.ptr<float>(), output.size[output.dims - 1], output.size[output.dims - 2]);
    return 0;
  } catch (const std::exception& error) {
    std::snprintf(message, message_size, "%s", error.what());
    return 1;
  }
}
