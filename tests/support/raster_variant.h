// Every rasterizer backend, the CPU's once per instruction set that this machine has.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/isa.h"
#include "render/gaussian/rasterizer.h"

namespace tessera::test {

struct RasterVariant {
  std::string backend;
  std::string isa;  // empty: the backend has none

  std::unique_ptr<render::Rasterizer> make(core::ThreadPool& pool) const {
    // Backends ask for the instruction set when they are made.
    if (!isa.empty()) setenv("TESSERA_ISA", isa.c_str(), 1);
    auto rasterizer = render::make_rasterizer(backend, pool);
    unsetenv("TESSERA_ISA");
    return rasterizer;
  }
  std::string name() const { return isa.empty() ? backend : backend + "_" + isa; }

  friend std::ostream& operator<<(std::ostream& out, const RasterVariant& v) {
    return out << v.name();
  }
};

inline std::vector<RasterVariant> raster_variants() {
  std::vector<RasterVariant> variants;
  for (const render::RasterizerEntry& entry : render::rasterizers()) {
    if (entry.name != "cpu") {
      variants.push_back({std::string(entry.name), ""});
      continue;
    }
    for (const core::Isa isa : core::usable_isas()) {
      variants.push_back({"cpu", std::string(name_of(isa))});
    }
  }
  return variants;
}

}  // namespace tessera::test
