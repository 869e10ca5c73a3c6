// SPDX-License-Identifier: MIT
#include "core/multiplane_video.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"

namespace tessera::core {
namespace {

Image8 page_of(uint8_t value) {
  Image8 page(6, 5, 4);
  page.data.fill(value);
  return page;
}

// A still page and one of three frames.
MultiplaneVideo video_of_three() {
  MultiplaneVideo video;
  Camera& camera = video.image.camera.camera;
  camera.width = camera.height = 2;
  camera.fx = camera.fy = 2;
  video.image.pages = {page_of(9), page_of(0)};
  video.image.layers = {{{0, 0, 1}, {0, 0, 2, 1}, 0, 2, 2}, {{0, 0, 1}, {0, 1, 2, 1}, 1, 2, 2}};
  video.moving = {{1, {page_of(10), page_of(20), page_of(30)}}};
  return video;
}

std::string refusal(const MultiplaneVideo& video) {
  try {
    check_multiplane_video(video);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MultiplaneVideo, FramesRepeatAndWhatStaysIsNotTouched) {
  MultiplaneVideo video = video_of_three();
  EXPECT_EQ(video.frame_count(), 3);
  const uint8_t* still = video.image.pages[0].data.data();
  for (const auto& [frame, value] : {std::pair{0, 10}, {1, 20}, {2, 30}, {3, 10}, {7, 20}}) {
    video.show(frame);
    EXPECT_EQ(video.image.pages[1], page_of(static_cast<uint8_t>(value))) << frame;
  }
  EXPECT_EQ(video.image.pages[0].data.data(), still);
  EXPECT_EQ(video.image.pages[0], page_of(9));
  EXPECT_EQ(refusal(video), "");

  video.moving.clear();
  video.show(5);
  EXPECT_EQ(video.frame_count(), 1);
  EXPECT_EQ(refusal(video), "");
}

TEST(MultiplaneVideo, WhatIsNoneIsRefused) {
  MultiplaneVideo video = video_of_three();
  video.frames_per_second = 0;
  EXPECT_THAT(refusal(video), testing::HasSubstr("0 frames a second"));
  video.frames_per_second = NAN;
  EXPECT_THAT(refusal(video), testing::HasSubstr("frames a second"));
  video = video_of_three();
  video.moving[0].page = 2;
  EXPECT_THAT(refusal(video), testing::HasSubstr("moving page 2"));
  video = video_of_three();
  video.moving.push_back(video.moving[0]);
  EXPECT_THAT(refusal(video), testing::HasSubstr("does not follow"));
  video.moving[1].page = 0;
  std::swap(video.moving[0], video.moving[1]);
  EXPECT_EQ(refusal(video), "");
  video.moving[1].frames.pop_back();
  EXPECT_THAT(refusal(video), testing::HasSubstr("page 1 has 2 frames, but page 0 has 3"));
  video = video_of_three();
  video.moving[0].frames.clear();
  EXPECT_THAT(refusal(video), testing::HasSubstr("has 0 frames"));
  video = video_of_three();
  video.moving[0].frames[1] = Image8(5, 6, 4);
  EXPECT_THAT(refusal(video), testing::HasSubstr("is 5x6 with 4 channels"));
  video = video_of_three();
  video.image.layers[0].page = 7;
  EXPECT_THAT(refusal(video), testing::HasSubstr("page 7"));
}

}  // namespace
}  // namespace tessera::core
