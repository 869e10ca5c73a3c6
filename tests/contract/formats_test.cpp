// What every scene format in the table keeps: what was written is read again, a file cut short is
// never taken for a whole one, and damaged bytes end in a sentence, never in a crash.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "assets/format.h"
#include "assets/io.h"
#include "core/error.h"
#include "core/file_io.h"
#include "tests/support/temporary_folder.h"

namespace tessera::assets {
namespace {

constexpr int64_t kCount = 300;

// How far a value may move by being written and read. A new format states its own here.
struct FormatTolerance {
  std::string_view name;
  int highest_sh_degree;
  double mean, log_scale, rotation, opacity, sh;  // opacity in 0..1
};

constexpr FormatTolerance kTolerances[] = {
    {"PLY", 4, 0, 0, 1e-6, 1e-7, 0},
    // Bytes: half a step of 1/255 for color (over the factor of degree 0) and opacity; of 1/128 for
    // a quaternion's parts, before it is normalized.
    {".splat", 0, 0, 1e-6, 1.0 / 128, 0.5 / 255 + 1e-6, 0.5 / 255 / 0.2820948 + 1e-6},
};

const FormatTolerance& tolerance_of(const FormatEntry& format) {
  for (const FormatTolerance& row : kTolerances) {
    if (row.name == format.name) return row;
  }
  throw std::logic_error("no tolerances are stated for " + std::string(format.name));
}

core::GaussianScene make_scene(int sh_degree, int64_t count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> unit(-1, 1);
  core::GaussianScene scene;
  scene.cloud = core::GaussianCloud(sh_degree, count);
  core::GaussianCloud& cloud = scene.cloud;
  for (int64_t i = 0; i < count; ++i) {
    for (int p = 0; p < cloud.parameters.plane_count(); ++p) cloud.plane(p)[i] = unit(random);
    // Told apart by x whatever a format does to the order.
    cloud.plane(core::kMeanPlane)[i] = static_cast<float>(i) * 0.1F;
    for (int a = 0; a < 3; ++a) cloud.plane(core::kLogScalePlane + a)[i] -= 3;
    cloud.plane(core::kOpacityPlane)[i] *= 4;
    double length = 0;
    for (int k = 0; k < 4; ++k) length += std::pow(cloud.plane(core::kQuaternionPlane + k)[i], 2);
    for (int k = 0; k < 4; ++k) {
      cloud.plane(core::kQuaternionPlane + k)[i] /= static_cast<float>(std::sqrt(length));
    }
  }
  return scene;
}

void sort_by_x(core::GaussianCloud& cloud) {
  std::vector<int64_t> order(cloud.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const float* x = cloud.plane(core::kMeanPlane);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return x[a] < x[b]; });
  cloud.parameters.gather(order);
}

double sigmoid(double logit) {
  return 1 / (1 + std::exp(-logit));
}

// q and -q are the same rotation.
double rotation_difference(const core::GaussianCloud& a, const core::GaussianCloud& b, int64_t i) {
  double same = 0;
  double opposite = 0;
  for (int k = 0; k < 4; ++k) {
    const double qa = a.plane(core::kQuaternionPlane + k)[i];
    const double qb = b.plane(core::kQuaternionPlane + k)[i];
    same = std::max(same, std::abs(qa - qb));
    opposite = std::max(opposite, std::abs(qa + qb));
  }
  return std::min(same, opposite);
}

void expect_near(const core::GaussianCloud& a, const core::GaussianCloud& b,
                 const FormatTolerance& tolerance) {
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(a.sh_degree, b.sh_degree);
  for (int64_t i = 0; i < a.size(); ++i) {
    ASSERT_LE(rotation_difference(a, b, i), tolerance.rotation) << i;
    ASSERT_NEAR(sigmoid(a.plane(core::kOpacityPlane)[i]), sigmoid(b.plane(core::kOpacityPlane)[i]),
                tolerance.opacity);
    for (int p = 0; p < a.parameters.plane_count(); ++p) {
      if (p >= core::kQuaternionPlane && p <= core::kOpacityPlane) continue;
      const double allowed = p < core::kLogScalePlane     ? tolerance.mean
                             : p < core::kQuaternionPlane ? tolerance.log_scale
                                                          : tolerance.sh;
      ASSERT_NEAR(a.plane(p)[i], b.plane(p)[i], allowed) << "plane " << p << ", Gaussian " << i;
    }
  }
}

class FormatContract : public ::testing::TestWithParam<const FormatEntry*> {
 protected:
  const FormatEntry& format() const { return *GetParam(); }
  std::filesystem::path file() const {
    return folder_ / ("scene" + std::string(format().extensions.front()));
  }
  core::Array<uint8_t> written(const core::GaussianScene& scene) const {
    const std::unique_ptr<FormatWriter> writer = format().write(file(), scene, scene.cloud.size());
    writer->append(scene.cloud);
    writer->commit();
    return core::read_file(file());
  }
  // The number of records read, or nothing if the bytes were refused in words.
  std::optional<int64_t> try_read(core::View<const uint8_t> bytes) const {
    try {
      const SceneFile read = format().read(bytes, file());
      if (const auto* points = std::get_if<PointCloud>(&read)) {
        return static_cast<int64_t>(points->points.size());
      }
      const auto& scene = std::get<core::GaussianScene>(read);
      return scene.cloud.size() + scene.dropped;
    } catch (const core::IoError& error) {
      EXPECT_NE(std::string(error.what()).find(file().string()), std::string::npos);
      return std::nullopt;
    }
  }

