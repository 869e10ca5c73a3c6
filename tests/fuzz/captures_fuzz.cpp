// The capture readers against hostile files. The first byte of an input says which file of a
// capture the rest is; the others are whole.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "assets/captures/capture_reader.h"
#include "core/error.h"

namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

fs::path make_folder() {
  std::string name = (fs::temp_directory_path() / "tessera_fuzz_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) std::abort();
  const fs::path folder(name);
  write(folder / "text/cameras.txt", "1 PINHOLE 8 6 5 5 4 3\n");
  write(folder / "text/images.txt", "1 1 0 0 0 0 0 0 1 a.png\n\n");
  write(folder / "text/points3D.txt", "");
  const auto u64 = [](uint64_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  for (const char* file : {"cameras.bin", "images.bin", "points3D.bin"}) {
    write(folder / "binary" / file, u64(0));
  }
  write(folder / "json/transforms.json", "{}");
  return folder;
}

constexpr const char* kFiles[] = {"text/cameras.txt",    "text/images.txt",   "text/points3D.txt",
                                  "binary/cameras.bin",  "binary/images.bin", "binary/points3D.bin",
                                  "json/transforms.json"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fs::path folder = make_folder();
  if (size == 0) return 0;
  const fs::path file = folder / kFiles[data[0] % std::size(kFiles)];
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  write(file, std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  tessera::assets::CaptureOptions options;
  options.photos_required = false;
  try {
    tessera::assets::read_capture(file.parent_path(), options);
  } catch (const tessera::core::IoError&) {
  }
  write(file, whole);
  return 0;
}
