// SPDX-License-Identifier: MIT
#include "assets/depth.h"

#include "assets/depths/depth_readers.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::assets {
namespace {

struct DepthReader {
  bool (*matches)(core::View<const uint8_t> start);
  DepthFile (*read)(const ImageBytes& file);
};

constexpr DepthReader kReaders[] = {
    {is_png, read_png_depth}, {is_tiff, read_tiff_depth}, {is_pgm, read_pgm_depth},
    {is_pfm, read_pfm_depth}, {is_npy, read_npy_depth},   {is_exr, read_exr_depth},
};

constexpr uint64_t kMaxFileBytes = uint64_t{4} << 30;

}  // namespace

DepthFile decode_depth(const ImageBytes& file) {
  if (file.bytes.empty()) throw core::IoError(file.path, "the file is empty; copy it again");
  for (const DepthReader& reader : kReaders) {
    if (reader.matches(file.bytes)) return reader.read(file);
  }
  throw core::IoError(file.path,
                      "is no depth map in a format that is read (PNG, TIFF, PGM, PFM, EXR, NPY); "
                      "convert it to one of them");
}

DepthFile read_depth(const std::filesystem::path& path) {
  const core::Array<uint8_t> bytes = core::read_file(path, kMaxFileBytes);
  return decode_depth({path, bytes.view()});
}

}  // namespace tessera::assets
