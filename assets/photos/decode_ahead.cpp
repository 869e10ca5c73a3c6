// SPDX-License-Identifier: MIT
#include "assets/photos/decode_ahead.h"

#include <algorithm>

namespace tessera::assets {

DecodeAhead::DecodeAhead(Decode decode) : decode_(std::move(decode)) {}

DecodeAhead::~DecodeAhead() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::deque<DecodeAhead::Item>::iterator DecodeAhead::find(int view) {
  return std::find_if(items_.begin(), items_.end(),
                      [view](const Item& item) { return item.view == view; });
}

void DecodeAhead::start() {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void DecodeAhead::request(int view) {
  const std::lock_guard lock(mutex_);
  ++requests_;
  if (find(view) != items_.end()) return;
  if (items_.size() >= kReady) {
    // The first may be the one that is taken next: only what nobody came for gives way.
    const Item& first = items_.front();
    if (!first.done || requests_ - first.asked < kForgotten) return;
    items_.pop_front();
  }
  items_.push_back({view, requests_, false, nullptr, nullptr});
  start();
  changed_.notify_all();
}

std::shared_ptr<const core::Photo> DecodeAhead::take(int view) {
  std::unique_lock lock(mutex_);
  if (find(view) == items_.end()) {
    items_.push_front({view, requests_, false, nullptr, nullptr});
    start();
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return find(view)->done; });
  const auto found = find(view);
  const Item item = std::move(*found);
  items_.erase(found);
  if (item.error != nullptr) std::rethrow_exception(item.error);
  return item.photo;
}

void DecodeAhead::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    const auto next =
        std::find_if(items_.begin(), items_.end(), [](const Item& item) { return !item.done; });
    if (stop_) return;
    if (next == items_.end()) {
      changed_.wait(lock);
      continue;
    }
    Item done{next->view, next->asked, true, nullptr, nullptr};
    lock.unlock();
    try {
      done.photo = decode_(done.view);
    } catch (...) {
      done.error = std::current_exception();
    }
    lock.lock();
    const auto item = find(done.view);
    if (item != items_.end()) *item = std::move(done);
    changed_.notify_all();
  }
}

}  // namespace tessera::assets
