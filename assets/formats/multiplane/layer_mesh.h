// Layers as one indexed mesh: what a glTF file, the HTML viewer and an OBJ file hold.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "assets/formats/multiplane/layer_patches.h"

namespace tessera::assets {

// Triangles of one page that are drawn one after another.
struct MeshRun {
  int page = 0;
  uint32_t first_index = 0;
  uint32_t index_count = 0;
};

struct LayerMesh {
  std::vector<float> positions;   // x y z per corner, in the axes of the reference camera
  std::vector<float> texels;      // u v per corner, 0..1 over the page, from its upper left corner
  std::vector<uint32_t> indices;  // three per triangle, far ones first
  std::vector<MeshRun> runs;      // of the indices, in order: one per change of the page
};

LayerMesh layer_mesh(const core::MultiplaneImage& image, const std::vector<LayerPatch>& patches);

}  // namespace tessera::assets
