// Memory that is planned, and choices made from the capture before a run.
// SPDX-License-Identifier: MIT
#include "apps/commands/memory_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "apps/commands/held_out.h"
#include "apps/commands/line_chart.h"
#include "apps/commands/progress.h"
#include "apps/commands/reconstruct_options.h"
#include "apps/commands/report.h"
#include "core/error.h"

namespace tessera::apps {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

MemoryNeed ten_photos() {
  MemoryNeed need;
  need.decoded_photo_bytes = 400'000'000;
  need.least_photo_bytes = 40'000'000;
  need.pixels = 1'000'000;
  need.start_gaussians = 100'000;
  return need;
}

std::string refusal(const MemoryNeed& need, const MemoryLimits& limits) {
  try {
    plan_memory(need, limits);
  } catch (const core::Error& error) {
    return error.what();
  }
  return "";
}

TEST(MemoryPlan, KeepsAllPhotosWhereThereIsRoom) {
  const MemoryPlan plan = plan_memory(ten_photos(), {0, 16'000'000'000});
  EXPECT_EQ(plan.photo_bytes, 400'000'000);
  EXPECT_EQ(plan.max_gaussians, 0) << "what is free does not cap growth";
}

TEST(MemoryPlan, BudgetBoundsPhotosAndGaussiansTogether) {
  const uint64_t budget = 1'000'000'000;
  const MemoryPlan plan = plan_memory(ten_photos(), {budget, 16'000'000'000});
  EXPECT_LE(plan.planned_bytes, budget);
  EXPECT_GT(plan.max_gaussians, 100'000);
  EXPECT_GE(plan.photo_bytes, 40'000'000);
  MemoryNeed capped = ten_photos();
  capped.max_gaussians = 200'000;
  EXPECT_EQ(plan_memory(capped, {budget, 16'000'000'000}).max_gaussians, 200'000);
}

TEST(MemoryPlan, WhatCannotFitIsRefusedWithWhatWould) {
  EXPECT_THAT(refusal(ten_photos(), {300'000'000, 16'000'000'000}), HasSubstr("--max-memory"));
  EXPECT_THAT(refusal(ten_photos(), {0, 200'000'000}), HasSubstr("are free"));
  MemoryNeed capped = ten_photos();
  capped.max_gaussians = 10'000'000;
  EXPECT_THAT(refusal(capped, {2'000'000'000, 16'000'000'000}), HasSubstr("--max-gaussians "));
}

TEST(MemoryPlan, AdviceIsOnlyWhatWouldHelp) {
  MemoryNeed need = ten_photos();  // 190 MB, 40 MB and 187 MB
  // A quarter of the photos' pixels fits, and so do fewer Gaussians.
  EXPECT_THAT(refusal(need, {400'000'000, 16'000'000'000}),
              AllOf(HasSubstr("-r 2"), HasSubstr("--max-gaussians ")));
  need.resolution = 4;
  EXPECT_THAT(refusal(need, {400'000'000, 16'000'000'000}), HasSubstr("-r 8"));
  need.resolution = 8;
  EXPECT_THAT(refusal(need, {400'000'000, 16'000'000'000}),
              AllOf(Not(HasSubstr("-r ")), HasSubstr("--max-gaussians ")));
  // Photos that take next to nothing are not the reason.
  need = ten_photos();
  need.pixels = 10'000;
  need.decoded_photo_bytes = need.least_photo_bytes = 300'000;
  EXPECT_THAT(refusal(need, {100'000'000, 16'000'000'000}),
              AllOf(Not(HasSubstr("-r ")), HasSubstr("--max-gaussians ")));
  // Nothing helps a run whose choices are made, or one that not even the program's own fits.
  need.resumed = true;
  EXPECT_THAT(refusal(need, {100'000'000, 16'000'000'000}),
              AllOf(Not(HasSubstr("--max-gaussians")), HasSubstr("--max-memory 218MB")));
  EXPECT_THAT(refusal(ten_photos(), {0, 20'000'000}), HasSubstr("close other programs"));
}

TEST(MemoryPlan, SaysWhatWouldKeepAllPhotosDecoded) {
  for (const int64_t cap : {0, 200'000}) {
    MemoryNeed need = ten_photos();
    need.max_gaussians = cap;
    const MemoryPlan some = plan_memory(need, {620'000'000, 16'000'000'000});
    EXPECT_LT(some.photo_bytes, need.decoded_photo_bytes);
    unsigned long long megabytes = 0;
    ASSERT_EQ(
        std::sscanf(some.to_keep_all.c_str(), "--max-memory %lluMB would keep all", &megabytes), 1)
        << some.to_keep_all;
    const MemoryPlan all = plan_memory(need, {1'000'000 * megabytes, 16'000'000'000});
    EXPECT_EQ(all.photo_bytes, need.decoded_photo_bytes);
    EXPECT_THAT(all.to_keep_all, IsEmpty());
    EXPECT_LT(plan_memory(need, {1'000'000 * (megabytes - 1), 16'000'000'000}).photo_bytes,
              need.decoded_photo_bytes);
    // No budget helps where the machine has not so much.
    EXPECT_THAT(plan_memory(need, {0, 620'000'000}).to_keep_all,
                AllOf(HasSubstr("of memory"), Not(HasSubstr("--max-memory"))));
  }
}

TEST(MemoryPlan, RanksShareTheGaussians) {
  MemoryNeed need = ten_photos();
  need.start_gaussians = 4'000'000;
  const MemoryPlan alone = plan_memory(need, {0, 16'000'000'000});
  need.ranks = 4;
  const MemoryPlan shared = plan_memory(need, {0, 16'000'000'000});
  EXPECT_EQ(alone.planned_bytes - shared.planned_bytes,
            static_cast<uint64_t>(3'000'000 * bytes_per_gaussian(3)));
  EXPECT_THAT(shared.text, AllOf(HasSubstr("of memory on each rank"),
                                 HasSubstr("1/4 of the first 4,000,000 Gaussians 1.86 GB")));
  // Of all views of a step, what is projected is kept.
  need.views_at_once = 11;
  EXPECT_EQ(plan_memory(need, {0, 16'000'000'000}).planned_bytes - shared.planned_bytes,
            uint64_t{1'000'000} * 10 * 160);
  need.views_at_once = 1;
  // A budget of each rank has room for four times as many.
  need.start_gaussians = 1000;
  const int64_t capped = plan_memory(need, {1'000'000'000, 16'000'000'000}).max_gaussians;
  need.ranks = 1;
  EXPECT_EQ(plan_memory(need, {1'000'000'000, 16'000'000'000}).max_gaussians, capped / 4);
}

TEST(MemoryPlan, MoreRanksAreAdvisedWhereEachHasItsOwnLimit) {
  MemoryNeed need = ten_photos();
  need.start_gaussians = 1'000'000;
  EXPECT_THAT(refusal(need, {0, 16'000'000'000, 1'000'000'000}),
              AllOf(HasSubstr("are left by its process's limit (ulimit -v)"),
                    HasSubstr("--max-gaussians "), HasSubstr("--ranks 4 would fit")));
  EXPECT_THAT(refusal(need, {0, 1'000'000'000}), Not(HasSubstr("--ranks")))
      << "ranks of one machine share what it has";
}

// "75.9 MB" as bytes.
double bytes_before(const std::string& text, size_t end) {
  const size_t unit = text.rfind(' ', end - 1);
  const size_t number = text.rfind(' ', unit - 1) + 1;
  return static_cast<double>(parse_memory_size(text.substr(number, unit - number) +
                                               text.substr(unit + 1, end - unit - 1)));
}

TEST(MemoryPlan, PartsAddUpToTheSum) {
  const std::string text = plan_memory(ten_photos(), {0, 16'000'000'000}).text;
  EXPECT_THAT(text, testing::MatchesRegex("[0-9.]+ [MG]B of memory \\(program and pictures .* MB, "
                                          "photos .* MB, the first 100,000 Gaussians .* MB; .* "
                                          "for each million more\\)"));
  const double sum = bytes_before(" " + text, text.find(" of memory") + 1);
  double parts = 0;
  for (const char* end : {", photos", ", the first", "; "}) {
    parts += bytes_before(text, text.find(end));
  }
  EXPECT_NEAR(parts, sum, 2e6) << text;
}

core::Capture capture_of(int views) {
  core::Capture capture;
  for (int i = 0; i < views; ++i) {
    core::CaptureView view;
    view.name = std::string(1, static_cast<char>('a' + i));
    capture.views.push_back(view);
  }
  return capture;
}

TEST(HeldOut, IsEveryNthByNameWithTheFirst) {
  const core::Capture capture = capture_of(10);
  EXPECT_THAT(hold_out(capture, true, 4).test, ElementsAre(0, 4, 8));
  EXPECT_THAT(hold_out(capture, true, 4).train, ElementsAre(1, 2, 3, 5, 6, 7, 9));
  EXPECT_THAT(hold_out(capture, false, 4).test, IsEmpty());
  EXPECT_EQ(hold_out(capture, false, 4).train.size(), 10U);
}

TEST(HeldOut, IsWhatTheCaptureMarksIfItDoes) {
  core::Capture capture = capture_of(4);
  capture.views[2].is_test = true;
  EXPECT_THAT(hold_out(capture, true, 2).test, ElementsAre(2));
  EXPECT_THAT(hold_out(capture, false, 2).test, IsEmpty());
  EXPECT_THAT(hold_out(capture, false, 2).train, ElementsAre(0, 1, 3)) << "never trained on";
}

TEST(Options, SizesAndColors) {
  EXPECT_EQ(parse_memory_size("1.5GB"), 1'500'000'000U);
  EXPECT_EQ(parse_memory_size("2GiB"), 2147483648U);
  EXPECT_EQ(parse_memory_size("800m"), 800'000'000U);
  for (const char* wrong : {"", "GB", "-1GB", "1XB", "1e30GB", "nan"}) {
    EXPECT_THROW(parse_memory_size(wrong), std::invalid_argument) << wrong;
  }
  EXPECT_EQ(parse_color("white"), (std::array<float, 3>{1, 1, 1}));
  EXPECT_EQ(parse_color("#ff0000"), (std::array<float, 3>{1, 0, 0}));
  EXPECT_EQ(parse_color("0.5,0.25,1"), (std::array<float, 3>{0.5F, 0.25F, 1}));
  EXPECT_EQ(parse_color(color_text({0.1F, 0.2F, 0.3F})), (std::array<float, 3>{0.1F, 0.2F, 0.3F}));
  for (const char* wrong : {"", "1,2,3", "#ff00", "0.1,0.2", "0,0,0,0", "nan,0,0"}) {
    EXPECT_THROW(parse_color(wrong), std::invalid_argument) << wrong;
  }
}

TEST(Words, ForCountsTimesAndSizes) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(1234567), "1,234,567");
  EXPECT_EQ(count_text(-1000), "-1,000");
  EXPECT_EQ(duration_text(9.96), "10.0 s");
  EXPECT_EQ(duration_text(59.7), "1 min 0 s");
  EXPECT_EQ(duration_text(7260), "2 h 1 min");
  EXPECT_EQ(bytes_text(1.24e9), "1.24 GB");
}

TEST(Report, EscapesAndEncodes) {
  EXPECT_EQ(html_escaped("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
  EXPECT_EQ(base64({}), "");
  EXPECT_EQ(base64({'M'}), "TQ==");
  EXPECT_EQ(base64({'M', 'a'}), "TWE=");
  EXPECT_EQ(base64({'M', 'a', 'n'}), "TWFu");
}

TEST(Report, CurvesOfAnyValuesDraw) {
  for (const bool logarithmic : {false, true}) {
    for (const std::vector<std::pair<double, double>>& points :
         {std::vector<std::pair<double, double>>{{1, 0.5}, {2, 0.5}},
          {{1, 1e-9}, {2, 1e9}},
          {{0, 3}, {1e6, 3.0000001}}}) {
      LineChart chart;
      chart.points = points;
      chart.logarithmic = logarithmic;
      const std::string svg = to_svg(chart);
      EXPECT_THAT(svg, HasSubstr("class=\"curve\""));
      EXPECT_EQ(svg.find("nan"), std::string::npos);
      EXPECT_EQ(svg.find("inf"), std::string::npos);
    }
  }
  EXPECT_EQ(to_svg(LineChart{}), "");
}

}  // namespace
}  // namespace tessera::apps
