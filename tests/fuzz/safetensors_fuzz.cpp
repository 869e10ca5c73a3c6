// The reader of weights against hostile bytes. What is read has as many bytes as its shape asks
// for, what is refused must be an IoError.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "assets/safetensors.h"
#include "core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tessera;
  static const std::filesystem::path path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "tessera_fuzz_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    return std::filesystem::path(name) / "fuzz.safetensors";
  }();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    for (const auto& [name, tensor] : assets::read_safetensors(path).tensors) {
      if (core::element_count(tensor.shape) * core::bytes_of(tensor.type) != tensor.bytes.size()) {
        std::abort();
      }
    }
  } catch (const core::IoError&) {
    return 0;
  }
  return 0;
}
