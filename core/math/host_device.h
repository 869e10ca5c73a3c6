// What every mathematics header begins with: where its functions run, and the inline namespace that
// keeps the copies of different instruction sets apart (a CPU kernel file is compiled once per set;
// were the names the same, the linker could keep the AVX-512 copy for all).
// SPDX-License-Identifier: MIT
#pragma once

#if defined(__CUDACC__)
#define TESSERA_HD __host__ __device__ inline
#else
#define TESSERA_HD inline
#endif

#if defined(TESSERA_ISA)
#define TESSERA_ISA_NAMESPACE TESSERA_ISA
#else
#define TESSERA_ISA_NAMESPACE generic
#endif
