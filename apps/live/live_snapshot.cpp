// SPDX-License-Identifier: MIT
#include "apps/live/live_snapshot.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace tessera::apps {
namespace {

constexpr const char* kTag = "live view";

}  // namespace

void gather_snapshot(distributed::Communicator& ranks, const core::GaussianCloud& own,
                     int sh_degree, LiveSnapshot& snapshot) {
  const std::vector<int64_t> counts = ranks.all_gather(kTag, own.size());
  const int degree = std::min(sh_degree, own.sh_degree);
  const int planes = core::plane_count(degree);
  if (ranks.rank() != 0) {
    std::vector<distributed::Send> sends;
    sends.reserve(planes);
    for (int p = 0; p < planes; ++p) {
      sends.push_back(distributed::send_to(0, std::span(own.plane(p), own.size())));
    }
    ranks.start(kTag, sends, {}).wait();
    return;
  }
  const int64_t total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  snapshot.header.gaussians = total;
  snapshot.header.sh_degree = degree;
  snapshot.header.ranks = ranks.size();
  snapshot.planes.clear();  // nothing to be kept where it grows
  snapshot.planes.resize(planes * total);
  snapshot.owners.clear();
  snapshot.owners.resize(ranks.size() > 1 ? total : 0);
  std::vector<distributed::Receive> receives;
  int64_t first = 0;
  for (int r = 0; r < ranks.size(); ++r) {
    for (int p = 0; p < planes; ++p) {
      float* to = snapshot.planes.data() + p * total + first;
      if (r == 0) {
        std::copy_n(own.plane(p), counts[r], to);
      } else {
        receives.push_back(distributed::receive_from(r, std::span(to, counts[r])));
      }
    }
    if (ranks.size() > 1) {
      std::fill_n(snapshot.owners.begin() + first, counts[r], static_cast<uint16_t>(r));
    }
    first += counts[r];
  }
  ranks.start(kTag, {}, receives).wait();
}

}  // namespace tessera::apps
