// How far from its axis a camera sees, and up to where its lens model can be trusted.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/camera.h"
#include "core/math/camera.h"

namespace tessera::core {

// The radius of (x/z, y/z), at most `limit`, up to which the lens maps one to one in all
// directions: beyond it strong polynomials fold back.
double one_to_one_radius(const math::Lens<double>& lens, double limit);

// Extent of (x/z, y/z) over the picture; rays beyond `max_radius` end there.
struct LensExtent {
  double left = 0, right = 0, top = 0, bottom = 0;
};
LensExtent lens_extent(const Camera& camera, const math::Lens<double>& lens, double max_radius);

}  // namespace tessera::core
