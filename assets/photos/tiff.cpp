// TIFF through libtiff's RGBA interface, which knows all of its pixel layouts.
// SPDX-License-Identifier: MIT
#include "assets/photos/tiff_reader.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace tessera::assets {
namespace {

bool has_alpha(TIFF* tiff) {
  uint16_t count = 0;
  uint16_t* kinds = nullptr;
  return TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) == 1 && count > 0 &&
         (kinds[0] == EXTRASAMPLE_ASSOCALPHA || kinds[0] == EXTRASAMPLE_UNASSALPHA);
}

}  // namespace

bool is_tiff(core::View<const uint8_t> start) {
  return start.size >= 4 &&
         (std::memcmp(start.data, "II*\0", 4) == 0 || std::memcmp(start.data, "MM\0*", 4) == 0 ||
          std::memcmp(start.data, "II+\0", 4) == 0 || std::memcmp(start.data, "MM\0+", 4) == 0);
}

ImageInfo probe_tiff(const ImageBytes& file) {
  return TiffReader(file).info();
}

core::Image8 decode_tiff(const ImageBytes& file) {
  const TiffReader reader(file);
  const int width = reader.info().width;
  const int height = reader.info().height;
  core::Array<uint32_t> packed(int64_t{width} * height);
  // Asking for the file's own orientation leaves the pixels where they are stored.
  if (TIFFReadRGBAImageOriented(reader.get(), width, height, packed.data(),
                                reader.info().exif_orientation, 1) == 0) {
    reader.fail();
  }
  const int channels = has_alpha(reader.get()) ? 4 : 3;
  core::Image8 image(width, height, channels);
  for (int64_t i = 0; i < packed.size(); ++i) {
    uint8_t* pixel = image.data.data() + i * channels;
    const uint32_t alpha = TIFFGetA(packed[i]);
    const uint32_t premultiplied[3] = {TIFFGetR(packed[i]), TIFFGetG(packed[i]),
                                       TIFFGetB(packed[i])};
    for (int c = 0; c < 3; ++c) {
      const bool divide = channels == 4 && alpha > 0;
      const uint32_t value =
          divide ? (premultiplied[c] * 255 + alpha / 2) / alpha : premultiplied[c];
      pixel[c] = static_cast<uint8_t>(std::min<uint32_t>(value, 255));
    }
    if (channels == 4) pixel[3] = static_cast<uint8_t>(alpha);
  }
  return image;
}

Image16 decode_tiff16(const ImageBytes& file) {
  const TiffReader reader(file);
  TIFF* tiff = reader.get();
  if (reader.field(TIFFTAG_BITSPERSAMPLE) != 16 || reader.field(TIFFTAG_SAMPLESPERPIXEL) != 1 ||
      reader.field(TIFFTAG_SAMPLEFORMAT) != SAMPLEFORMAT_UINT || TIFFIsTiled(tiff) != 0) {
    throw core::IoError(file.path, "a 16-bit grey picture is expected here");
  }
  Image16 image(reader.info().width, reader.info().height, 1);
  if (TIFFScanlineSize(tiff) != static_cast<tmsize_t>(image.width * sizeof(uint16_t))) {
    reader.fail();
  }
  for (int y = 0; y < image.height; ++y) {
    if (TIFFReadScanline(tiff, image.row(y), y, 0) != 1) reader.fail();
  }
  return image;
}

}  // namespace tessera::assets
