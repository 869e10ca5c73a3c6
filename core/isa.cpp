// SPDX-License-Identifier: MIT
#include "core/isa.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/error.h"

namespace tessera::core {
namespace {

std::vector<Isa> find_usable() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  std::vector<Isa> found;
  if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
      __builtin_cpu_supports("aes")) {
    found.push_back(Isa::kSse4);
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi2")) {
    found.push_back(Isa::kAvx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd")) {
      found.push_back(Isa::kAvx512);
    }
  }
  if (found.empty()) {
    throw Error(
        "this processor has no SSE4.2 and AES instructions; Tessera needs a processor of 2010 or "
        "later");
  }
  return found;
#elif defined(__aarch64__)
  return {Isa::kNeon};
#else
  return {Isa::kScalar};
#endif
}

}  // namespace

std::string_view name_of(Isa isa) {
  constexpr std::string_view kNames[] = {"scalar", "neon", "sse4", "avx2", "avx512"};
  return kNames[static_cast<int>(isa)];
}

std::span<const Isa> usable_isas() {
  static const std::vector<Isa> usable = find_usable();
  return usable;
}

Isa chosen_isa() {
  const std::span<const Isa> usable = usable_isas();
  const char* wanted = std::getenv("TESSERA_ISA");
  if (wanted == nullptr || *wanted == '\0') return usable.back();
  std::vector<std::string_view> names;
  for (const Isa isa : usable) {
    if (name_of(isa) == wanted) return isa;
    names.push_back(name_of(isa));
  }
  throw UsageError("TESSERA_ISA",
                   fmt::format("'{}' cannot be used here; this processor and build have: {}",
                               wanted, fmt::join(names, ", ")));
}

}  // namespace tessera::core
