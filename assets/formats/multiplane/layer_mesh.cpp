// SPDX-License-Identifier: MIT
#include "assets/formats/multiplane/layer_mesh.h"

namespace tessera::assets {

LayerMesh layer_mesh(const core::MultiplaneImage& image, const std::vector<LayerPatch>& patches) {
  LayerMesh mesh;
  for (const LayerPatch& patch : patches) {
    const core::Image8& page = image.pages[patch.page];
    const auto first = static_cast<uint32_t>(mesh.positions.size() / 3);
    for (const LayerCorner& corner : patch.corners) {
      const auto& [x, y, z] = corner.in_camera;
      for (const double value : {x, y, z}) mesh.positions.push_back(static_cast<float>(value));
      mesh.texels.push_back(static_cast<float>(corner.u / page.width));
      mesh.texels.push_back(static_cast<float>(corner.v / page.height));
    }
    if (mesh.runs.empty() || mesh.runs.back().page != patch.page) {
      mesh.runs.push_back({patch.page, static_cast<uint32_t>(mesh.indices.size()), 0});
    }
    for (const auto& triangle : patch.triangles) {
      for (const uint32_t corner : triangle) mesh.indices.push_back(first + corner);
      mesh.runs.back().index_count += 3;
    }
  }
  return mesh;
}

}  // namespace tessera::assets
