// What a rank has sent, received and waited for, by the tag that callers give with each call.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::distributed {

// Messages count when they are started. Empty ones and parts for oneself are none.
struct Traffic {
  std::string tag;
  int64_t messages_sent = 0;
  int64_t bytes_sent = 0;
  int64_t messages_received = 0;
  int64_t bytes_received = 0;
  double waited_s = 0;
};

class TrafficTable {
 public:
  // The row of that tag, made at its first use. The reference stays valid.
  Traffic& row(std::string_view tag);

  // A copy, sorted by tag.
  std::vector<Traffic> rows() const;

 private:
  std::map<std::string, Traffic, std::less<>> rows_;
};

}  // namespace tessera::distributed
