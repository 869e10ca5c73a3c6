// `tessera photo3d`: one photo with depth, a pair or a clip to a scene to move in.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "apps/command_table.h"
#include "apps/commands/interrupt.h"
#include "apps/commands/machine.h"
#include "apps/commands/photo3d_folder.h"
#include "apps/commands/photo3d_memory.h"
#include "apps/commands/photo3d_output.h"
#include "apps/commands/rank_launch.h"
#include "apps/commands/refiner.h"
#include "apps/commands/shell_words.h"
#include "apps/commands/traffic_figures.h"
#include "apps/commands/video.h"
#include "apps/program.h"
#include "assets/photos/image_io.h"
#include "core/error.h"
#include "core/options.h"
#include "distributed/backends/lone_rank.h"
#include "distributed/backends/mpi.h"
#include "distributed/long_work.h"
#include "models/multiplane/fit.h"
#include "models/multiplane/planner.h"
#include "models/multiplane/video_plan.h"

namespace tessera::apps {
namespace {

// Where it runs. Only captures run on several ranks, and have a guard from the beginning: all else
// ends at once when the user wishes so, but for films.
struct Place {
  distributed::Communicator& ranks;
  int threads = 0;   // that a rank may use, where it was not said
  std::string text;  // empty for one rank
  const InterruptGuard* interrupt = nullptr;
  int on_machine = 1;  // ranks on this machine
  int in_process = 1;  // and of these in this process
};

struct Words {
  std::string settings;  // JSON
  std::string command;   // as typed
};

// How far cameras go to each side, in units.
double reach_of(const Photo3dOptions& options, const Photo3dInput& input) {
  if (!input.photos.empty()) return 0.5 * input.camera_distance;
  const models::DepthPhoto& photo = input.photo;
  const double usual = models::planned_baseline(photo, {});
  if (options.max_shift_px == 0) return usual;
  const int longer = std::max(photo.camera.camera.width, photo.camera.camera.height);
  if (options.max_shift_px * input.scale > longer) {
    throw core::UsageError("--max-shift", "is more than the photo's longer side");
  }
  return usual * options.max_shift_px * input.scale / models::usual_shift_px(photo.camera.camera);
}

Photo3dMemory planned_memory(const Photo3dNeed& need, const Photo3dOptions& options,
                             const Place& place, RunLog& log) {
  Photo3dMemory memory = plan_photo3d_memory(
      need, {options.max_memory_bytes, available_memory_bytes() / place.on_machine,
             address_space_left_bytes() / place.in_process});
  log.info("Up to {}.", memory.text);
  return memory;
}

struct ReadInput {
  Photo3dInput input;
  int64_t most_texel_bytes = 0;  // on rank 0
};

// Memory is planned before a photo is read, where its header tells enough.
ReadInput read_within_memory(const Photo3dOptions& options, Photo3dKind kind, const Place& place,
                             core::ThreadPool& pool, RunLog& log) {
  ReadInput read;
  const std::optional<Photo3dNeed> of_photo = need_of_photo(options, kind);
  if (of_photo) {
    read.most_texel_bytes = planned_memory(*of_photo, options, place, log).most_texel_bytes;
  }
  read.input = read_photo3d_input(options, kind, pool, log);
  if (!of_photo && place.ranks.rank() == 0) {
    const Photo3dNeed need = need_of_input(options, read.input, place.ranks.size());
    read.most_texel_bytes = planned_memory(need, options, place, log).most_texel_bytes;
  }
  return read;
}

// A bar for each stage of planning.
class PlanBars {
 public:
  explicit PlanBars(RunLog& log) : log_(log) {}
  ~PlanBars() { log_.set_bar(nullptr); }
  PlanBars(const PlanBars&) = delete;
  PlanBars& operator=(const PlanBars&) = delete;

  void show(const models::PlanProgress& progress) {
    if (progress.stage != stage_) {
      stage_ = progress.stage;
      bar_ = log_.progress(std::string(progress.unit), 0, progress.total);
      log_.set_bar(bar_.get());
    }
    bar_->update(progress.done, stage_);
  }

