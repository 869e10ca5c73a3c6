// Reads arrays from NumPy's .npz files as np.savez writes them (not compressed).
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::test {

// The elements of array `name`, which must be of type T and in C order.
template <class T>
std::vector<T> read_npz(const std::filesystem::path& path, const std::string& name) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto u16 = [&](size_t at) {
    uint16_t v = 0;
    std::memcpy(&v, bytes.data() + at, sizeof(v));
    return v;
  };
  const auto u32 = [&](size_t at) {
    uint32_t v = 0;
    std::memcpy(&v, bytes.data() + at, sizeof(v));
    return v;
  };
  // The central directory, from the end record on: offsets as in PKWARE's APPNOTE.
  const size_t end = bytes.rfind("PK\5\6");
  if (end == std::string::npos) throw std::runtime_error(path.string() + " is not a zip file");
  size_t entry = u32(end + 16);
  for (int n = u16(end + 10); n > 0; --n) {
    const size_t name_size = u16(entry + 28);
    if (bytes.compare(entry + 46, name_size, name + ".npy") == 0) {
      const size_t local = u32(entry + 42);
      const size_t npy = local + 30 + u16(local + 26) + u16(local + 28);
      const size_t data = npy + 10 + u16(npy + 8);
      std::vector<T> values((u32(entry + 24) - (data - npy)) / sizeof(T));
      std::memcpy(values.data(), bytes.data() + data, values.size() * sizeof(T));
      return values;
    }
    entry += 46 + name_size + u16(entry + 30) + u16(entry + 32);
  }
  throw std::runtime_error(path.string() + " has no array " + name);
}

}  // namespace tessera::test
