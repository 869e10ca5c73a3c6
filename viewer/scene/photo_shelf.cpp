// SPDX-License-Identifier: MIT
#include "viewer/scene/photo_shelf.h"

#include <algorithm>
#include <exception>
#include <new>

namespace tessera::viewer {
namespace {

constexpr size_t kMostWishes = 64;  // older ones are asked for again if they still matter

ShelvedPhoto load(Host& host, const core::CaptureView& view, int longest) {
  ShelvedPhoto loaded;
  try {
    loaded.photo = host.photo(view, longest);
  } catch (const std::bad_alloc&) {
    loaded.failure = view.name + ": there is not enough memory to show it";
  } catch (const std::exception& error) {
    loaded.failure = error.what();
  }
  return loaded;
}

}  // namespace

PhotoShelf::PhotoShelf(Host& host, int kept)
    : host_(host), most_(kept), thread_([this] { work(); }) {}

PhotoShelf::~PhotoShelf() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::shared_ptr<const ShelvedPhoto> PhotoShelf::find(const core::CaptureView& view, int longest) {
  const std::lock_guard lock(mutex_);
  Key key = {view.image_path.empty() ? std::filesystem::path(view.name) : view.image_path, longest};
  const auto found = kept_.find(key);
  if (found != kept_.end()) {
    found->second.last_use = ++uses_;
    return found->second.photo;
  }
  const auto same = [&key](const Wish& wish) { return wish.key == key; };
  if (current_ == key || std::any_of(wishes_.begin(), wishes_.end(), same)) return nullptr;
  wishes_.push_back({std::move(key), view});
  if (wishes_.size() > kMostWishes) wishes_.erase(wishes_.begin());
  changed_.notify_all();
  return nullptr;
}

bool PhotoShelf::loading() const {
  const std::lock_guard lock(mutex_);
  return current_ || !wishes_.empty();
}

void PhotoShelf::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !current_ && wishes_.empty(); });
}

void PhotoShelf::forget_old() {
  while (kept_.size() > most_) {
    kept_.erase(std::min_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) {
      return a.second.last_use < b.second.last_use;
    }));
  }
}

void PhotoShelf::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !wishes_.empty(); });
    if (ending_) return;
    const Wish wish = std::move(wishes_.back());
    wishes_.pop_back();
    current_ = wish.key;
    lock.unlock();
    auto loaded = std::make_shared<ShelvedPhoto>(load(host_, wish.view, wish.key.second));
    lock.lock();
    kept_[wish.key] = {std::move(loaded), ++uses_};
    forget_old();
    current_.reset();
    changed_.notify_all();
  }
}

}  // namespace tessera::viewer
