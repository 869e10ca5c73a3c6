// The table of formats of multiplane images. A new one is a file in formats/multiplane/, its
// declarations in formats/multiplane/multiplane_formats.h and its row here.
// SPDX-License-Identifier: MIT
#include "assets/formats/multiplane/multiplane_formats.h"

namespace tessera::assets {
namespace {

constexpr std::string_view kTmpiExtensions[] = {".tmpi"};

constexpr MultiplaneFormatEntry kFormats[] = {
    {"tmpi", kTmpiExtensions, true, probe_tmpi, read_tmpi, write_tmpi, holds_only_tmpi,
     tmpi_losses},
};

}  // namespace

std::span<const MultiplaneFormatEntry> multiplane_formats() {
  return kFormats;
}

}  // namespace tessera::assets
