// Names of functions that kernel files define once per instruction set, and the choice among them.
//
// For the code that calls kernels, not for kernel files. A function declared with
// TESSERA_DECLARE_KERNEL stands in one namespace per set that this build compiles.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/isa.h"

#if defined(__x86_64__)

#define TESSERA_DECLARE_KERNEL(...) \
  namespace sse4 {                  \
  __VA_ARGS__;                      \
  }                                 \
  namespace avx2 {                  \
  __VA_ARGS__;                      \
  }                                 \
  namespace avx512 {                \
  __VA_ARGS__;                      \
  }
#define TESSERA_CHOOSE_KERNEL(isa, name)                    \
  ((isa) == ::tessera::core::Isa::kAvx512 ? (&avx512::name) \
   : (isa) == ::tessera::core::Isa::kAvx2 ? (&avx2::name)   \
                                          : (&sse4::name))

#else

#if defined(__aarch64__)
#define TESSERA_ONLY_ISA neon
#else
#define TESSERA_ONLY_ISA scalar
#endif
#define TESSERA_DECLARE_KERNEL(...) \
  namespace TESSERA_ONLY_ISA {      \
  __VA_ARGS__;                      \
  }
#define TESSERA_CHOOSE_KERNEL(isa, name) (static_cast<void>(isa), &TESSERA_ONLY_ISA::name)

#endif
