// antimatter15's .splat: 32 bytes a Gaussian, no header, no spherical harmonics beyond degree 0.
//
// Three float positions, three float linear scales, RGBA and quaternion (w x y z) as bytes, most
// important first, so that a viewer can show the file while it arrives.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "assets/formats/far_origin.h"
#include "assets/formats/formats.h"
#include "assets/formats/usable.h"
#include "core/count_text.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/math/sh.h"

namespace tessera::assets {
namespace {

constexpr int64_t kRecordBytes = 32;
constexpr int kScaleOffset = 12;
constexpr int kColorOffset = 24;
constexpr int kAlphaOffset = 27;
constexpr int kRotationOffset = 28;
constexpr float kMaxLogScale = 88;  // beyond 88.7, the scale itself is no finite float
constexpr auto kSh0 = static_cast<float>(math::ShConstants::k0);

uint8_t to_byte(float value) {
  return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0F, 255.0F)));
}

float sigmoid(float logit) {
  return 1.0F / (1.0F + std::exp(-logit));
}

// Size times opacity, in logs, where flat Gaussians do not all come out as 0.
float importance(const core::GaussianCloud& cloud, int64_t i) {
  const float log_size = cloud.plane(core::kLogScalePlane)[i] +
                         cloud.plane(core::kLogScalePlane + 1)[i] +
                         cloud.plane(core::kLogScalePlane + 2)[i];
  return log_size + std::log(sigmoid(cloud.plane(core::kOpacityPlane)[i]));
}

// Gaussians with a size that is cut to the largest one written.
int64_t count_cut_sizes(const core::GaussianCloud& cloud) {
  int64_t count = 0;
  for (int64_t i = 0; i < cloud.size(); ++i) {
    const auto is_cut = [&](int axis) {
      return cloud.plane(core::kLogScalePlane + axis)[i] > kMaxLogScale;
    };
    count += is_cut(0) || is_cut(1) || is_cut(2) ? 1 : 0;
  }
  return count;
}

void store_record(const core::GaussianCloud& cloud, int64_t i, uint8_t* to) {
  const std::array<float, 4> rotation = unit_quaternion(cloud, i);
  for (int k = 0; k < 3; ++k) {
    store(to + 4 * k, cloud.plane(core::kMeanPlane + k)[i]);
    const float log_scale = cloud.plane(core::kLogScalePlane + k)[i];
    store(to + kScaleOffset + 4 * k, std::exp(std::min(log_scale, kMaxLogScale)));
    to[kColorOffset + k] = to_byte((0.5F + kSh0 * cloud.plane(core::kShPlane + k)[i]) * 255.0F);
  }
  to[kAlphaOffset] = to_byte(sigmoid(cloud.plane(core::kOpacityPlane)[i]) * 255.0F);
  for (int k = 0; k < 4; ++k) to[kRotationOffset + k] = to_byte(rotation[k] * 128.0F + 128.0F);
}

// Holds the records, whose order is known when all are there.
class SplatWriter final : public FormatWriter {
 public:
  SplatWriter(const std::filesystem::path& path, int64_t count) : file_(path) {
    records_.reserve(static_cast<size_t>(count));
  }

  void append(const core::GaussianCloud& cloud) override {
    for (int64_t i = 0; i < cloud.size(); ++i) {
      Record& record = records_.emplace_back();
      record.importance = importance(cloud, i);
      store_record(cloud, i, record.bytes);
    }
  }

  // Equally important ones keep their order.
  void commit() override {
    std::stable_sort(records_.begin(), records_.end(),
                     [](const Record& a, const Record& b) { return a.importance > b.importance; });
    for (const Record& record : records_) file_.write(record.bytes, sizeof(record.bytes));
    file_.commit();
  }

 private:
  struct Record {
    float importance = 0;
    uint8_t bytes[kRecordBytes] = {};
  };

  core::AtomicFile file_;
  std::vector<Record> records_;
};

}  // namespace

SceneFile read_splat(Bytes bytes, const std::filesystem::path& path) {
  if (bytes.empty()) throw core::IoError(path, "is empty");
  const int64_t count = bytes.size / kRecordBytes;
  if (bytes.size % kRecordBytes != 0) {
    throw core::IoError(path, fmt::format("is cut off or no .splat file: after {} records of {} "
                                          "bytes, {} bytes are left over",
                                          count, kRecordBytes, bytes.size % kRecordBytes));
  }
  core::GaussianScene scene;
  scene.cloud = core::GaussianCloud(0, count);
  std::vector<double> positions[3];
  for (int axis = 0; axis < 3; ++axis) {
    positions[axis].resize(static_cast<size_t>(count));
    float* log_scale = scene.cloud.plane(core::kLogScalePlane + axis);
    float* color = scene.cloud.plane(core::kShPlane + axis);
    for (int64_t i = 0; i < count; ++i) {
      const uint8_t* record = bytes.data + i * kRecordBytes;
      positions[axis][i] = load<float>(record + 4 * axis);
      log_scale[i] = std::log(load<float>(record + kScaleOffset + 4 * axis));
      color[i] = (static_cast<float>(record[kColorOffset + axis]) / 255.0F - 0.5F) / kSh0;
    }
  }
  float* opacity = scene.cloud.plane(core::kOpacityPlane);
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t* record = bytes.data + i * kRecordBytes;
    const float alpha = static_cast<float>(record[kAlphaOffset]) / 255.0F;
    opacity[i] = std::log(alpha / (1.0F - alpha));  // infinite at 0 and 1
    for (int k = 0; k < 4; ++k) {
      scene.cloud.plane(core::kQuaternionPlane + k)[i] =
          (static_cast<float>(record[kRotationOffset + k]) - 128.0F) / 128.0F;
    }
  }
  set_means(scene.cloud, positions, shift_of(positions, scene));
  keep_usable(scene);
  return scene;
}

std::unique_ptr<FormatWriter> write_splat(const std::filesystem::path& path,
                                          const core::GaussianScene& /*scene*/, int64_t count) {
  return std::make_unique<SplatWriter>(path, count);
}

std::vector<std::string> splat_losses(const core::GaussianScene& scene) {
  std::vector<std::string> losses;
  if (scene.cloud.sh_degree > 0) {
    losses.push_back(
        fmt::format("color that changes with the view (spherical harmonics of degree "
                    "1 to {})",
                    scene.cloud.sh_degree));
  }
  losses.emplace_back("steps finer than 8 bits in color, opacity and rotation");
  if (const int64_t cut = count_cut_sizes(scene.cloud); cut > 0) {
    losses.push_back(
        fmt::format("sizes beyond 1.6e38 (of {}), cut to that", core::plural(cut, "Gaussian")));
  }
  if (scene.antialiased) losses.emplace_back("the mark that it was trained with antialiasing");
  if (!scene.vertical_axis.empty()) losses.emplace_back("the vertical axis");
  return losses;
}

}  // namespace tessera::assets
