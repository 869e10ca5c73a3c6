// SPDX-License-Identifier: MIT
#include "viewer/scene/loader.h"

#include <exception>
#include <new>
#include <utility>

#include "core/thread_pool.h"

namespace tessera::viewer {
namespace {

constexpr double kFrustumShare = 0.06;  // of the scene's radius

std::string name_of(const std::filesystem::path& path) {
  const std::filesystem::path last = path.filename().empty() ? path.parent_path() : path;
  return last.filename().string();
}

SplatContent ready(core::GaussianScene scene) {
  SplatContent content;
  core::ThreadPool pool;
  content.packed = std::make_shared<PackedSplats>(pack_splats(scene.cloud, pool));
  content.states = std::make_shared<core::Array<uint8_t>>(scene.cloud.size(), uint8_t{0});
  content.scene = std::make_shared<core::GaussianScene>(std::move(scene));
  return content;
}

CaptureContent ready(core::Capture capture) {
  CaptureContent content;
  content.capture = std::make_shared<core::Capture>(std::move(capture));
  return content;
}

PointContent ready(PointSet points) {
  return {std::make_shared<PointSet>(std::move(points))};
}

MultiplaneContent ready(core::MultiplaneImage image) {
  return {std::make_shared<core::MultiplaneImage>(std::move(image))};
}

}  // namespace

SceneItem make_item(OpenedFile file, const std::filesystem::path& path) {
  SceneItem item;
  item.path = path;
  item.name = name_of(path);
  item.cameras = std::move(file.cameras);
  item.notes = std::move(file.notes);
  item.origin_in_file = file.origin_in_file;
  std::visit([&](auto& content) { item.content = ready(std::move(content)); }, file.content);
  if (auto* content = std::get_if<CaptureContent>(&item.content)) {
    content->frustum_length = kFrustumShare * extent_of(item).radius;
  }
  return item;
}

Loader::Loader(Host& host) : host_(host), thread_([this] { work(); }) {}

Loader::~Loader() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Loader::open(std::filesystem::path path) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(path));
  }
  changed_.notify_all();
}

std::vector<Loader::Result> Loader::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(done_, {});
}

std::vector<std::filesystem::path> Loader::waiting() const {
  const std::lock_guard lock(mutex_);
  return {waiting_.begin(), waiting_.end()};
}

void Loader::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty(); });
}

void Loader::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (ending_) return;
    const std::filesystem::path path = waiting_.front();
    lock.unlock();
    Result result;
    result.path = path;
    try {
      result.item = make_item(host_.open(path), path);
    } catch (const std::bad_alloc&) {
      result.error = path.string() + ": there is not enough memory to open it";
    } catch (const std::exception& error) {
      result.error = error.what();
    }
    lock.lock();
    waiting_.pop_front();
    done_.push_back(std::move(result));
    changed_.notify_all();
  }
}

}  // namespace tessera::viewer
