// COLMAP captures: `sparse/0`, `sparse` or the three files in the folder itself, photos in
// `images`.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "assets/captures/capture_reader.h"

namespace tessera::assets {

// Whether a model is in `sparse` or in the folder itself.
bool probe_colmap(const std::filesystem::path& path);
// Whether one is there or in `colmap/sparse`, where nerfstudio keeps what its transforms.json was
// made from.
bool probe_nested_colmap(const std::filesystem::path& path);
core::Capture read_colmap(const std::filesystem::path& path, const CaptureOptions& options);

// The points alone, for captures of other kinds that keep their COLMAP model beside them.
std::vector<core::ColoredPoint> read_colmap_points(const std::filesystem::path& path,
                                                   std::vector<std::string>& warnings);

}  // namespace tessera::assets
