// What mpirun writes to standard error, sifted: the words of the ranks pass, the launcher's own
// words on how they ended do not. A rank says itself why it ends, but not if it is killed: then
// this knows which, since the launcher told.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::apps {

class LauncherMessages {
 public:
  struct Killed {
    int rank = 0;
    int signal = 0;
  };

  // `pass` gets what is not the launcher's, as it comes.
  explicit LauncherMessages(std::function<void(std::string_view)> pass) : pass_(std::move(pass)) {}

  void take(std::string_view bytes);
  // Nothing more will come.
  void end();

  const std::optional<Killed>& killed() const { return killed_; }

 private:
  void take_line(std::string_view line);
  void end_block();

  std::function<void(std::string_view)> pass_;
  std::string pending_;  // the start of a line that may not pass
  bool end_told_ = false;
  bool in_block_ = false;
  std::string block_;  // from a rule on
  std::optional<Killed> killed_;
};

}  // namespace tessera::apps
