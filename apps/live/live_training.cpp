// SPDX-License-Identifier: MIT
#include "apps/live/live_training.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <new>
#include <utility>

#include "apps/commands/output_layout.h"
#include "core/error.h"

namespace tessera::apps {
namespace {

constexpr int kBetweenTries_ms = 100;

}  // namespace

std::shared_ptr<const LiveScene> LiveScenePool::read(std::span<const std::byte> payload) {
  std::unique_ptr<LiveScene> scene;
  {
    const std::lock_guard lock(spare_->mutex);
    scene = std::move(spare_->scene);
  }
  if (!scene) scene = std::make_unique<LiveScene>();
  *scene = read_snapshot(payload, std::move(*scene));
  const auto keep = [spare = spare_](LiveScene* ended) {
    std::unique_ptr<LiveScene> before(ended);
    const std::lock_guard lock(spare->mutex);
    std::swap(spare->scene, before);
  };
  return std::shared_ptr<LiveScene>(scene.release(), keep);
}

bool is_training(const std::filesystem::path& output) {
  return static_cast<bool>(connect_to(output_layout(output).folder));
}

LiveTraining::LiveTraining(const std::filesystem::path& output)
    : folder_(output_layout(output).folder), wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!wake_) throw core::IoError(folder_, "cannot be watched: too many files are open");
  news_.curves = std::make_shared<const History>();
  thread_ = std::thread([this] { run(); });
}

LiveTraining::~LiveTraining() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake();
  thread_.join();
}

LiveNews LiveTraining::news() const {
  const std::lock_guard lock(mutex_);
  return news_;
}

LiveNews LiveTraining::wait(uint64_t number, double seconds) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                    [&] { return news_.number > number; });
  return news_;
}

bool LiveTraining::send(LiveCommand command) {
  {
    const std::lock_guard lock(mutex_);
    if (!news_.attached) return false;
    const std::vector<std::byte> message = live_message(LiveMessage::kCommand, command);
    to_say_.insert(to_say_.end(), message.begin(), message.end());
  }
  wake();
  return true;
}

void LiveTraining::wish(const LiveSnapshotWish& wish) {
  {
    const std::lock_guard lock(mutex_);
    wish_ = wish;
    if (!news_.attached) return;
    const std::vector<std::byte> message = live_message(LiveMessage::kSnapshots, wish);
    to_say_.insert(to_say_.end(), message.begin(), message.end());
  }
  wake();
}

void LiveTraining::wake() {
  const uint64_t one = 1;
  // It fails only where the thread is about to wake already.
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof(one));
}

// The thread's, from here on.
void LiveTraining::run() {
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (closing_) return;
    }
    try {
      if (socket_) {
        converse();
      } else {
        attach();
      }
    } catch (const core::Error& error) {
      hang_up(error.what());
    } catch (const std::bad_alloc&) {
      hang_up("There is not enough memory to show this training.");
    }
    pollfd descriptors[] = {{wake_.get(), POLLIN, 0}, {socket_.get(), POLLIN, 0}};
    if (!outbox_.empty()) descriptors[1].events |= POLLOUT;
    poll(descriptors, socket_ ? 2 : 1, socket_ ? -1 : kBetweenTries_ms);
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t taken = read(wake_.get(), &count, sizeof(count));
  }
}

void LiveTraining::attach() {
  socket_ = connect_to(folder_);
  if (!socket_) {
    hang_up("");
    return;
  }
  reader_.emplace(most_bytes_from_training);
  outbox_ = Outbox();
  outbox_.add(live_message(LiveMessage::kHello, LiveHello{}));
}

void LiveTraining::converse() {
  const auto hear = [this](LiveMessage message, std::span<const std::byte> payload) {
    take(message, payload);
  };
  if (!reader_->receive(socket_, hear)) {
    hang_up("");
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    if (!to_say_.empty()) outbox_.add(std::exchange(to_say_, {}));
  }
  // Where it has hung up, what it said before is still to be heard.
  if (!outbox_.send(socket_)) outbox_ = Outbox();
}

void LiveTraining::take(LiveMessage message, std::span<const std::byte> payload) {
  if (message == LiveMessage::kHello) check_hello(payload);
  // Made before the lock is taken: it may be long.
  std::shared_ptr<const LiveScene> scene;
  if (message == LiveMessage::kSnapshot) scene = scenes_.read(payload);
  const std::lock_guard lock(mutex_);
  if (message != LiveMessage::kHello && !news_.attached) {
    throw core::Error("Who does not greet is no training.");
  }
  switch (message) {
    case LiveMessage::kHello:
      news_.attached = true;
      news_.trouble.clear();
      news_.state.reset();
      news_.ranks.clear();
      news_.curves = std::make_shared<const History>();
      if (wish_.count > 0) to_say_ = live_message(LiveMessage::kSnapshots, wish_);
      break;
    case LiveMessage::kState: {
      LiveState state;
      news_.ranks = read_state(payload, state);
      news_.state = state;
      break;
    }
    case LiveMessage::kSamples:
    case LiveMessage::kTests: {
      const auto longer = std::make_shared<History>(*news_.curves);
      if (message == LiveMessage::kSamples) {
        const std::vector<History::Sample> more = read_samples(payload);
        longer->samples.insert(longer->samples.end(), more.begin(), more.end());
      } else {
        const std::vector<History::Test> more = read_tests(payload);
        longer->tests.insert(longer->tests.end(), more.begin(), more.end());
      }
      news_.curves = longer;
      break;
    }
    case LiveMessage::kSnapshot:
      news_.scene = std::move(scene);
      if (wish_.count > 0) --wish_.count;
      break;
    default:
      throw core::Error("What came is no message of a training.");
  }
  ++news_.number;
  changed_.notify_all();
}

void LiveTraining::hang_up(const std::string& trouble) {
  socket_ = Descriptor();
  const std::lock_guard lock(mutex_);
  to_say_.clear();
  if (!news_.attached && news_.trouble == trouble) return;
  news_.attached = false;
  news_.trouble = trouble;
  ++news_.number;
  changed_.notify_all();
}

}  // namespace tessera::apps
