// What `tessera inspect` says of a multiplane image.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/camera.h"
#include "core/multiplane_video.h"

namespace tessera::apps {

struct MultiplaneSummary {
  core::Camera camera;
  bool metric = false;
  int64_t layers = 0;
  int64_t slanted_layers = 0;
  int64_t texels = 0;                   // of all layers, without gutters
  std::vector<std::string> page_sizes;  // "4096x2816"
  double nearest = 0;  // depth at layers' middles, in units; 0: no layer lies before it
  double farthest = 0;
  int frames = 1;
  double frames_per_second = 0;
  int64_t moving_layers = 0;
};

MultiplaneSummary summarize(const core::MultiplaneVideo& video);
std::string to_text(const MultiplaneSummary& summary);
std::string to_json(const MultiplaneSummary& summary);

}  // namespace tessera::apps
