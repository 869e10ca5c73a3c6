// SPDX-License-Identifier: MIT
#include "distributed/backends/mpi_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "core/error.h"
#include "core/timer.h"
#include "distributed/pause.h"

namespace tessera::distributed {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 30;

// How long a failing rank lets messages end that MPI has in hand: peers that live bring them on.
constexpr double kGrace_s = 2;

int chunk_count(size_t size) {
  return static_cast<int>(size / kChunkBytes) + 1;
}

}  // namespace

void check_mpi(int code, std::string_view to_do) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(code, words.data(), &length);
  throw core::Error(fmt::format("MPI cannot {}: {}", to_do,
                                std::string_view(words.data(), static_cast<size_t>(length))));
}

MpiEngine::MpiEngine() {
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "return errors");
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &messages_comm_), "make a communicator");
  check_mpi(MPI_Comm_rank(messages_comm_, &rank_), "tell the rank");
  check_mpi(MPI_Comm_size(messages_comm_, &size_), "tell the number of ranks");
}

void MpiEngine::add_request(MPI_Request request, MpiMessage* message) {
  requests_.push_back(request);
  request_messages_.push_back(message);
}

void MpiEngine::start(std::vector<MpiMessage>& messages) {
  const std::lock_guard lock(mutex_);
  for (MpiMessage& message : messages) {
    message.open = chunk_count(message.size);
    if (message.sends) {
      start_send(message);
    } else {
      awaited_[{message.context, message.peer}].push_back(&message);
    }
  }
}

void MpiEngine::start_send(MpiMessage& message) {
  for (int chunk = 0; chunk < message.open; ++chunk) {
    const size_t begin = chunk * kChunkBytes;
    const size_t bytes = std::min(message.size - begin, kChunkBytes);
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(message.source + begin, static_cast<int>(bytes), MPI_BYTE, message.peer,
                        message.context, messages_comm_, &request),
              fmt::format("send to rank {}", message.peer));
    ++message.under_way;
    add_request(request, &message);
  }
}

void MpiEngine::progress() {
  const std::lock_guard lock(mutex_);
  look_for_messages();
  end_requests();
}

void MpiEngine::look_for_messages() {
  for (auto place = awaited_.begin(); place != awaited_.end();) {
    std::deque<MpiMessage*>& queue = place->second;
    while (!queue.empty() && take_chunk(*queue.front())) {
      const MpiMessage& first = *queue.front();
      if (first.under_way == first.open || first.mismatched_size) queue.pop_front();
    }
    place = queue.empty() ? awaited_.erase(place) : std::next(place);
  }
}

// Begins to receive the next chunk of a message if it has come.
bool MpiEngine::take_chunk(MpiMessage& message) {
  int found = 0;
  MPI_Message matched = MPI_MESSAGE_NULL;
  MPI_Status status;
  check_mpi(MPI_Improbe(message.peer, message.context, messages_comm_, &found, &matched, &status),
            fmt::format("look for a message of rank {}", message.peer));
  if (found == 0) return false;
  int bytes = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "tell the size of a message");

  const auto came = static_cast<size_t>(bytes);
  std::byte* target = message.target + message.arrived;
  MpiMessage* owner = &message;
  if (came != std::min(message.size - message.arrived, kChunkBytes)) {
    // Taken all the same, so that the sender is not left with it.
    message.mismatched_size = message.arrived + came;
    target = refused_.emplace_back(came).data();
    owner = nullptr;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Imrecv(target, bytes, MPI_BYTE, &matched, &request),
            fmt::format("receive from rank {}", message.peer));
  add_request(request, owner);
  if (owner != nullptr) {
    message.arrived += came;
    ++message.under_way;
  }
  return true;
}

void MpiEngine::end_requests() {
  if (requests_.empty()) return;
  std::vector<int> ended(requests_.size());
  int count = 0;
  check_mpi(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, ended.data(),
                         MPI_STATUSES_IGNORE),
            "move messages");
  if (count == MPI_UNDEFINED || count == 0) return;
  for (int i = 0; i < count; ++i) {
    MpiMessage* message = request_messages_[ended[i]];
    if (message == nullptr) continue;
    --message->open;
    --message->under_way;
  }
  size_t kept = 0;
  for (size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[i];
    request_messages_[kept] = request_messages_[i];
    ++kept;
  }
  requests_.resize(kept);
  request_messages_.resize(kept);
}

void MpiEngine::forget_receives(std::vector<MpiMessage>& messages) {
  const std::lock_guard lock(mutex_);
  for (MpiMessage& message : messages) {
    const auto place = awaited_.find({message.context, message.peer});
    if (message.sends || place == awaited_.end()) continue;
    std::erase(place->second, &message);
    if (place->second.empty()) awaited_.erase(place);
  }
}

void MpiEngine::withdraw(std::vector<MpiMessage>& messages) {
  forget_receives(messages);
  const core::Timer timer;
  Pause pause;
  const auto in_hand = [](const MpiMessage& message) { return message.under_way > 0; };
  while (std::any_of(messages.begin(), messages.end(), in_hand)) {
    if (grace_is_over_ || timer.seconds() > kGrace_s) {
      grace_is_over_ = true;
      for (MpiMessage*& owner : request_messages_) {
        if (owner >= messages.data() && owner < messages.data() + messages.size()) owner = nullptr;
      }
      return;
    }
    pause.once(true);
    progress();
  }
}

}  // namespace tessera::distributed
