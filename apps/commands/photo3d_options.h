// The options of `tessera photo3d`.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/commands/render_cameras.h"
#include "core/options.h"

namespace tessera::apps {

struct Photo3dOptions {
  // What it is made of.
  std::filesystem::path input;   // a photo, a Gaussian scene, a capture or a clip
  std::filesystem::path second;  // the right photo of a stereo pair
  std::filesystem::path depth;
  std::filesystem::path depth_model;  // an ONNX network
  int model_width = 0;                // 0: what the network was made for
  int model_height = 0;
  std::string model_range = "imagenet";
  std::string depth_is = "auto";
  double depth_scale = 0;      // units per value; 0: as the file's kind has it
  double focal_px = 0;         // of the photo at its full size; 0: as the photo says
  double fov_deg = 0;          // vertical
  double stereo_baseline = 0;  // meters between the photos; 0: unknown
  double stereo_offset = 0;    // pixels that a point at infinity moves left
  int max_disparity = 0;       // pixels; 0: a fifth of the width
  ViewOptions scene_view;      // of a Gaussian scene

  std::vector<std::string> views;     // of a capture: photos that it is fitted to; none: all
  std::vector<std::string> measured;  // of a capture: photos that are only held against it

  std::string loop = "crossfade";  // of a clip
  int loop_frames = 0;             // at least; 0: half of the clip's
  double clip_rate = 0;            // frames a second; 0: as the file says, or 25

  // How.
  std::string planner = "adaptive";
  int planes = 0;
  double largest_error_px = 0.3;
  double max_shift_px = 0;  // how far the nearest moves against the farthest; 0: as usual
  int resolution = 1;
  std::filesystem::path refiner;  // weights of a network that refines the result; empty: none
  int steps = 60;                 // of fitting several photos
  double nearest = 0;             // of several photos, units; 0: as they agree
  double farthest = 0;

  // What is written.
  std::filesystem::path output;
  std::string motion = "orbit";
  double amount = 1;
  int frames = 90;
  double frames_per_second = 30;
  int film_width = 0;  // 0: the photo's, at most 1920

  int ranks = 0;
  int threads = 0;
  uint64_t max_memory_bytes = 0;  // of each rank; 0: what is free
  bool force = false;
  bool quiet = false;
};

void bind_photo3d_options(core::OptionTable& table, Photo3dOptions& options);

}  // namespace tessera::apps
