// SPDX-License-Identifier: MIT
#include "assets/photos/decode_ahead.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <mutex>

namespace tessera::assets {
namespace {

class DecodeAheadTest : public testing::Test {
  std::mutex mutex_;
  std::map<int, int> decoded_;

 protected:
  std::shared_ptr<const core::Photo> decode(int view) {
    const std::lock_guard lock(mutex_);
    ++decoded_[view];
    return std::make_shared<core::Photo>();
  }
  int times(int view) {
    const std::lock_guard lock(mutex_);
    return decoded_[view];
  }
  void wait_for(int view) {
    while (times(view) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // until it is put in its place
  }

  DecodeAhead ahead{[this](int view) { return decode(view); }};
};

TEST_F(DecodeAheadTest, EachPhotoIsDecodedOnceHoweverFarAheadOneAsks) {
  constexpr int kAhead = 6;
  constexpr int kPhotos = 40;
  for (int view = 0; view < kPhotos; ++view) {
    for (int k = 1; k <= kAhead; ++k) ahead.request(view + k);
    if (view > 0) wait_for(view);  // ready before it is taken
    ahead.take(view);
  }
  for (int view = 0; view < kPhotos; ++view) EXPECT_EQ(times(view), 1) << view;
}

TEST_F(DecodeAheadTest, WhatNobodyComesForGivesWay) {
  for (int view = 0; view < DecodeAhead::kReady; ++view) ahead.request(view);
  wait_for(DecodeAhead::kReady - 1);
  ahead.request(100);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(times(100), 0);
  for (int k = 0; k < DecodeAhead::kForgotten; ++k) ahead.request(100);
  wait_for(100);
  ahead.take(100);
  EXPECT_EQ(times(100), 1);
}

}  // namespace
}  // namespace tessera::assets
