// A thread that decodes photos before they are asked for.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "core/photo_source.h"

namespace tessera::assets {

class DecodeAhead {
 public:
  static constexpr int kReady = 3;  // photos that wait decoded at most
  // Requests after which a photo that was asked for but not taken counts as not wanted: more than
  // a caller makes between asking and taking.
  static constexpr int64_t kForgotten = 64;

  using Decode = std::function<std::shared_ptr<const core::Photo>(int view)>;

  // The thread starts with the first request.
  explicit DecodeAhead(Decode decode);
  ~DecodeAhead();
  DecodeAhead(const DecodeAhead&) = delete;
  DecodeAhead& operator=(const DecodeAhead&) = delete;

  // Without effect if the view is under way already, or kReady others are that may yet be taken.
  void request(int view);
  // Waits for the view if need be. Throws what its decoding threw.
  std::shared_ptr<const core::Photo> take(int view);

 private:
  struct Item {
    int view;
    int64_t asked = 0;  // the number of the request
    bool done = false;
    std::shared_ptr<const core::Photo> photo;
    std::exception_ptr error;
  };

  std::deque<Item>::iterator find(int view);
  void start();
  void run();

  Decode decode_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;  // in the order of decoding
  int64_t requests_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace tessera::assets
