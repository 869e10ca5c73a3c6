// The memory that `tessera photo3d` plans, and that it keeps to what there is.
// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
#include "tests/support/photo3d_fixture.h"

namespace tessera::test {
namespace {

using apps::Photo3dNeed;
using testing::HasSubstr;
using testing::Not;

// Of 24 megapixels, for a folder.
Photo3dNeed large_photo() {
  Photo3dNeed need;
  need.stored_pixels = need.pixels = need.drawn_pixels = 24'000'000;
  need.texels = 5 * need.pixels;
  return need;
}

std::string refusal(const Photo3dNeed& need, const apps::MemoryLimits& limits) {
  try {
    apps::plan_photo3d_memory(need, limits);
  } catch (const core::Error& error) {
    return error.what();
  }
  return "";
}

TEST(Photo3dMemory, WhatIsLeftGoesToTexels) {
  const apps::Photo3dMemory plan = apps::plan_photo3d_memory(large_photo(), {0, 1'666'000'000});
  EXPECT_EQ(plan.text, "1.57 GB of memory (to read 462 MB, to plan 1.06 GB, to draw 1.57 GB)");
  EXPECT_EQ(plan.most_texel_bytes, 480'000'000 + 100'000'000);
  Photo3dNeed scene = large_photo();
  scene.drawn_pixels = 0;
  EXPECT_THAT(apps::plan_photo3d_memory(scene, {0, 2'000'000'000}).text, Not(HasSubstr("draw")));
}

TEST(Photo3dMemory, ARefusalNamesWhatWouldFit) {
  EXPECT_EQ(refusal(large_photo(), {0, 1'200'000'000}),
            "This run needs 1.57 GB of memory, and 1.2 GB are free; -r 2 or the scene alone (-o "
            "x.tmpi) would fit.");
  Photo3dNeed smaller = large_photo();
  smaller.pixels = smaller.drawn_pixels = 6'000'000;
  smaller.texels = 30'000'000;
  smaller.resolution = 2;
  EXPECT_THAT(refusal(smaller, {400'000'000, 8'000'000'000}),
              HasSubstr("400 MB are allowed by --max-memory; --max-memory 462MB would fit"))
      << "reading takes the same whatever -r says";
  EXPECT_THAT(refusal(large_photo(), {0, 8'000'000'000, 300'000'000}),
              HasSubstr("(ulimit -v); raise that limit"));
}

// A child whose address space is limited to less than a photo of 3 megapixels takes.
TEST_F(Photo3dTest, ALimitOnTheProcessIsKept) {
  core::Image8 large(2000, 1500, 3);
  for (int64_t i = 0; i < large.data.size(); ++i) large.data[i] = static_cast<uint8_t>(i * i / 997);
  assets::write_image(folder_ / "large.png", large);
  const auto limited = [&](const std::string& output, const std::string& resolution) {
    return Program({"photo3d", at("large.png"), "--depth", at("depth.png"), "-o", at(output), "-r",
                    resolution, "--threads", "1"},
                   std::nullopt, folder_.path().string(), 240'000'000)
        .wait();
  };
  const ProgramEnd refused = limited("out", "1");
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_THAT(refused.err, HasSubstr("This run needs 243 MB of memory"));
  EXPECT_THAT(refused.err, HasSubstr("-r 2 or the scene alone (-o x.tmpi) would fit"));
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  const ProgramEnd smaller = limited("out", "2");
  EXPECT_EQ(smaller.exit_code, 0) << smaller.err;
  EXPECT_THAT(smaller.out, HasSubstr("MB of memory (to read"));
  const ProgramEnd scene = limited("out.tmpi", "1");
  EXPECT_EQ(scene.exit_code, 0) << scene.err;
}

TEST_F(Photo3dTest, LayersOfMoreTexelsThanTheBudgetHasAreRefused) {
  // Depth without surfaces takes many planes.
  assets::Image16 rough(kWidth, kHeight, 1);
  for (int64_t i = 0; i < rough.data.size(); ++i) {
    rough.data[i] = static_cast<uint16_t>(500 + i * 7919 % 4000);
  }
  assets::write_image(folder_ / "rough.png", rough);
  const auto with_budget = [&](const std::string& depth) {
    return photo3d({at("photo.png"), "--depth", at(depth), "--max-memory", "54900kB", "-o",
                    at(depth + ".tmpi")});
  };
  EXPECT_EQ(with_budget("depth.png").exit_code, 0);
  const ProgramEnd refused = with_budget("rough.png");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("of texels, and there is memory for"));
}

}  // namespace
}  // namespace tessera::test