 private:
  RunLog& log_;
  std::string stage_;
  std::unique_ptr<Progress> bar_;
};

models::PlanSettings plan_settings(const Photo3dOptions& options, const Photo3dInput& input,
                                   double reach) {
  models::PlanSettings settings;
  settings.planner = options.planner;
  settings.planes = options.planes;
  settings.largest_error_px = options.largest_error_px;
  settings.baseline = options.max_shift_px > 0 ? reach : std::max(reach, input.camera_distance);
  return settings;
}

// Collective. If the user stops it, what was fitted until then; on rank 0, elsewhere no layers.
struct Fitted {
  core::MultiplaneImage image;
  int steps = 0;
};

Fitted fitted(const Photo3dOptions& options, const Photo3dInput& input, const Place& place,
              core::ThreadPool& pool, RunLog& log) {
  models::FitSettings settings;
  if (options.planes > 0) settings.planes = options.planes;
  settings.steps = options.steps;
  settings.nearest = options.nearest;
  settings.farthest = options.farthest;
  const std::unique_ptr<Progress> progress = log.progress("step", 0, options.steps);
  log.set_bar(progress.get());
  Fitted result;
  result.image =
      models::fit_multiplane(input.photos, settings, place.ranks, pool, [&](int step, double loss) {
        progress->update(step, fmt::format("loss {:.4f}", loss));
        result.steps = step;
        return !place.interrupt->requested();
      });
  log.set_bar(nullptr);
  return result;
}

core::MultiplaneVideo played(const Photo3dOptions& options, const Photo3dInput& input,
                             const models::PlanSettings& settings, models::ClipLoop& loop,
                             core::ThreadPool& pool, RunLog& log) {
  loop = models::find_loop(input.clip.frames, input.clip_statistics.moves,
                           {options.loop, options.loop_frames}, pool);
  if (input.clip_statistics.moving_share > 0) {
    log.info(
        "The loop is frames {} to {} of {}, {} of them faded; frames differ by {:.1f} dB "
        "where it begins again, those of the clip by {:.1f} there and by {:.1f} elsewhere.",
        loop.start + 1, loop.start + loop.frames.size(), input.clip.frames.size(), loop.faded,
        loop.closed_db, loop.clip_db, loop.usual_db);
  }
  models::BuiltVideo built =
      models::build_multiplane_video(input.clip, input.clip_statistics, loop, settings, pool);
  if (built.video.moving.empty()) {
    log.warning("Nothing moves in the clip, so a still scene is made of it.");
  } else {
    log.info("{} of {} move, {:.0f} % of the texels.", built.moving_layers,
             plural(static_cast<int64_t>(built.video.image.layers.size()), "layer"),
             100 * static_cast<double>(built.moving_texels) /
                 static_cast<double>(core::texel_count(built.video.image.layers)));
  }
  return std::move(built.video);
}

// Collective; layers are on rank 0 alone.
struct Made {
  core::MultiplaneVideo video;
  models::ClipLoop loop;
  int steps = 0;  // of fitting several photos
};

Made made_of(const Photo3dOptions& options, const Photo3dInput& input, double reach,
             int64_t most_texel_bytes, const Place& place, core::ThreadPool& pool, RunLog& log) {
  Made made;
  made.steps = options.steps;
  if (!input.photos.empty()) {
    Fitted result = fitted(options, input, place, pool, log);
    made.video.image = std::move(result.image);
    made.steps = result.steps;
    return made;
  }
  PlanBars bars(log);
  models::PlanSettings settings = plan_settings(options, input, reach);
  settings.most_texel_bytes = most_texel_bytes;
  settings.progress = [&](const models::PlanProgress& progress) { bars.show(progress); };
  if (input.clip.frames.empty()) {
    made.video.image = models::build_multiplane(input.photo, settings, pool);
  } else {
    made.video = played(options, input, settings, made.loop, pool, log);
  }
  return made;
}

// Whether all ranks draw a film: the answer of rank 0, as machines may have other programs.
bool draws_film(const Photo3dOptions& options, bool fit_is_whole, const Place& place, RunLog& log) {
  const Film wanted = wanted_film(options);
  bool film = wanted == Film::kAlone || (wanted == Film::kBeside && fit_is_whole);
  if (film && wanted == Film::kBeside && !have_ffmpeg()) {
    log.warning("No film is written, as the program ffmpeg is not installed.");
    film = false;
  }
  place.ranks.broadcast("film", 0, std::span(&film, 1));
  return film;
}

// What is wrong for all ranks is told once.
void check_together(const Photo3dOptions& options, Photo3dKind kind, const Words& words,
                    const Place& place, RunLog& log) {
  check_same_options(place.ranks, words.settings + options.output.string());
  if (place.ranks.rank() == 0) {
    if (place.ranks.size() > 1 && kind != Photo3dKind::kCapture) {
      throw core::UsageError("mpirun", "several ranks are for captures; start one");
    }
    if (finish_photo3d_folder(options.output)) {
      log.info(
          "The run before was killed while its files took their place in {}: they are there now.",
          options.output.string());
    }
    check_photo3d_output(options);
    if (!options.refiner.empty()) check_refiner(options.refiner);
  }
  place.ranks.barrier("leader first");
}

void make(const Photo3dOptions& options, Photo3dKind kind, const Words& words, const Place& place) {
  const bool leads = place.ranks.rank() == 0;
  RunLog log(options.quiet, !leads);
  if (!place.text.empty()) log.info("{}", place.text);
  const core::Timer timer;
  check_together(options, kind, words, place, log);
  core::ThreadPool pool(options.threads > 0 ? options.threads : place.threads);
  std::optional<distributed::LongWork> working(std::in_place, place.ranks, "reading photos");
  const ReadInput read = read_within_memory(options, kind, place, pool, log);
  const Photo3dInput& input = read.input;
  const double reach = reach_of(options, input);
  working.reset();
  place.ranks.barrier("leader first");
  const core::Timer planning;
  Made made = made_of(options, input, reach, read.most_texel_bytes, place, pool, log);
  working.emplace(place.ranks, "writing the scene");
  core::MultiplaneVideo& video = made.video;
  core::MultiplaneImage& image = video.image;
  const int steps = made.steps;
  const bool film = draws_film(options, steps == options.steps, place, log);
  if (leads) {
    const double seconds = planning.seconds();
    log.info("Planned {} on {} in {}", plural(static_cast<int64_t>(image.layers.size()), "layer"),
             plural(static_cast<int64_t>(image.pages.size()), "page"), duration_text(seconds));
    if (!options.refiner.empty()) {
      const core::Timer refining;
      image = refined(image, options.refiner, options.threads);
      log.info("Refined in {}", duration_text(refining.seconds()));
    }
    MultiplanePainter painter(image, pool);
    std::optional<FitFigures> fit;
    if (!input.photos.empty()) fit = measured_fit(input, painter, pool, log);
    write_photo3d({place.ranks, place.interrupt, options, input, video, made.loop, reach, seconds,
                   fit, film, words.settings, words.command},
                  painter, pool, log);
  } else if (film) {
    working.reset();
    draw_part_of_film(options, *place.interrupt, place.ranks, pool);
  }
  if (place.ranks.size() > 1) {
    const std::vector<TagFigures> traffic = traffic_figures(place.ranks);
    for (const std::string& line : traffic_table(traffic)) log.info("{}", line);
  }
  if (steps < options.steps) {
    throw core::Interrupted(fmt::format(
        "Stopped after {} of {} steps; {} holds what was fitted{}.", steps, options.steps,
        options.output.string(), wanted_film(options) == Film::kBeside ? ", without a film" : ""));
  }
  log.info("Wrote {} in {}", options.output.string(), duration_text(timer.seconds()));
}

}  // namespace

int run_photo3d(const std::vector<std::string>& arguments) {
  Photo3dOptions options;
  core::OptionTable table(
      "tessera photo3d", "Makes a scene to move in of a photo with depth, a stereo pair or a clip.",
      "tessera photo3d photo.jpg --depth depth.png -o out/photo");
  bind_photo3d_options(table, options);
  if (const std::optional<std::string> help = table.parse(arguments)) {
    std::fputs(help->c_str(), stdout);
    return kExitDone;
  }
  models::find_planner(options.planner);
  models::find_looping(options.loop);
  motion_path({}, options.motion, 1);
  const Photo3dKind kind = kind_of_input(options);
  refuse_other_options(table, options, kind);
  const Words words = {table.to_json(), shell_line("tessera photo3d", arguments)};
  if (kind != Photo3dKind::kCapture && !distributed::started_by_mpi()) {
    const std::unique_ptr<distributed::Communicator> alone = distributed::lone_rank();
    make(options, kind, words, {*alone, 0, "", nullptr, 1, 1});
    return kExitDone;
  }
  std::vector<std::string> command = {"photo3d"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const InterruptGuard interrupt("Stopping, and writing what there is; once more to quit at once.");
  return run_on_ranks(options.ranks, command, interrupt, [&](const RankPlace& place) {
    make(options, kind, words,
         {place.ranks, place.threads, place.text, &interrupt, place.on_machine, place.in_process});
  });
}

}  // namespace tessera::apps
