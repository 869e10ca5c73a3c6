// Photos of captures as pictures, loaded on a thread when they are first asked for; the last ones
// that were asked for are kept.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "viewer/host.h"

namespace tessera::viewer {

struct ShelvedPhoto {
  PinholePhoto photo;
  std::string failure;  // a sentence, if it cannot be shown
};

class PhotoShelf {
 public:
  // `kept` photos at most.
  PhotoShelf(Host& host, int kept);
  ~PhotoShelf();
  PhotoShelf(const PhotoShelf&) = delete;
  PhotoShelf& operator=(const PhotoShelf&) = delete;

  // At most `longest` pixels on a side; null while it is loaded, the newest wish first.
  std::shared_ptr<const ShelvedPhoto> find(const core::CaptureView& view, int longest);
  bool loading() const;
  // Returns when nothing is left to be loaded.
  void wait();

 private:
  using Key = std::pair<std::filesystem::path, int>;
  struct Wish {
    Key key;
    core::CaptureView view;
  };

  void work();
  void forget_old();

  Host& host_;
  size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  struct Kept {
    std::shared_ptr<const ShelvedPhoto> photo;
    uint64_t last_use = 0;
  };
  std::map<Key, Kept> kept_;
  std::vector<Wish> wishes_;  // the newest last
  std::optional<Key> current_;
  uint64_t uses_ = 0;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tessera::viewer
