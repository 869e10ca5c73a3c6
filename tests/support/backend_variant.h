// The backends of a table of renderers, the CPU's once per instruction set that this machine has.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/isa.h"
#include "core/thread_pool.h"

namespace tessera::test {

template <class Renderer>
struct BackendVariant {
  std::unique_ptr<Renderer> (*make_by_name)(std::string_view name, core::ThreadPool& pool);
  std::string backend;
  std::string isa;  // empty: the backend has none

  std::unique_ptr<Renderer> make(core::ThreadPool& pool) const {
    // Backends ask for the instruction set when they are made.
    if (!isa.empty()) setenv("TESSERA_ISA", isa.c_str(), 1);
    auto renderer = make_by_name(backend, pool);
    unsetenv("TESSERA_ISA");
    return renderer;
  }
  std::string name() const { return isa.empty() ? backend : backend + "_" + isa; }

  friend std::ostream& operator<<(std::ostream& out, const BackendVariant& v) {
    return out << v.name();
  }
};

template <class Renderer, class Entry>
std::vector<BackendVariant<Renderer>> backend_variants(
    std::span<const Entry> table,
    std::unique_ptr<Renderer> (*make_by_name)(std::string_view name, core::ThreadPool& pool)) {
  std::vector<BackendVariant<Renderer>> variants;
  for (const Entry& entry : table) {
    if (entry.name != "cpu") {
      variants.push_back({make_by_name, std::string(entry.name), ""});
      continue;
    }
    for (const core::Isa isa : core::usable_isas()) {
      variants.push_back({make_by_name, "cpu", std::string(name_of(isa))});
    }
  }
  return variants;
}

}  // namespace tessera::test
