// What PLY comments say of a scene, in the words that programs in use write and read.
//
// Brush: "SplatRenderMode: mip" and "Vertical axis: y" or "Vertical axis: 0 -1 0"; Postshot:
// "antialiased 1". The offset of far coordinates is ours: "origin_in_file: X Y Z".
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/gaussian_cloud.h"

namespace tessera::assets {

void apply_ply_comments(const std::vector<std::string>& comments, core::GaussianScene& scene);
std::vector<std::string> ply_comments(const core::GaussianScene& scene);

}  // namespace tessera::assets
