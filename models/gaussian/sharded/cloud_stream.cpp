// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/cloud_stream.h"

#include <algorithm>
#include <span>
#include <vector>

namespace tessera::models {
namespace {

constexpr const char* kTag = "streamed cloud";

void send_piece(distributed::Communicator& ranks, const core::GaussianCloud& own, int64_t first,
                int64_t count) {
  std::vector<distributed::Send> sends = {
      distributed::send_to(0, std::span(own.ids.data() + first, count))};
  for (int p = 0; p < own.parameters.plane_count(); ++p) {
    sends.push_back(distributed::send_to(0, std::span(own.plane(p) + first, count)));
  }
  ranks.start(kTag, sends, {}).wait();
}

core::GaussianCloud receive_piece(distributed::Communicator& ranks, int from, int sh_degree,
                                  int64_t count) {
  core::GaussianCloud piece(sh_degree, count);
  std::vector<distributed::Receive> receives = {
      distributed::receive_from(from, std::span(piece.ids.data(), count))};
  for (int p = 0; p < piece.parameters.plane_count(); ++p) {
    receives.push_back(distributed::receive_from(from, std::span(piece.plane(p), count)));
  }
  ranks.start(kTag, {}, receives).wait();
  return piece;
}

}  // namespace

void stream_cloud(distributed::Communicator& ranks, const core::GaussianCloud& own,
                  const std::function<void(const core::GaussianCloud&)>& take) {
  const std::vector<int64_t> counts = ranks.all_gather(kTag, own.size());
  const bool takes = ranks.rank() == 0;
  if (takes) take(own);
  for (int r = 1; r < ranks.size(); ++r) {
    if (!takes && r != ranks.rank()) continue;
    for (int64_t first = 0; first < counts[r]; first += kStreamedGaussians) {
      const int64_t count = std::min(kStreamedGaussians, counts[r] - first);
      if (takes) {
        take(receive_piece(ranks, r, own.sh_degree, count));
      } else {
        send_piece(ranks, own, first, count);
      }
    }
  }
}

}  // namespace tessera::models
