// SPDX-License-Identifier: MIT
#include "apps/commands/photos_on_ranks.h"

#include <algorithm>
#include <span>
#include <string>

#include "distributed/gather.h"

namespace tessera::apps {
namespace {

// Collective: each rank's checks become everyone's. A check is one byte and a sentence that ends
// with a zero.
void share_checks(distributed::Communicator& ranks, std::vector<assets::PhotoCheck>& checks) {
  const size_t size = ranks.size();
  std::string own;
  for (size_t i = ranks.rank(); i < checks.size(); i += size) {
    own += checks[i].masked_out ? '1' : '0';
    own += checks[i].failure + '\0';
  }
  const std::vector<char> all =
      distributed::gather_lists(ranks, "photos", std::span<const char>(own));
  auto check = all.begin();
  for (size_t rank = 0; rank < size; ++rank) {
    for (size_t i = rank; i < checks.size(); i += size) {
      const auto end = std::find(check, all.end(), '\0');
      checks[i] = {std::string(check + 1, end), *check == '1'};
      check = end + 1;
    }
  }
}

}  // namespace

assets::PhotoOpening open_on_ranks(const core::Capture& capture, const std::vector<int>& views,
                                   assets::PhotoOptions options, distributed::Communicator& ranks,
                                   core::ThreadPool& pool, core::Log& log) {
  options.opened = {ranks.rank(), ranks.size()};
  assets::PhotoOpening opening(capture, views, options, pool, log);
  share_checks(ranks, opening.checks());
  return opening;
}

}  // namespace tessera::apps
