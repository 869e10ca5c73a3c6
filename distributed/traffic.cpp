// SPDX-License-Identifier: MIT
#include "distributed/traffic.h"

namespace tessera::distributed {

Traffic& TrafficTable::row(std::string_view tag) {
  auto found = rows_.find(tag);
  if (found == rows_.end()) {
    found = rows_.emplace(std::string(tag), Traffic{}).first;
    found->second.tag = tag;
  }
  return found->second;
}

std::vector<Traffic> TrafficTable::rows() const {
  std::vector<Traffic> copies;
  for (const auto& [tag, traffic] : rows_) copies.push_back(traffic);
  return copies;
}

}  // namespace tessera::distributed
