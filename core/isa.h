// The instruction sets that CPU kernels are compiled for, and which one to run.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

namespace tessera::core {

enum class Isa { kScalar, kNeon, kSse4, kAvx2, kAvx512 };

std::string_view name_of(Isa isa);  // "scalar", "neon", "sse4", "avx2", "avx512"

// The sets that kernels were compiled for and this processor has, the best one last. Never empty.
// Throws core::Error if the processor has none of them.
std::span<const Isa> usable_isas();

// The best usable one, or the one that the environment variable TESSERA_ISA names.
// Throws UsageError if that is unknown or not usable here.
Isa chosen_isa();

}  // namespace tessera::core
