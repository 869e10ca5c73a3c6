// The readers of multiplane images against hostile files. The first byte of an input says which
// file the rest is; the others are whole. What is read must be fit to be drawn, what is refused
// must be an IoError.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "assets/multiplane_io.h"
#include "core/error.h"
#include "tests/support/one_layer.h"

namespace {

namespace fs = std::filesystem;
using namespace tessera;

fs::path make_folder() {
  std::string name = (fs::temp_directory_path() / "tessera_fuzz_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) std::abort();
  const fs::path folder(name);
  for (const char* path : {"a.tmpi", "a.glb", "a.gltf", "a.llff"}) {
    assets::write_multiplane(folder / path, test::one_layer(), {"", 2});
  }
  return folder;
}

// A file, and the path by which the image is read that it is part of.
constexpr std::pair<const char*, const char*> kFiles[] = {{"a.tmpi/multiplane.json", "a.tmpi"},
                                                          {"a.tmpi/page_0.png", "a.tmpi"},
                                                          {"a.glb", "a.glb"},
                                                          {"a.gltf", "a.gltf"},
                                                          {"a.llff/metadata.txt", "a.llff"},
                                                          {"a.llff/mpi00/metadata.txt", "a.llff"},
                                                          {"a.llff/mpi00/mpi.b", "a.llff"}};

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fs::path folder = make_folder();
  if (size == 0) return 0;
  const auto& [file, image] = kFiles[data[0] % std::size(kFiles)];
  std::string whole;
  {
    std::ifstream in(folder / file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  write(folder / file, std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  try {
    check_multiplane_image(assets::read_multiplane(folder / image));
  } catch (const core::IoError&) {
  }
  write(folder / file, whole);
  return 0;
}
