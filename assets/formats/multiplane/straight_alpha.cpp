// SPDX-License-Identifier: MIT
#include "assets/formats/multiplane/straight_alpha.h"

#include <vector>

namespace tessera::assets {
namespace {

constexpr int kRings = 4;

// The mean color of the texels around (x, y) that have one; false if there are none.
bool mean_of_neighbors(const core::Image8& page, const std::vector<uint8_t>& has_color, int x,
                       int y, uint8_t* mean) {
  int sum[3] = {0, 0, 0};
  int count = 0;
  for (int v = std::max(y - 1, 0); v <= std::min(y + 1, page.height - 1); ++v) {
    for (int u = std::max(x - 1, 0); u <= std::min(x + 1, page.width - 1); ++u) {
      if (has_color[static_cast<size_t>(v) * page.width + u] == 0) continue;
      for (int c = 0; c < 3; ++c) sum[c] += page.at(u, v, c);
      ++count;
    }
  }
  if (count == 0) return false;
  for (int c = 0; c < 3; ++c) mean[c] = static_cast<uint8_t>((sum[c] + count / 2) / count);
  return true;
}

// One ring of texels more.
void dilate(core::Image8& page, std::vector<uint8_t>& has_color) {
  std::vector<size_t> reached;
  for (int y = 0; y < page.height; ++y) {
    for (int x = 0; x < page.width; ++x) {
      const size_t i = static_cast<size_t>(y) * page.width + x;
      if (has_color[i] == 0 && mean_of_neighbors(page, has_color, x, y, &page.at(x, y))) {
        reached.push_back(i);
      }
    }
  }
  for (const size_t i : reached) has_color[i] = 1;
}

}  // namespace

bool comes_back(const core::Image8& page) {
  for (int64_t i = 0; i < page.data.size(); i += 4) {
    const uint8_t* texel = page.data.data() + i;
    if (texel[0] > texel[3] || texel[1] > texel[3] || texel[2] > texel[3]) return false;
  }
  return true;
}

core::Image8 straight_page(const core::Image8& premultiplied_page) {
  core::Image8 page = premultiplied_page;
  std::vector<uint8_t> has_color(static_cast<size_t>(page.pixel_count()));
  for (int64_t i = 0; i < page.pixel_count(); ++i) {
    uint8_t* texel = page.data.data() + 4 * i;
    for (int c = 0; c < 3; ++c) texel[c] = straight(texel[c], texel[3]);
    has_color[i] = texel[3] > 0 ? 1 : 0;
  }
  for (int ring = 0; ring < kRings; ++ring) dilate(page, has_color);
  return page;
}

core::Image8 premultiplied_page(core::Image8 straight_page) {
  for (int64_t i = 0; i < straight_page.data.size(); i += 4) {
    uint8_t* texel = straight_page.data.data() + i;
    for (int c = 0; c < 3; ++c) texel[c] = premultiplied(texel[c], texel[3]);
  }
  return straight_page;
}

}  // namespace tessera::assets
