// A multiplane image in which a page plays.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/multiplane_video.h"
#include "tests/support/multiplane_scenes.h"

namespace tessera::test {

// The layers at odd places move, each with a page of its own.
inline core::MultiplaneVideo made_video(int frames, uint64_t seed) {
  core::MultiplaneVideo video;
  video.image = in_bytes(tiled_image(40, 30, 16, 14, 1, 0.2, 0.3F, seed));
  video.frames_per_second = 12.5;
  for (size_t page = 1; page < video.image.pages.size(); page += 2) {
    core::MovingPage& moving = video.moving.emplace_back();
    moving.page = static_cast<int>(page);
    for (int frame = 0; frame < frames; ++frame) {
      core::Image8& texels = moving.frames.emplace_back(video.image.pages[page]);
      for (int64_t i = 0; i < texels.data.size(); i += 4) {
        texels.data[i] = static_cast<uint8_t>(texels.data[i] * frame / frames);
      }
    }
  }
  video.show(0);
  return video;
}

}  // namespace tessera::test
