// `tessera photo3d`: one photo with depth, or a pair, to a scene to move in.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "apps/command_table.h"
#include "apps/commands/interrupt.h"
#include "apps/commands/machine.h"
#include "apps/commands/photo3d_output.h"
#include "apps/commands/shell_words.h"
#include "apps/program.h"
#include "assets/photos/image_io.h"
#include "core/error.h"
#include "core/options.h"
#include "distributed/backends/lone_rank.h"
#include "models/multiplane/fit.h"
#include "models/multiplane/planner.h"

namespace tessera::apps {
namespace {

// How far cameras go to each side, in units.
double reach_of(const Photo3dOptions& options, const Photo3dInput& input) {
  if (!input.photos.empty()) return 0.5 * input.camera_distance;
  const models::DepthPhoto& photo = input.photo;
  const double usual = models::planned_baseline(photo, {});
  if (options.max_shift_px == 0) return usual;
  return usual * options.max_shift_px * input.scale / models::usual_shift_px(photo.camera.camera);
}

models::PlanSettings plan_settings(const Photo3dOptions& options, const Photo3dInput& input,
                                   double reach) {
  models::PlanSettings settings;
  settings.planner = options.planner;
  settings.planes = options.planes;
  settings.largest_error_px = options.largest_error_px;
  settings.baseline = options.max_shift_px > 0 ? reach : std::max(reach, input.camera_distance);
  return settings;
}

// If the user stops it, what was fitted until then.
struct Fitted {
  core::MultiplaneImage image;
  int steps = 0;
};

Fitted fitted(const Photo3dOptions& options, const Photo3dInput& input, core::ThreadPool& pool,
              RunLog& log) {
  models::FitSettings settings;
  if (options.planes > 0) settings.planes = options.planes;
  settings.steps = options.steps;
  settings.nearest = options.nearest;
  settings.farthest = options.farthest;
  const InterruptGuard interrupt;
  const std::unique_ptr<Progress> progress = log.progress("step", 0, options.steps);
  log.set_bar(progress.get());
  Fitted result;
  const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
  result.image =
      models::fit_multiplane(input.photos, settings, *alone, pool, [&](int step, double loss) {
        progress->update(step, fmt::format("loss {:.4f}", loss));
        result.steps = step;
        return !interrupt.requested();
      });
  log.set_bar(nullptr);
  return result;
}

}  // namespace

int run_photo3d(const std::vector<std::string>& arguments) {
  Photo3dOptions options;
  core::OptionTable table("tessera photo3d",
                          "Makes a scene to move in of one photo with depth, or of a stereo pair.",
                          "tessera photo3d photo.jpg --depth depth.png -o out/photo");
  bind_photo3d_options(table, options);
  if (const std::optional<std::string> help = table.parse(arguments)) {
    std::fputs(help->c_str(), stdout);
    return kExitDone;
  }
  RunLog log(options.quiet);
  const core::Timer timer;
  models::find_planner(options.planner);
  motion_path({}, options.motion, 1);
  const Photo3dKind kind = kind_of_input(options);
  refuse_other_options(table, options, kind);
  check_photo3d_output(options);
  core::ThreadPool pool(options.threads);
  const Photo3dInput input = read_photo3d_input(options, kind, pool, log);
  const double reach = reach_of(options, input);
  const core::Timer planning;
  core::MultiplaneImage image;
  int steps = options.steps;
  if (input.photos.empty()) {
    image = models::build_multiplane(input.photo, plan_settings(options, input, reach), pool);
  } else {
    Fitted result = fitted(options, input, pool, log);
    image = std::move(result.image);
    steps = result.steps;
  }
  const double seconds = planning.seconds();
  log.info("Planned {} on {} in {}", plural(static_cast<int64_t>(image.layers.size()), "layer"),
           plural(static_cast<int64_t>(image.pages.size()), "page"), duration_text(seconds));
  MultiplanePainter painter(image, pool);
  std::optional<FitFigures> fit;
  if (!input.photos.empty()) fit = measured_fit(input, painter, pool, log);
  write_photo3d({options, input, image, reach, seconds, fit, table.to_json(),
                 shell_line("tessera photo3d", arguments)},
                painter, pool, log);
  if (!input.photos.empty() && steps < options.steps) {
    throw core::Interrupted(fmt::format("Stopped after {} of {} steps; {} holds what was fitted.",
                                        steps, options.steps, options.output.string()));
  }
  log.info("Wrote {} in {}", options.output.string(), duration_text(timer.seconds()));
  return kExitDone;
}

}  // namespace tessera::apps
