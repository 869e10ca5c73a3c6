// SPDX-License-Identifier: MIT
#include "core/array.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tessera::core {

void* allocate_array(int64_t bytes) {
  constexpr int64_t kHugePage = int64_t{1} << 21;
  const int64_t alignment = bytes >= kHugePage ? kHugePage : kArrayAlignment;
  const int64_t whole = (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, whole) != 0) throw std::bad_alloc();
#if defined(__linux__)
  // Pictures and pairs are visited tile by tile, on too many small pages for the processor to keep
  // their addresses. A hint: whether the system follows it does not matter.
  if (bytes >= kHugePage) madvise(memory, whole, MADV_HUGEPAGE);
#endif
  return memory;
}

}  // namespace tessera::core
