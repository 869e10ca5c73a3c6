// Looking up an entry of a table (backends, planners, rules) by its name.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/error.h"

namespace tessera::core {

// `field` is the option, or else what the table holds, for the message. Throws UsageError that
// lists the names if there is none of that one.
template <class Entry>
const Entry& entry_named(std::span<const Entry> table, std::string_view name,
                         const std::string& field) {
  std::string known;
  for (const Entry& entry : table) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw UsageError(field, "'" + std::string(name) + "' is not one of " + known);
}

}  // namespace tessera::core
