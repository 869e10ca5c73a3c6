// Clips whose movement is known: what is taken to move, the loop that is found, and the frames that
// are drawn.
// SPDX-License-Identifier: MIT
#include "models/multiplane/video_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/metrics.h"
#include "render/multiplane/multiplane_renderer.h"
#include "tests/models/multiplane/made_clips.h"

namespace tessera::models {
namespace {

using testing::HasSubstr;

struct Built {
  DepthClip clip;
  ClipStatistics statistics;
  ClipLoop loop;
  BuiltVideo built;
};

Built built_of(DepthClip clip, core::ThreadPool& pool, const LoopSettings& looping = {}) {
  Built result;
  result.clip = std::move(clip);
  result.statistics = clip_statistics(result.clip.frames, pool);
  result.loop = find_loop(result.clip.frames, result.statistics.moves, looping, pool);
  PlanSettings settings;
  settings.baseline = 1;
  result.built =
      build_multiplane_video(result.clip, result.statistics, result.loop, settings, pool);
  check_multiplane_video(result.built.video);
  return result;
}

core::ImageF drawn(const core::MultiplaneVideo& video, const core::PosedCamera& camera,
                   core::ThreadPool& pool) {
  render::MultiplaneOutput output;
  render::make_multiplane_renderer("cpu", pool)->forward(video.image, camera, {}, output);
  return output.color;
}

core::ImageF part_of(const core::ImageF& image, const core::PixelWindow& window) {
  core::ImageF part;
  core::crop(image, window, part);
  return part;
}

core::Image8 part_of(const core::Image8& image, const core::PixelWindow& window) {
  core::Image8 part;
  core::crop(image, window, part);
  return part;
}

TEST(ClipStatistics, NoiseIsToldFromMovement) {
  core::ThreadPool pool(2);
  for (const double noise : {0.0, 2.0, 5.0}) {
    SCOPED_TRACE(noise);
    const DepthClip clip = made_clip(20, false, noise);
    const ClipStatistics statistics = clip_statistics(clip.frames, pool);
    EXPECT_NEAR(statistics.noise, noise, 0.1 * noise + 0.05);
    const double patch = 40.0 * 32 / (kClipWidth * kClipHeight);
    EXPECT_NEAR(statistics.moving_share, patch, 0.2 * patch);
    int wrong = 0;
    for (int y = 0; y < kClipHeight; ++y) {
      for (int x = 0; x < kClipWidth; ++x) {
        const bool beside = is_within({kFlickering.left - 1, kFlickering.top - 1,
                                       kFlickering.width + 2, kFlickering.height + 2},
                                      x, y);
        wrong += statistics.moves.at(x, y) != 0 && !beside ? 1 : 0;
        wrong += statistics.moves.at(x, y) == 0 && is_within(kFlickering, x, y) ? 1 : 0;
      }
    }
    EXPECT_EQ(wrong, 0);
  }
}

TEST(ClipStatistics, TheMedianHasLessNoise) {
  core::ThreadPool pool(2);
  const ClipStatistics statistics = clip_statistics(made_clip(20, false, 5).frames, pool);
  double squares = 0;
  int64_t count = 0;
  for (int y = 0; y < 60; ++y) {
    for (int x = 0; x < kClipWidth; ++x, ++count) {
      const double off = statistics.median.at(x, y, 1) - wall_at(x, y, 1);
      squares += off * off;
    }
  }
  // A median of 20 has sqrt(pi / 2 / 20) of the noise, 1.4.
  EXPECT_LT(std::sqrt(squares / static_cast<double>(count)), 1.6);
}

TEST(ClipStatistics, WhatIsNoClipIsRefused) {
  core::ThreadPool pool(1);
  std::vector<core::Image8> frames = made_clip(2, false, 0).frames;
  frames.resize(1);
  EXPECT_THROW(clip_statistics(frames, pool), core::Error);
  frames.emplace_back(5, 5, 3);
  EXPECT_THROW(clip_statistics(frames, pool), core::Error);
}

TEST(ClipLoop, APeriodIsFound) {
  core::ThreadPool pool(2);
  for (const double noise : {0.0, 2.0}) {
    const DepthClip clip = made_clip(27, false, noise);
    const ClipStatistics statistics = clip_statistics(clip.frames, pool);
    const ClipLoop loop = find_loop(clip.frames, statistics.moves, {}, pool);
    EXPECT_EQ(loop.frames.size(), 2U * kClipPeriod);
    EXPECT_GE(loop.faded, 1);
    // The clip jumps by 7 frames, half a wave; the loop by one.
    EXPECT_LT(loop.clip_db, loop.usual_db - 4);
    EXPECT_GT(loop.closed_db, loop.usual_db - 3);
    EXPECT_GT(loop.closed_db, loop.clip_db + 3);
    const ClipLoop shorter = find_loop(clip.frames, statistics.moves, {"crossfade", 8}, pool);
    EXPECT_EQ(shorter.frames.size() % kClipPeriod, 0U);
    const ClipLoop all = find_loop(clip.frames, statistics.moves, {"none", 0}, pool);
    EXPECT_EQ(all.frames.size(), 27U);
    EXPECT_EQ(all.faded, 0);
    EXPECT_DOUBLE_EQ(all.clip_db, loop.clip_db);
  }
}

TEST(ClipLoop, AClipThatIsALoopStaysWhole) {
  core::ThreadPool pool(1);
  const DepthClip clip = made_clip(2 * kClipPeriod, false, 0);
  const ClipStatistics statistics = clip_statistics(clip.frames, pool);
  const ClipLoop loop = find_loop(clip.frames, statistics.moves, {}, pool);
  EXPECT_EQ(loop.frames.size(), clip.frames.size());
  EXPECT_EQ(loop.faded, 0);
}

TEST(ClipLoop, ShortClipsAndUnknownNames) {
  core::ThreadPool pool(1);
  for (const int count : {2, 3, 4}) {
    const DepthClip clip = made_clip(count, false, 0);
    const ClipStatistics statistics = clip_statistics(clip.frames, pool);
    const ClipLoop loop = find_loop(clip.frames, statistics.moves, {}, pool);
    EXPECT_GE(loop.frames.size(), 2U) << count;
    for (const LoopFrame& frame : loop.frames) {
      EXPECT_LT(std::max(frame.first, frame.second), count);
    }
  }
  EXPECT_THROW(find_looping("pingpong"), core::UsageError);
}

// One depth for all frames: only tiles with the patch play.
TEST(VideoPlan, StillAndMovingTiles) {
  core::ThreadPool pool(2);
  Built result = built_of(made_clip(27, false, 2), pool);
  core::MultiplaneVideo& video = result.built.video;
  ASSERT_EQ(video.moving.size(), 1U);
  ASSERT_EQ(video.frame_count(), 2 * kClipPeriod);
  for (const core::MultiplaneLayer& layer : video.image.layers) {
    const bool with_patch =
        layer.window.left < kFlickering.right() && kFlickering.left < layer.window.right() &&
        layer.window.top < kFlickering.bottom() && kFlickering.top < layer.window.bottom();
    // One more pixel around the patch moves with it.
    if (with_patch) {
      EXPECT_EQ(layer.page, video.moving[0].page);
    }
    const bool far_from_patch = layer.window.left > kFlickering.right() + 1 ||
                                layer.window.right() < kFlickering.left - 1 ||
                                layer.window.top > kFlickering.bottom() + 1 ||
                                layer.window.bottom() < kFlickering.top - 1;
    if (far_from_patch) {
      EXPECT_NE(layer.page, video.moving[0].page);
    }
  }
  const DepthClip clean = made_clip(27, false, 0);
  const core::PixelWindow upper = {0, 0, kClipWidth, 56};
  for (const int frame : {0, 6, 13, 19, 24}) {
    SCOPED_TRACE(frame);
    video.show(frame);
    const LoopFrame& source = result.loop.frames[frame % video.frame_count()];
    const core::ImageF picture = drawn(video, video.image.camera, pool);
    // What moves is the frame, noise and all; what stays has less noise than the frames.
    if (source.second_weight == 0) {
      EXPECT_GT(core::measure(part_of(picture, kFlickering),
                              part_of(result.clip.frames[source.first], kFlickering), {}, pool)
                    .psnr,
                55);
    }
    const double of_frame =
        core::measure(part_of(picture, upper), part_of(clean.frames[source.first], upper), {}, pool)
            .psnr;
    EXPECT_GT(of_frame, 48);  // sigma 2 is 42 dB
  }
}

// With depth for each frame the square stands before the wall, which is whole behind it.
TEST(VideoPlan, WhatPassesHasItsDepthAndHidesWhatIsThere) {
  core::ThreadPool pool(2);
  Built result = built_of(made_clip(27, true, 0), pool, {"none", 0});
  core::MultiplaneVideo& video = result.built.video;
  ASSERT_EQ(video.frame_count(), 27);
  core::PosedCamera beside = video.image.camera;
  beside.cam_from_world.translation.x = -1;  // one baseline to the right
  for (const int frame : {0, 2, 5, 8, 14}) {
    SCOPED_TRACE(frame);
    video.show(frame);
    const core::ImageF front = drawn(video, video.image.camera, pool);
    EXPECT_GT(core::measure(front, result.clip.frames[frame], {}, pool).psnr, 34);
    // Seen from there: the wall moves left by 4 pixels, the square by 14.
    const core::ImageF picture = drawn(video, beside, pool);
    const core::PixelWindow square = square_in(frame);
    core::Image8 expected(kClipWidth, 56, 3);
    for (int y = 0; y < expected.height; ++y) {
      for (int x = 0; x < expected.width; ++x) {
        for (int c = 0; c < 3; ++c) {
          expected.at(x, y, c) = wall_at(x + static_cast<int>(kWallDisparity), y, c);
          if (is_within(square, x + static_cast<int>(kSquareDisparity), y)) {
            expected.at(x, y, c) =
                result.clip.frames[frame].at(x + static_cast<int>(kSquareDisparity), y, c);
          }
        }
      }
    }
    const core::PixelWindow seen = {8, 0, kClipWidth - 24, 56};
    EXPECT_GT(core::measure(part_of(picture, seen), part_of(expected, seen), {}, pool).psnr, 26);
    // What the square hid is the wall, not a smear.
    const core::PixelWindow uncovered = {square.right() - static_cast<int>(kSquareDisparity) + 2,
                                         square.top + 3, 8, square.height - 6};
    EXPECT_GT(
        core::measure(part_of(picture, uncovered), part_of(expected, uncovered), {}, pool).psnr,
        30);
  }
}

TEST(VideoPlan, WithoutMovementItIsAStillImage) {
  core::ThreadPool pool(1);
  DepthClip clip = made_clip(2, false, 0);
  clip.frames[1] = clip.frames[0];
  const Built result = built_of(std::move(clip), pool);
  EXPECT_TRUE(result.built.video.moving.empty());
  EXPECT_EQ(result.built.moving_layers, 0);
}

TEST(VideoPlan, TheSameForAnyNumberOfThreads) {
  core::ThreadPool one(1);
  core::ThreadPool three(3);
  const Built a = built_of(made_clip(13, true, 2), one);
  const Built b = built_of(made_clip(13, true, 2), three);
  EXPECT_EQ(a.built.video.image.layers, b.built.video.image.layers);
  EXPECT_EQ(a.built.video.image.pages, b.built.video.image.pages);
  ASSERT_EQ(a.built.video.moving.size(), b.built.video.moving.size());
  for (size_t i = 0; i < a.built.video.moving.size(); ++i) {
    EXPECT_EQ(a.built.video.moving[i].frames, b.built.video.moving[i].frames);
  }
}

TEST(VideoPlan, OtherNumbersOfDepthsAreRefused) {
  core::ThreadPool pool(1);
  DepthClip clip = made_clip(5, true, 0);
  clip.inverse_depth.pop_back();
  try {
    built_of(std::move(clip), pool);
    FAIL();
  } catch (const core::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("5 frames and 4 depth maps"));
  }
}

}  // namespace
}  // namespace tessera::models
