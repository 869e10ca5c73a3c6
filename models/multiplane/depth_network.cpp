// SPDX-License-Identifier: MIT
#include "models/multiplane/depth_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/file_io.h"
#include "core/program_module.h"
#include "core/table_entry.h"
#include "models/multiplane/depth_network_module.h"
#include "models/multiplane/onnx_input.h"

namespace tessera::models {
namespace {

constexpr uint64_t kLargestNetwork = uint64_t{8} << 30;
constexpr int kUsualLongerSide = 518;
constexpr int kUsualMultiple = 14;

// How a value of 0..1 goes in: (value - mean) / deviation, by channel.
struct InputRange {
  std::string_view name;
  std::array<float, 3> mean;
  std::array<float, 3> deviation;
};

constexpr InputRange kRanges[] = {
    {"imagenet", {0.485F, 0.456F, 0.406F}, {0.229F, 0.224F, 0.225F}},
    {"0-1", {0, 0, 0}, {1, 1, 1}},
    {"-1-1", {0.5F, 0.5F, 0.5F}, {0.5F, 0.5F, 0.5F}},
};

struct Size {
  int width;
  int height;
};

Size size_of_input(const core::Image8& photo, const OnnxInputSize& made_for,
                   const DepthNetworkInput& wanted) {
  const double scale =
      std::min(1.0, static_cast<double>(kUsualLongerSide) / std::max(photo.width, photo.height));
  const auto usual = [&](int side) {
    const auto multiples = static_cast<int>(std::lround(side * scale / kUsualMultiple));
    return std::max(1, multiples) * kUsualMultiple;
  };
  const auto first = [](int a, int b, int c) { return a > 0 ? a : b > 0 ? b : c; };
  return {first(wanted.width, made_for.width, usual(photo.width)),
          first(wanted.height, made_for.height, usual(photo.height))};
}

// [3][height][width]; each value the mean of the area that it covers, or bilinear where the photo
// is smaller.
core::Array<float> planes_of(const core::Image8& photo, Size size, const InputRange& range) {
  core::Array<float> planes(int64_t{3} * size.width * size.height);
  const double step_x = static_cast<double>(photo.width) / size.width;
  const double step_y = static_cast<double>(photo.height) / size.height;
  const int samples_x = std::max(1, static_cast<int>(std::ceil(step_x)));
  const int samples_y = std::max(1, static_cast<int>(std::ceil(step_y)));
  const auto sample = [&](double x, double y, int c) {
    const double u = std::clamp(x - 0.5, 0.0, photo.width - 1.0);
    const double v = std::clamp(y - 0.5, 0.0, photo.height - 1.0);
    const int x0 = static_cast<int>(u);
    const int y0 = static_cast<int>(v);
    const int x1 = std::min(x0 + 1, photo.width - 1);
    const int y1 = std::min(y0 + 1, photo.height - 1);
    const double fx = u - x0;
    const double fy = v - y0;
    return (photo.at(x0, y0, c) * (1 - fx) + photo.at(x1, y0, c) * fx) * (1 - fy) +
           (photo.at(x0, y1, c) * (1 - fx) + photo.at(x1, y1, c) * fx) * fy;
  };
  int64_t at = 0;
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        double sum = 0;
        for (int j = 0; j < samples_y; ++j) {
          for (int i = 0; i < samples_x; ++i) {
            sum += sample((x + (i + 0.5) / samples_x) * step_x,
                          (y + (j + 0.5) / samples_y) * step_y, c);
          }
        }
        const auto value = static_cast<float>(sum / (255.0 * samples_x * samples_y));
        planes[at++] = (value - range.mean[c]) / range.deviation[c];
      }
    }
  }
  return planes;
}

// The operator that OpenCV's words name, as in `Can't create layer "x" of type "Wobble"` or
// "Node [Wobble@ai.onnx]"; empty if they name none.
std::string operator_in(const std::string& words) {
  for (const auto& [before, after] : {std::pair("of type \"", '"'), std::pair("Node [", '@')}) {
    const size_t found = words.find(before);
    if (found == std::string::npos) continue;
    const size_t begin = found + std::string_view(before).size();
    const size_t end = words.find_first_of(std::string(1, after) + "]", begin);
    if (end != std::string::npos) return words.substr(begin, end - begin);
  }
  return "";
}

// The reason alone, without OpenCV's files and functions: what follows the last
// "error: (-2:Unspecified error) ".
std::string reason_in(const std::string& words) {
  size_t begin = words.rfind("error: (");
  if (begin == std::string::npos) return words;
  begin = words.find(") ", begin);
  if (begin == std::string::npos) return words;
  begin += 2;
  return words.substr(begin, words.find(" in function", begin) - begin);
}

[[noreturn]] void fail(const std::filesystem::path& network, const std::string& words) {
  const std::string name = operator_in(words);
  std::string reason = reason_in(words);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  throw core::IoError(
      network, fmt::format("OpenCV cannot run {} ({}); export the network in another way, or give "
                           "its depth as a file (--depth)",
                           name.empty() ? "this network" : "its operator " + name, reason));
}

}  // namespace

core::ImageF estimate_depth(const core::Image8& photo, const std::filesystem::path& network,
                            const DepthNetworkInput& input) {
  const InputRange& range =
      core::entry_named<InputRange>(kRanges, input.range, "--depth-model-range");
  const core::Array<uint8_t> bytes = core::read_file(network, kLargestNetwork);
  const std::optional<OnnxInputSize> made_for = onnx_input_size(bytes.view());
  if (!made_for) {
    throw core::IoError(network, "is no ONNX network that takes a picture");
  }
  constexpr const char* kModule = "tessera_depth_network.so";
  static auto* const run = reinterpret_cast<TesseraRunDepthNetwork*>(
      core::function_of_module(kModule, "tessera_run_depth_network"));
  if (run == nullptr) {
    throw core::Error(fmt::format(
        "Networks are run by {}, which is not installed; give a depth map instead.", kModule));
  }
  const Size size = size_of_input(photo, *made_for, input);
  const core::Array<float> planes = planes_of(photo, size, range);
  core::ImageF depth;
  const auto take = [](void* context, const float* values, int columns, int rows) {
    auto& to = *static_cast<core::ImageF*>(context);
    to.resize(columns, rows, 1);
    std::copy_n(values, to.data.size(), to.data.begin());
  };
  std::array<char, 4096> message = {};
  if (run(network.c_str(), planes.data(), size.width, size.height, take, &depth, message.data(),
          static_cast<int>(message.size())) != 0) {
    fail(network, message.data());
  }
  return depth;
}

}  // namespace tessera::models
