// The readers and writers that the table in assets/multiplane_formats.cpp names, one group a file.
// SPDX-License-Identifier: MIT
#pragma once

#include "assets/multiplane_format.h"

namespace tessera::assets {

bool probe_tmpi(const std::filesystem::path& folder);
core::MultiplaneImage read_tmpi(const std::filesystem::path& folder);
void write_tmpi(const std::filesystem::path& folder, const core::MultiplaneImage& image,
                const MultiplaneWriteOptions& options);
bool holds_only_tmpi(const std::filesystem::path& folder);
std::vector<std::string> tmpi_losses(const core::MultiplaneImage& image,
                                     const MultiplaneWriteOptions& options);

}  // namespace tessera::assets
