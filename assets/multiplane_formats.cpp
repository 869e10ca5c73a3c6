// The table of formats of multiplane images. A new one is a file in formats/multiplane/, its
// declarations in formats/multiplane/multiplane_formats.h and its row here.
// SPDX-License-Identifier: MIT
#include "assets/formats/multiplane/multiplane_formats.h"
#include "assets/formats/multiplane/gltf_container.h"

namespace tessera::assets {
namespace {

constexpr std::string_view kTmpiExtensions[] = {".tmpi"};
constexpr std::string_view kGlbExtensions[] = {".glb"};
constexpr std::string_view kGltfExtensions[] = {".gltf"};
constexpr std::string_view kLlffExtensions[] = {".llff"};
constexpr std::string_view kHtmlExtensions[] = {".html", ".htm"};
constexpr std::string_view kMtvExtensions[] = {".mtv"};

constexpr MultiplaneFormatEntry kFormats[] = {
    {"tmpi", kTmpiExtensions, true, probe_tmpi, read_tmpi, write_tmpi, holds_only_tmpi, tmpi_losses,
     write_tmpi_video, read_tmpi_video},
    {"glb", kGlbExtensions, false, is_glb, read_gltf, write_glb, nullptr, gltf_losses},
    {"gltf", kGltfExtensions, false, nullptr, read_gltf, write_gltf, nullptr, gltf_losses},
    {"llff", kLlffExtensions, true, probe_llff, read_llff, write_llff, holds_only_llff,
     llff_losses},
    {"html", kHtmlExtensions, false, nullptr, nullptr, write_html, nullptr, html_losses,
     write_html_video},
    {"mtv", kMtvExtensions, true, nullptr, nullptr, write_mtv, holds_only_mtv, mtv_losses,
     write_mtv_video},
};

}  // namespace

std::span<const MultiplaneFormatEntry> multiplane_formats() {
  return kFormats;
}

}  // namespace tessera::assets
