// Strips of tiles that a picture is cut into: its tile columns if it is at least as wide as high,
// else its tile rows. Along the longer axis cuts are finer and seams shorter.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/pixel_window.h"
#include "render/gaussian/backends/cpu_kernels.h"

namespace tessera::models {

class PictureStrips {
 public:
  explicit PictureStrips(const core::PixelWindow& picture) : picture_(picture) {}

  int count() const {
    return render::tiles_along(are_columns() ? picture_.width : picture_.height);
  }
  int tiles_each() const {
    return render::tiles_along(are_columns() ? picture_.height : picture_.width);
  }
  int of_tile(int column, int row) const { return are_columns() ? column : row; }

  // The pixels of strips [begin, end).
  core::PixelWindow window(int begin, int end) const {
    const int first = begin * render::kTileSize, length = (end - begin) * render::kTileSize;
    const core::PixelWindow strips = are_columns()
                                         ? core::PixelWindow{first, 0, length, picture_.height}
                                         : core::PixelWindow{0, first, picture_.width, length};
    return core::intersection(strips, picture_);
  }

 private:
  bool are_columns() const { return picture_.width >= picture_.height; }

  core::PixelWindow picture_;
};

}  // namespace tessera::models