  test::TemporaryFolder folder_;
};

TEST_P(FormatContract, WhatWasWrittenIsReadAgain) {
  const FormatTolerance& tolerance = tolerance_of(format());
  for (int degree = 0; degree <= core::kMaxShDegree; ++degree) {
    core::GaussianScene scene = make_scene(degree, kCount);
    write_scene(file(), scene);
    EXPECT_EQ(folder_.names(), std::vector<std::string>{file().filename()});
    core::GaussianScene read = read_scene(file());
    if (degree > tolerance.highest_sh_degree) {
      EXPECT_FALSE(losses(file(), scene).empty());
      scene.cloud.sh_degree = tolerance.highest_sh_degree;
      scene.cloud.parameters.set_plane_count(core::plane_count(tolerance.highest_sh_degree));
    }
    sort_by_x(read.cloud);
    expect_near(scene.cloud, read.cloud, tolerance);
    EXPECT_EQ(read.dropped, 0);
  }
}

TEST_P(FormatContract, ASecondRoundChangesNothing) {
  write_scene(file(), make_scene(core::kMaxShDegree, kCount));
  core::GaussianScene first = read_scene(file());
  write_scene(file(), first);
  core::GaussianScene second = read_scene(file());
  sort_by_x(first.cloud);
  sort_by_x(second.cloud);
  FormatTolerance rounding = tolerance_of(format());
  rounding.mean = std::min(rounding.mean, 1e-6);
  rounding.log_scale = std::min(rounding.log_scale, 2e-6);
  rounding.opacity = 1e-6;
  rounding.sh = std::min(rounding.sh, 1e-6);
  expect_near(first.cloud, second.cloud, rounding);
}

TEST_P(FormatContract, ASceneWithoutGaussiansIsWrittenAndReadOrRefusedInWords) {
  const core::Array<uint8_t> bytes = written(make_scene(0, 0));
  EXPECT_EQ(try_read(bytes.view()).value_or(0), 0);
}

TEST_P(FormatContract, UnusableGaussiansAreNotWritten) {
  core::GaussianScene scene = make_scene(0, 10);
  scene.cloud.plane(core::kMeanPlane)[3] = NAN;
  scene.cloud.plane(core::kLogScalePlane)[4] = INFINITY;
  for (int k = 0; k < 4; ++k) scene.cloud.plane(core::kQuaternionPlane + k)[5] = 0;
  write_scene(file(), scene);
  const core::GaussianScene read = read_scene(file());
  EXPECT_EQ(read.cloud.size(), 7);
  EXPECT_EQ(read.dropped, 0);
}

TEST_P(FormatContract, ACutFileIsNotTakenForAWholeOne) {
  const core::Array<uint8_t> bytes = written(make_scene(1, kCount));
  for (int64_t sixteenth = 0; sixteenth < 16; ++sixteenth) {
    for (const int64_t off : {0, 1, 7}) {
      // A copy of the exact size lets a sanitizer see a read beyond the end.
      core::Array<uint8_t> cut(bytes.size() * sixteenth / 16 + off);
      std::copy_n(bytes.data(), cut.size(), cut.data());
      EXPECT_NE(try_read(cut.view()), kCount) << sixteenth << "/16 and " << off << " bytes";
    }
  }
}

TEST_P(FormatContract, FlippedBitsNeverCrash) {
  const core::Array<uint8_t> bytes = written(make_scene(1, 20));
  std::mt19937 random(11);
  const int64_t header = std::min<int64_t>(bytes.size(), 1500);
  int refused = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    core::Array<uint8_t> damaged = bytes;
    // Half of the flips go where the structure is.
    const int64_t range = trial % 2 == 0 ? header : bytes.size();
    for (int flip = 0; flip <= trial % 3; ++flip) {
      damaged[static_cast<int64_t>(random() % range)] ^= static_cast<uint8_t>(1U << random() % 8);
    }
    refused += try_read(damaged.view()) ? 0 : 1;
  }
  if (format().probe != nullptr) {
    EXPECT_GT(refused, 0);
  }
}

TEST_P(FormatContract, RandomBytesNeverCrash) {
  std::mt19937 random(13);
  for (int trial = 0; trial < 200; ++trial) {
    core::Array<uint8_t> bytes(static_cast<int64_t>(random() % 4096));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    if (try_read(bytes.view())) {
      EXPECT_EQ(format().probe, nullptr);
    }
  }
}

TEST_P(FormatContract, ItsOwnFilesAreRecognizedUnderAnyName) {
  if (format().probe == nullptr) GTEST_SKIP() << "only its extension tells this format";
  const core::Array<uint8_t> bytes = written(make_scene(0, 5));
  core::write_file_atomically(folder_ / "scene.unknown", bytes.view());
  EXPECT_EQ(read_scene(folder_ / "scene.unknown").cloud.size(), 5);
}

std::vector<const FormatEntry*> written_formats() {
  std::vector<const FormatEntry*> result;
  for (const FormatEntry& format : formats()) {
    if (format.write != nullptr) result.push_back(&format);
  }
  return result;
}

std::string test_name(const ::testing::TestParamInfo<const FormatEntry*>& format) {
  std::string name(format.param->name);
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(Formats, FormatContract, ::testing::ValuesIn(written_formats()),
                         test_name);

TEST(FormatTable, NamesAndExtensionsAreUnique) {
  std::set<std::string_view> names;
  std::set<std::string_view> extensions;
  for (const FormatEntry& format : formats()) {
    EXPECT_TRUE(names.insert(format.name).second);
    ASSERT_FALSE(format.extensions.empty());
    for (const std::string_view extension : format.extensions) {
      EXPECT_TRUE(extensions.insert(extension).second);
      EXPECT_TRUE(extension.starts_with('.'));
    }
    EXPECT_NE(format.read, nullptr);
    EXPECT_EQ(format.write == nullptr, format.losses == nullptr);
  }
}

}  // namespace
}  // namespace tessera::assets
