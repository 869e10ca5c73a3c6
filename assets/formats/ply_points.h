// PLY files without Gaussians: point clouds, and the vertices of meshes.
// SPDX-License-Identifier: MIT
#pragma once

#include "assets/bytes.h"
#include "assets/format.h"
#include "assets/formats/ply_header.h"

namespace tessera::assets {

// The points of element `vertex` (an index into the header's elements).
PointCloud read_ply_points(Bytes bytes, const PlyHeader& header, size_t vertex,
                           const std::filesystem::path& path);

}  // namespace tessera::assets
