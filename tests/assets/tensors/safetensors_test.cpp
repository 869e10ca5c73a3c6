// Files of weights: written and read again, read from the bytes that others write, and damaged
// ones.
// SPDX-License-Identifier: MIT
#include "assets/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/math/half.h"
#include "tests/support/mutations.h"
#include "tests/support/temporary_folder.h"

namespace tessera::assets {
namespace {

using core::TensorType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

core::TensorMap made_map() {
  core::TensorMap map;
  const float values[] = {1, -2.5F, 3e-20F, 4e20F, 0, 6};
  map.tensors["conv.weight"] = core::float_tensor({2, 3, 1}, values);
  map.tensors["scale"] = core::float_tensor({}, std::span(values).first(1));
  map.tensors["none"] = core::float_tensor({0, 4}, {});
  core::TensorData& ids = map.tensors["ids"];
  ids = {TensorType::kInt16, {3}, core::Array<uint8_t>(6, 7)};
  map.metadata = {{"architecture", "made"}, {"text", "with \"quotes\" and \xC3\xBC"}};
  return map;
}

class SafetensorsTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder_ / "x.safetensors"; }
  void put(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
  void put(const std::string& header, const std::string& data) const {
    const uint64_t length = header.size();
    put(std::string(reinterpret_cast<const char*>(&length), 8) + header + data);
  }
  std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(path(), std::ios::binary).rdbuf();
    return text.str();
  }
  std::string refusal() const {
    try {
      read_safetensors(path());
    } catch (const core::IoError& error) {
      EXPECT_THAT(error.what(), HasSubstr(path().string()));
      return error.what();
    }
    return "";
  }
  std::string refusal(const std::string& header, const std::string& data) const {
    put(header, data);
    return refusal();
  }

  test::TemporaryFolder folder_;
};

std::string entry(const std::string& type, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST_F(SafetensorsTest, WhatIsWrittenIsRead) {
  write_safetensors(path(), made_map());
  EXPECT_EQ(read_safetensors(path()), made_map());
  EXPECT_THAT(folder_.names(), ElementsAre("x.safetensors"));
  write_safetensors(path(), {});
  EXPECT_EQ(read_safetensors(path()), core::TensorMap());
}

TEST_F(SafetensorsTest, HalvesBecomeFloats) {
  std::string data;
  for (const uint16_t half : {math::half_from_float(1.5F), math::half_from_float(-0.25F)}) {
    data.append(reinterpret_cast<const char*>(&half), 2);
  }
  for (const float value : {3.0F, -1e30F}) {
    const auto word = static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
    data.append(reinterpret_cast<const char*>(&word), 2);
  }
  put("{\"b\":" + entry("BF16", "[2]", "[4,8]") + ",\"h\":" + entry("F16", "[1,2]", "[0,4]") + "} ",
      data);
  const core::TensorMap map = read_safetensors(path());
  const core::Array<float> narrow = core::floats_of(map.tensors.at("h"));
  EXPECT_THAT(std::vector<float>(narrow.begin(), narrow.end()), ElementsAre(1.5F, -0.25F));
  const core::Array<float> wide = core::floats_of(map.tensors.at("b"));
  EXPECT_EQ(wide[0], 3.0F);
  EXPECT_NEAR(wide[1], -1e30F, 1e28F);
  EXPECT_THROW(core::floats_of(made_map().tensors.at("ids")), core::Error);
}

TEST_F(SafetensorsTest, RefusesWhatDoesNotFit) {
  const std::string four(4, 'x');
  EXPECT_THAT(refusal("{\"a\":" + entry("F32", "[1]", "[0,8]") + "}", four), HasSubstr("beyond"));
  EXPECT_THAT(refusal("{\"a\":" + entry("F32", "[1]", "[4,0]") + "}", four), HasSubstr("beyond"));
  EXPECT_THAT(refusal("{\"a\":" + entry("F32", "[2]", "[0,4]") + "}", four),
              HasSubstr("its shape"));
  EXPECT_THAT(
      refusal("{\"a\":" + entry("F32", "[4294967296,4294967296,4294967296,1]", "[0,4]") + "}",
              four),
      HasSubstr("too large"));
  EXPECT_THAT(refusal("{\"a\":" + entry("F32", "[-1]", "[0,4]") + "}", four), HasSubstr("length"));
  EXPECT_THAT(refusal("{\"a\":" + entry("F8", "[4]", "[0,4]") + "}", four), HasSubstr("'F8'"));
  EXPECT_THAT(refusal("{\"a\":" + entry("U8", "[3]", "[0,3]") +
                          ",\"b\":" + entry("U8", "[2]", "[2,4]") + "}",
                      four),
              HasSubstr("overlaps"));
  EXPECT_THAT(refusal("{\"a\":" + entry("U8", "[3]", "[1,4]") + "}", four), HasSubstr("gap"));
  EXPECT_THAT(refusal("{\"a\":" + entry("U8", "[3]", "[0,3]") + "}", four), HasSubstr("behind"));
  EXPECT_THAT(refusal("{\"a\":7}", four), HasSubstr("type"));
  EXPECT_THAT(refusal("[]", ""), HasSubstr("no safetensors"));
  EXPECT_THAT(refusal("{\"__metadata__\":{\"a\":1}}", ""), HasSubstr("metadata"));
  put(std::string(8, '\xFF') + "{}");
  EXPECT_THAT(refusal(), HasSubstr("header"));
  put("short");
  EXPECT_THAT(refusal(), HasSubstr("too short"));
}

TEST_F(SafetensorsTest, TruncatedAtEverySixteenth) {
  write_safetensors(path(), made_map());
  const std::string whole = bytes();
  for (size_t sixteenth = 0; sixteenth < 16; ++sixteenth) {
    put(tests::cut_at(whole, sixteenth));
    EXPECT_NE(refusal(), "") << sixteenth;
  }
}

TEST_F(SafetensorsTest, DamagedOnesAreReadOrRefused) {
  write_safetensors(path(), made_map());
  const std::string whole = bytes();
  int refused = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    put(tests::damaged(whole, seed));
    try {
      for (const auto& [name, tensor] : read_safetensors(path()).tensors) {
        EXPECT_EQ(core::element_count(tensor.shape) * core::bytes_of(tensor.type),
                  tensor.bytes.size())
            << name;
      }
    } catch (const core::IoError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace tessera::assets
