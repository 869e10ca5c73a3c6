// SPDX-License-Identifier: MIT
#include "core/multiplane_video.h"

#include <fmt/format.h>

#include <cmath>

#include "core/error.h"

namespace tessera::core {

void MultiplaneVideo::show(int64_t frame) {
  for (const MovingPage& page : moving) {
    image.pages[page.page] = page.frames[frame % static_cast<int64_t>(page.frames.size())];
  }
}

void MultiplaneVideo::show_in_film(int64_t picture, double pictures_per_second) {
  constexpr double kRounding = 1e-6;  // a frame that is due is not late by it
  if (moving.empty()) return;
  show(static_cast<int64_t>(static_cast<double>(picture) * frames_per_second / pictures_per_second +
                            kRounding));
}

void check_multiplane_video(const MultiplaneVideo& video) {
  check_multiplane_image(video.image);
  if (!std::isfinite(video.frames_per_second) || !(video.frames_per_second > 0)) {
    throw Error(fmt::format("a video has {} frames a second", video.frames_per_second));
  }
  int last = -1;
  for (const MovingPage& moving : video.moving) {
    if (moving.page <= last || moving.page >= static_cast<int>(video.image.pages.size())) {
      throw Error(fmt::format("moving page {} does not follow {} among {} pages", moving.page, last,
                              video.image.pages.size()));
    }
    last = moving.page;
    if (moving.frames.empty() || moving.frames.size() != video.moving.front().frames.size()) {
      throw Error(fmt::format("page {} has {} frames, but page {} has {}", moving.page,
                              moving.frames.size(), video.moving.front().page,
                              video.moving.front().frames.size()));
    }
    const Image8& page = video.image.pages[moving.page];
    for (const Image8& frame : moving.frames) {
      if (frame.width == page.width && frame.height == page.height && frame.channels == 4) continue;
      throw Error(fmt::format(
          "a frame of page {} is {}x{} with {} channels, but the page {}x{} "
          "with 4",
          moving.page, frame.width, frame.height, frame.channels, page.width, page.height));
    }
  }
}

}  // namespace tessera::core
