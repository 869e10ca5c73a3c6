// What `tessera photo3d` writes: a folder of all, or one file.
//
//   OUT/scene.tmpi/      the multiplane image
//   OUT/view.html        to look at in a browser, without a network
//   OUT/film.mp4         the camera's motion (where ffmpeg is installed)
//   OUT/stereo.jpg, anaglyph.jpg
//   OUT/depth.png        in colors
//   OUT/report.html, photo3d.json, log.txt
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "apps/commands/interrupt.h"
#include "apps/commands/photo3d_figures.h"
#include "apps/commands/photo3d_input.h"
#include "apps/commands/photo3d_motion.h"
#include "apps/commands/photo3d_options.h"
#include "apps/commands/run_log.h"
#include "core/multiplane_video.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"
#include "models/multiplane/clip_loop.h"

namespace tessera::apps {

struct Photo3dRun {
  distributed::Communicator& ranks;  // that draw films together
  const InterruptGuard* interrupt;   // null: only films catch a wish to stop
  const Photo3dOptions& options;
  const Photo3dInput& input;
  core::MultiplaneVideo& video;   // plays while films are drawn
  const models::ClipLoop& loop;   // of a clip
  double reach = 0;               // units that cameras go to each side for an amount of 1
  double plan_seconds = 0;        // to plan and build
  std::optional<FitFigures> fit;  // of several photos
  bool film = true;               // is written and drawn by all ranks, if one is wanted
  std::string settings;           // JSON
  std::string command;            // as typed

  const core::MultiplaneImage& image() const { return video.image; }
};

// What films are there among what is written.
enum class Film { kNone, kBeside, kAlone };
Film wanted_film(const Photo3dOptions& options);
// Of the photo's shape, in an even number of pixels. `wanted_width` of 0: the photo's, up to a
// usual one.
core::Camera film_camera(const core::Camera& camera, int wanted_width);

// Throws core::UsageError for an output of no kind that is written, or that exists (unless forced);
// core::IoError if it cannot be written there. Before work starts.
void check_photo3d_output(const Photo3dOptions& options);

// On rank 0; if there is a film, others call draw_part_of_film(). `painter` is of run.image. Whole
// or not at all; a film that the user stops is left out, and core::Interrupted says so.
void write_photo3d(const Photo3dRun& run, MultiplanePainter& painter, core::ThreadPool& pool,
                   RunLog& log);
// Throws core::Interrupted where write_photo3d() does for the film.
void draw_part_of_film(const Photo3dOptions& options, const InterruptGuard& interrupt,
                       distributed::Communicator& ranks, core::ThreadPool& pool);

}  // namespace tessera::apps
