// A thread that decodes photos before they are asked for.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
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

  using Decode = std::function<std::shared_ptr<const core::Photo>(int view)>;

  // The thread starts with the first request.
  explicit DecodeAhead(Decode decode);
  ~DecodeAhead();
  DecodeAhead(const DecodeAhead&) = delete;
  DecodeAhead& operator=(const DecodeAhead&) = delete;

  // Without effect if the view is under way already or kReady others are.
  void request(int view);
  // Waits for the view if need be. Throws what its decoding threw.
  std::shared_ptr<const core::Photo> take(int view);

 private:
  struct Item {
    int view;
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
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace tessera::assets
