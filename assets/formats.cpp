// The table of scene formats. A new one is a file in formats/, its declarations in
// formats/formats.h and its row here.
// SPDX-License-Identifier: MIT
#include "assets/formats/formats.h"

namespace tessera::assets {
namespace {

constexpr std::string_view kPlyExtensions[] = {".ply"};
constexpr std::string_view kSplatExtensions[] = {".splat"};

constexpr FormatEntry kFormats[] = {
    {"PLY", kPlyExtensions, probe_ply, read_ply, open_ply, true, write_ply, ply_losses},
    {".splat", kSplatExtensions, nullptr, read_splat, nullptr, false, write_splat, splat_losses},
};

}  // namespace

std::span<const FormatEntry> formats() {
  return kFormats;
}

}  // namespace tessera::assets
