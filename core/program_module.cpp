// SPDX-License-Identifier: MIT
#include "core/program_module.h"

#include <dlfcn.h>

#include <filesystem>

namespace tessera::core {

void* function_of_module(const char* file_name, const char* function) {
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  for (const std::filesystem::path& folder :
       {program.parent_path(), program.parent_path().parent_path() / "lib" / "tessera"}) {
    void* module = dlopen((folder / file_name).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module != nullptr) return dlsym(module, function);
  }
  return nullptr;
}

}  // namespace tessera::core
