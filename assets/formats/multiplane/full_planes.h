// Planes that face the camera, fill its picture and stand at equal steps of inverse depth: a
// multiplane image drawn onto them, and one made of them.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/multiplane_image.h"

namespace tessera::assets {

// Where the planes are. The camera has one focal length and its principal point in the middle.
struct FullPlaneGrid {
  core::PosedCamera camera;
  int count = 0;
  double farthest = 0;  // inverse depth of plane 0
  double nearest = 0;   // and of the last one, which is above it
};

// Two planes or more, from the farthest to the nearest visible texel.
FullPlaneGrid full_plane_grid(const core::MultiplaneImage& image, int count);

// Draws each plane's band: what of the image is nearest to that plane, composited as the reference
// camera sees it, so that all planes together give its picture.
class BandDrawer {
 public:
  BandDrawer(const core::MultiplaneImage& image, const FullPlaneGrid& grid);

  // RGBA with straight alpha.
  core::Image8 draw(int plane) const;

 private:
  struct Sample {
    double inverse_depth;
    size_t layer;
    const uint8_t* texel;
  };

  void draw_row(int y, int plane, std::vector<std::vector<Sample>>& samples,
                core::Image8& target) const;

  const core::MultiplaneImage& image_;
  const FullPlaneGrid& grid_;
  std::vector<int> source_x_;  // of each column and row the nearest pixel of the image's picture
  std::vector<int> source_y_;
};

// Pictures of RGBA with straight alpha, the farthest first.
struct FullPlanes {
  core::PosedCamera camera;
  double farthest = 0;
  double nearest = 0;
  std::vector<core::Image8> straight;
};

// A layer for each plane, cropped to what is not transparent, in pages of their own.
core::MultiplaneImage layers_of(const FullPlanes& planes);

}  // namespace tessera::assets
