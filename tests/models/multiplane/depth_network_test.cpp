// Small networks, made by data/onnx/make_networks.py, are read, run, and refused by name.
// SPDX-License-Identifier: MIT
#include "models/multiplane/depth_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/file_io.h"
#include "core/program_module.h"
#include "models/multiplane/onnx_input.h"

namespace tessera::models {
namespace {

const std::filesystem::path kNetworks = std::filesystem::path(TESSERA_FIXTURES) / "onnx";

core::Array<uint8_t> bytes_of(const char* network) {
  return core::read_file(kNetworks / network);
}

TEST(OnnxInput, SizesAreThoseOfThePicture) {
  const core::Array<uint8_t> fixed = bytes_of("fixed_size.onnx");
  const auto size = onnx_input_size(fixed.view());
  ASSERT_TRUE(size);
  EXPECT_EQ(size->width, 64);
  EXPECT_EQ(size->height, 48);
  const core::Array<uint8_t> any = bytes_of("red_is_near.onnx");
  const auto open = onnx_input_size(any.view());
  ASSERT_TRUE(open);
  EXPECT_EQ(open->width, 0);
  EXPECT_EQ(open->height, 0);
}

// Whatever is cut off or changed, what is read is a size that a picture can have, or nothing.
TEST(OnnxInput, BrokenFilesGiveNothingOrASize) {
  const core::Array<uint8_t> whole = bytes_of("fixed_size.onnx");
  int none = 0;
  const auto check = [&](core::View<const uint8_t> bytes) {
    const auto size = onnx_input_size(bytes);
    none += size ? 0 : 1;
    if (!size) return;
    EXPECT_TRUE(size->width >= 0 && size->width <= 1 << 14);
    EXPECT_TRUE(size->height >= 0 && size->height <= 1 << 14);
  };
  for (int64_t size = 0; size < whole.size(); ++size) check({whole.data(), size});
  // The graph is one field, cut short it is none; a few bytes follow it.
  EXPECT_GT(none, whole.size() - 16);
  none = 0;
  core::Array<uint8_t> changed(whole.size());
  for (int64_t i = 0; i < whole.size(); ++i) {
    std::copy(whole.begin(), whole.end(), changed.begin());
    changed[i] ^= 0xFF;
    check(changed.view());
  }
  EXPECT_GT(none, 0);
  EXPECT_LT(none, whole.size());
}

class DepthNetworkTest : public testing::Test {
 protected:
  void SetUp() override {
    if (core::function_of_module("tessera_depth_network.so", "tessera_run_depth_network") ==
        nullptr) {
      GTEST_SKIP() << "tessera_depth_network.so was not built; it needs OpenCV's dnn";
    }
  }

  // Red rises to the right, in steps of the network's squares.
  static core::Image8 photo(int width, int height) {
    core::Image8 picture(width, height, 3);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        picture.at(x, y, 0) = static_cast<uint8_t>(x / 4 * 255 * 4 / width);
        picture.at(x, y, 1) = picture.at(x, y, 2) = 77;
      }
    }
    return picture;
  }
};

TEST_F(DepthNetworkTest, GivesWhatTheNetworkComputes) {
  const core::Image8 picture = photo(56, 28);
  const core::ImageF depth =
      estimate_depth(picture, kNetworks / "red_is_near.onnx", {56, 28, "0-1"});
  ASSERT_EQ(depth.width, 28);
  ASSERT_EQ(depth.height, 14);
  for (int y = 0; y < depth.height; ++y) {
    for (int x = 0; x < depth.width; ++x) {
      ASSERT_NEAR(depth.at(x, y), picture.at(2 * x, 2 * y, 0) / 255.0, 1e-5) << x << ", " << y;
    }
  }
}

TEST_F(DepthNetworkTest, RangesAreThoseOfTheNetwork) {
  const core::Image8 picture = photo(56, 28);
  const auto middle = [&](std::string_view range) {
    return estimate_depth(picture, kNetworks / "red_is_near.onnx", {56, 28, range}).at(14, 7);
  };
  const float plain = middle("0-1");
  EXPECT_NEAR(middle("-1-1"), 2 * plain - 1, 1e-5);
  EXPECT_NEAR(middle("imagenet"), (plain - 0.485F) / 0.229F, 1e-4);
  EXPECT_THROW(middle("0-255"), core::UsageError);
}

TEST_F(DepthNetworkTest, PicturesFitTheNetwork) {
  // Made for 64x48; without a size, multiples of 14 and 518 along the longer side.
  const core::ImageF fixed = estimate_depth(photo(400, 300), kNetworks / "fixed_size.onnx", {});
  EXPECT_EQ(fixed.width, 32);
  EXPECT_EQ(fixed.height, 24);
  const core::ImageF usual = estimate_depth(photo(1036, 560), kNetworks / "red_is_near.onnx", {});
  EXPECT_EQ(usual.width, 518 / 4 * 2);
  EXPECT_EQ(usual.height, 280 / 4 * 2);
  const core::ImageF small = estimate_depth(photo(100, 60), kNetworks / "red_is_near.onnx", {});
  EXPECT_EQ(small.width, 98 / 4 * 2);
  EXPECT_EQ(small.height, 56 / 4 * 2);
}

TEST_F(DepthNetworkTest, AnUnknownOperatorIsNamed) {
  try {
    estimate_depth(photo(56, 28), kNetworks / "unknown.onnx", {});
    FAIL();
  } catch (const core::IoError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("its operator Wobble"));
  }
}

TEST_F(DepthNetworkTest, WhatIsNoNetworkIsRefused) {
  EXPECT_THROW(estimate_depth(photo(56, 28), kNetworks / "make_networks.py", {}), core::IoError);
  EXPECT_THROW(estimate_depth(photo(56, 28), kNetworks / "missing.onnx", {}), core::IoError);
}

}  // namespace
}  // namespace tessera::models
