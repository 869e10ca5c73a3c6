// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_options.h"

#include <fmt/format.h>

#include "apps/commands/reconstruct_options.h"

namespace tessera::apps {

void bind_photo3d_options(core::OptionTable& table, Photo3dOptions& o) {
  table.positional("PHOTO", o.input, "a photo, a scene, a capture with poses, or a clip");
  table.positional("RIGHT", o.second, "the right photo of a rectified stereo pair").optional();
  table.group("Depth");
  table.add("--depth", o.depth, "FILE", "PNG, TIFF, PFM, EXR, PGM or NPY; of a clip also a folder")
      .common();
  table.add("--depth-model", o.depth_model, "FILE", "an ONNX network that gives depth of the photo")
      .common();
  table.add_parsed(
      "--depth-model-size", "WxH", "of the network's picture, if it does not say or takes others",
      [&o](const std::string& text) { parse_size(text, o.model_width, o.model_height); },
      [&o] { return size_text(o.model_width, o.model_height); });
  table
      .add("--depth-model-range", o.model_range, "HOW",
           "values that the network takes: less ImageNet's mean by its deviation, or as named")
      .choices({"imagenet", "0-1", "-1-1"});
  table
      .add("--depth-is", o.depth_is, "WHAT",
           "depth, disparity, or inverse: up to scale and shift, bright is near")
      .choices({"auto", "depth", "disparity", "inverse"})
      .common();
  table
      .add("--depth-scale", o.depth_scale, "X",
           "meters a value of depth, pixels a value of disparity; 0: as usual")
      .range(0)
      .common();
  table
      .add("--max-shift", o.max_shift_px, "PIXELS",
           "how far the nearest moves against the farthest; 0: 4 % of the width")
      .range(0)
      .common();
  table
      .add("--stereo-baseline", o.stereo_baseline, "M",
           "meters between the cameras of a pair; 0: unknown")
      .range(0);
  table.add("--stereo-offset", o.stereo_offset, "PIXELS",
            "added to disparities: what a point at infinity has");
  table
      .add("--max-disparity", o.max_disparity, "PIXELS",
           "farthest that points move in a pair; 0: a fifth of the width")
      .range(0, 1 << 14);
  table.group("Camera");
  table.add("--focal", o.focal_px, "PIXELS", "focal length; 0: what the photo says").range(0);
  table.add("--fov", o.fov_deg, "DEGREES", "vertical field of view instead").range(0, 170);
  table
      .add("-r, --resolution", o.resolution, "R",
           "divide the photo's size by 1, 2, 4, 8; more is a width")
      .range(1)
      .common();
  table.add("--capture", o.scene_view.capture, "CAPTURE",
            "of a scene: whose cameras --camera names");
  table
      .add("--camera", o.scene_view.camera, "WHERE",
           "of a scene: a photo's name, or x,y,z and the target's")
      .common();
  table.add("--up", o.scene_view.up, "AXIS", "of a scene: +z, -y, ... or x,y,z");
  table.group("Several photos");
  table.add("--views", o.views, "NAMES", "of a capture: the photos to fit; else all").common();
  table.add("--measure", o.measured, "NAMES", "photos to be held against the result alone")
      .common();
  table.add("--steps", o.steps, "N", "of gradient descent").range(0, 100000);
  table.add("--nearest", o.nearest, "Z", "depth of the nearest plane; 0: as photos agree").range(0);
  table.add("--farthest", o.farthest, "Z", "of the farthest").range(0);
  table.group("A clip of a camera that stands still: a folder of frames or a video file");
  table.add("--loop", o.loop, "HOW", "crossfade: its best piece, whose ends fade; none: all of it");
  table.add("--loop-frames", o.loop_frames, "N", "at least; 0: half of the clip's")
      .range(0, 100000);
  table.add("--clip-fps", o.clip_rate, "N", "its frames a second; 0: as the file says, or 25")
      .range(0, 1000);
  table.group("Planes");
  table.add("--planner", o.planner, "NAME", "adaptive, tiled, kmeans, uniform or bins").common();
  table
      .add("--planes", o.planes, "N",
           "of the planner, of each tile where it has tiles; 0: as usual")
      .range(0, 1024);
  table
      .add("--largest-error", o.largest_error_px, "PIXELS",
           "of adaptive: how far a tile's planes may be off in views")
      .range(0.01, 100);
  table.add("--refiner", o.refiner, "FILE",
            "of one photo: refine by a network that tessera-neural trained");
  table.group("What is written");
  table
      .add("-o, --output", o.output, "OUT",
           "a folder for all; or x.tmpi, x.glb, x.html, x.mtv, x.mp4")
      .required()
      .common();
  table.add("--motion", o.motion, "NAME", "of the film: orbit, sway, dolly or spiral").common();
  table.add("--amount", o.amount, "X", "how far it goes; 1: to --max-shift").range(0, 10);
  table.add("--frames", o.frames, "N", "of the film").range(1, 100000);
  table.add("--fps", o.frames_per_second, "N", "of the film").range(1, 1000);
  table.add("--film-width", o.film_width, "PIXELS", "0: the photo's, at most 1920")
      .range(0, 1 << 14);
  table.group("Running");
  table
      .add("--ranks", o.ranks, "N",
           "processes that fit a capture's photos together, each owning rows of texels; mpirun's "
           "and srun's are joined without it")
      .range(0, 1024);
  table.add("--threads", o.threads, "N", "of each rank; 0: the cores divided by the ranks")
      .range(0, 1024);
  table.add_parsed(
      "--max-memory", "SIZE", "budget such as 4GB, of each rank; else what is free",
      [&o](const std::string& text) { o.max_memory_bytes = parse_memory_size(text); },
      [&o] { return o.max_memory_bytes == 0 ? "" : fmt::format("{}", o.max_memory_bytes); });
  table.flag("--force", o.force, "replace an output that exists");
  table.flag("--quiet", o.quiet, "nothing but warnings and errors");
}

}  // namespace tessera::apps
