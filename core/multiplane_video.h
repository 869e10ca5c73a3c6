// A multiplane image in which some layers play: tiles that move and tiles that stay, as in
// Ma et al., "3D Video Loops from Asynchronous Input", 2023.
//
// Planes stay where they are; what plays are the texels of some pages. So a frame is a multiplane
// image, for which nothing that stays is copied.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/multiplane_image.h"

namespace tessera::core {

// Of all frames together, moving and not: 2 GiB, which readers refuse to exceed.
inline constexpr int64_t kMostVideoTexels = int64_t{1} << 29;

struct MovingPage {
  int page = 0;                // of the image
  std::vector<Image8> frames;  // each of the page's size
};

struct MultiplaneVideo {
  MultiplaneImage image;           // shows one of the frames
  std::vector<MovingPage> moving;  // by ascending page; none: a still image
  double frames_per_second = 25;

  int frame_count() const {
    return moving.empty() ? 1 : static_cast<int>(moving.front().frames.size());
  }
  // `image` becomes that frame; they repeat without end. `frame` is not negative.
  void show(int64_t frame);
  // The frame that is due in a picture of a film, so that what plays keeps its own rate there.
  void show_in_film(int64_t picture, double pictures_per_second);
};

// Throws Error as check_multiplane_image does, and unless moving pages are the image's, ascending,
// all with as many frames of their size, and the rate is positive.
void check_multiplane_video(const MultiplaneVideo& video);

}  // namespace tessera::core
