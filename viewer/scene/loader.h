// Opens files on a thread of its own and makes them ready to be shown.
// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "viewer/host.h"
#include "viewer/scene/scene_item.h"

namespace tessera::viewer {

class Loader {
 public:
  explicit Loader(Host& host);
  ~Loader();
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  struct Result {
    std::filesystem::path path;
    SceneItem item;     // without an id
    std::string error;  // the sentence, if it could not be opened
  };

  void open(std::filesystem::path path);
  // What was opened since the last call, in the order asked for.
  std::vector<Result> take();
  // What is being opened or waits for it.
  std::vector<std::filesystem::path> waiting() const;
  // Returns when nothing waits.
  void wait();

 private:
  void work();

  Host& host_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::filesystem::path> waiting_;  // the first is being opened
  std::vector<Result> done_;
  bool ending_ = false;
  std::thread thread_;
};

// `file` as an item of that name, its splats packed.
SceneItem make_item(OpenedFile file, const std::filesystem::path& path);

}  // namespace tessera::viewer
