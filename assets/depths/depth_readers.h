// One reader per format of depth maps, each over a file's bytes in memory. assets/depth.cpp holds
// the table. All throw IoError.
// SPDX-License-Identifier: MIT
#pragma once

#include "assets/depth.h"
#include "assets/photos/decoders.h"

namespace tessera::assets {

// By the reader whose format it is.
DepthFile decode_depth(const ImageBytes& file);

DepthFile read_png_depth(const ImageBytes& file);

// Grey, in strips or tiles, integers and floating point of 8 to 64 bits.
DepthFile read_tiff_depth(const ImageBytes& file);

bool is_pgm(core::View<const uint8_t> start);
DepthFile read_pgm_depth(const ImageBytes& file);

bool is_pfm(core::View<const uint8_t> start);
DepthFile read_pfm_depth(const ImageBytes& file);

bool is_npy(core::View<const uint8_t> start);
DepthFile read_npy_depth(const ImageBytes& file);

bool is_exr(core::View<const uint8_t> start);
DepthFile read_exr_depth(const ImageBytes& file);

}  // namespace tessera::assets
