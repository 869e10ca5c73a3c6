// SPDX-License-Identifier: MIT
#include "apps/commands/reconstruct_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/commands/progress.h"
#include "apps/commands/shell_words.h"
#include "apps/live/detached_process.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::apps {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kMaxSettingsBytes = 1 << 20;

// How one start behaves: not part of what a run is.
constexpr std::string_view kStartOnly[] = {"resume",      "resume-from", "force",    "quiet",
                                           "profile",     "config",      "json-log", "trace",
                                           "trace-steps", "threads",     "ranks",    "viewer"};
// What a resumed run may change besides.
constexpr std::string_view kMayChange[] = {
    "iterations",      "capture",    "output", "save-every", "save-iterations",
    "test-iterations", "max-memory", "device", "images",     "init-ply"};

bool is_in(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void bind_input(core::OptionTable& table, ReconstructOptions& o) {
  table
      .positional("CAPTURE", o.capture,
                  "folder of photos with poses: COLMAP, transforms.json, Blender",
                  "-d, --data, -s, --source-path")
      .optional();  // --resume knows it
  table.group("Input and output");
  table.refuse("-i",
               "means images, input or iterations in other programs; name the capture by "
               "--data, the photo folder by --images, the steps by -n");
  table
      .add("-o, --output, -m, --model-path, --output-path", o.output, "OUT",
           "folder to write, or a scene file such as x.ply")
      .required()
      .common();
  bind_photo_input(table, o.photos);
  table.flag("--eval", o.eval, "hold photos out, measure PSNR and SSIM on them").common();
  table
      .add("--test-every", o.test_every, "N",
           "hold out every Nth by sorted name (8); implies --eval")
      .range(2);
}

void bind_training(core::OptionTable& table, ReconstructOptions& o) {
  models::TrainSettings& t = o.train;
  table.group("Training");
  table
      .add("-n, --iterations, --iter, --num-iters, --max-steps", t.iterations, "N",
           "steps (photos seen) in all, also with --resume")
      .range(1)
      .common();
  table.add("--strategy", t.strategy, "RULE", "how Gaussians grow")
      .choices({"default", "mcmc"})
      .common();
  table
      .add("--max-gaussians, --max-cap, --cap-max", t.max_gaussians, "N",
           "at most this many; 0: by the photos' pixels and the steps, at most one per 100 pixels "
           "(mcmc: 1,000,000)")
      .range(0)
      .common();
  table.add("--sh-degree", t.sh_degree, "0..4", "of the view-dependent color").range(0, 4);
  table.add("--ssim-weight, --lambda-dssim", t.ssim_weight, "W", "of 1 - SSIM against L1")
      .range(0, 1);
  table.flag("-a, --antialiasing", t.antialiasing, "opacity made up for the screen-space dilation");
  table
      .add("--batch, --bsz", t.batch, "B",
           "photos per step; -n and schedules count photos, not steps")
      .range(1);
  table.add("--init-points, --init-num-pts", t.init_points, "N", "start from N random points")
      .range(0);
  table.add("--init-ply", o.init_ply, "FILE", "start from these splats or points");
  table.flag("--exposure", t.exposure, "learn an affine map of color for each photo");
  table.flag("--pose-opt", t.pose_opt, "refine the cameras' poses");
  table.flag("--absgrad", t.absgrad, "grow by absolute gradients (threshold 8e-4)");
  table.flag("--visible-adam", t.visible_adam, "the optimizer leaves unseen Gaussians alone");
  table.add("--near", t.near_plane, "Z", "what is nearer than this is not drawn").range(1e-6);
  table.flag("--random-background", t.random_background, "another color behind each step");
  table.add_parsed(
      "--background", "COLOR", "black, white, #rrggbb or r,g,b of 0 to 1",
      [&t](const std::string& text) { t.background = parse_color(text); },
      [&t] { return color_text(t.background); });
  table.add("--depth-weight", t.depth_weight, "W", "of the depth files, where there are any")
      .range(0);
  table.add("--seed", t.seed, "N", "of every random choice");
}

void bind_running(core::OptionTable& table, ReconstructOptions& o) {
  table.group("Running");
  table.add("--save-iterations", o.save_iterations, "N...", "save the scene at these steps too")
      .range(1);
  table.add("--save-every", o.save_every, "N", "save the scene every N steps").range(0);
  table
      .add("--test-iterations", o.test_iterations, "N...",
           "measure held-out photos at these steps too; implies --eval")
      .range(1);
  table
      .add("--checkpoint-every", o.train.checkpoint_every, "N",
           "write what --resume needs (the last two are kept); 0: when stopped and at the end")
      .range(0);
  table
      .flag(
          "--resume", o.resume,
          "go on from the last checkpoint in OUT with the run's own options; -n is the new total, "
          "and rates and growth follow it")
      .common();
  table
      .add("--resume-from", o.resume_from, "N",
           "as --resume, from the checkpoint of step N instead of the last")
      .range(0);
  table.flag("--force", o.force, "replace an output that exists").common();
  table.add("--device", o.device, "DEVICE", "cpu, cuda or cuda:N").shorthand("--cpu", "cpu");
  table.add("--threads", o.threads, "N", "of each rank; 0: the cores divided by the ranks")
      .range(0, 1024);
  table
      .add("--ranks", o.ranks, "N",
           "processes that train together, each owning a part of the scene; mpirun's and srun's "
           "are joined without it")
      .range(0, 1024);
  bind_messages(table, o.train);
  table.add_parsed(
      "--max-memory", "SIZE", "budget such as 4GB; photos are kept decoded as far as it goes",
      [&o](const std::string& text) { o.max_memory_bytes = parse_memory_size(text); },
      [&o] { return o.max_memory_bytes == 0 ? "" : fmt::format("{}", o.max_memory_bytes); });
  table.accept_config();
  table.flag("--profile", o.profile, "time of each stage of a step, at the end");
  table.flag("--quiet", o.quiet, "nothing but warnings and errors");
  table.add("--json-log", o.json_log, "FILE", "one JSON object a line as the run goes");
  table.add("--trace", o.trace, "FILE",
            "what each rank did when: stages, messages, waiting; for chrome://tracing and "
            "ui.perfetto.dev");
  table.add_parsed(
      "--trace-steps", "A:B",
      fmt::format("only these steps in the trace, which holds {} events a rank at most (some 3,000 "
                  "steps)",
                  count_text(RunTrace::kMostEvents)),
      [&o](const std::string& text) { o.trace_steps = parse_step_range(text); },
      [&o] { return step_range_text(o.trace_steps); });
  table
      .flag("--viewer", o.viewer,
            "open tessera-viewer to watch and steer the run, which does not need it to go on")
      .common();
}

}  // namespace

void bind_reconstruct_options(core::OptionTable& table, ReconstructOptions& options) {
  bind_input(table, options);
  bind_training(table, options);
  bind_running(table, options);
}

void bind_messages(core::OptionTable& table, models::TrainSettings& settings) {
  table
      .add("--message-precision", settings.message_precision, "P",
           "of what ranks send each other of splats: float32, which changes nothing, or compressed "
           "to half the bytes")
      .choices({"float32", "compressed"});
  table
      .add("--partition", settings.partition, "P",
           "of a step's pixels among ranks: whole views, views balanced by strips, blocks of each "
           "view, or auto: views if there is one for each rank, else blocks")
      .choices({"auto", "views", "balanced", "blocks"});
  table.add_parsed(
      "--overlap", "on|off",
      "whether ranks' messages travel while they draw (on); off is for measuring and for finding "
      "faults, the scene is the same",
      [&settings](const std::string& text) { settings.overlap = parse_switch(text); },
      [&settings] { return settings.overlap ? "on" : "off"; });
}

void check_reconstruct_options(ReconstructOptions& options) {
  if (options.capture.empty()) {
    throw core::UsageError("CAPTURE", "is missing: name the folder of photos with their poses");
  }
  if (options.device != "cpu") {
    if (options.device == "cuda" || options.device.starts_with("cuda:")) {
      throw core::UsageError("--device",
                             "this build has no CUDA; leave it out to train on the CPU");
    }
    throw core::UsageError("--device", fmt::format("\"{}\" is no device; it takes cpu, cuda or "
                                                   "cuda:N",
                                                   options.device));
  }
  if (!options.init_ply.empty() && options.train.init_points > 0) {
    throw core::UsageError("--init-ply",
                           "starts from a file and --init-points at random: give one");
  }
  if (options.trace.empty() && !step_range_text(options.trace_steps).empty()) {
    throw core::UsageError("--trace-steps", "chooses steps for --trace FILE, which is missing");
  }
  if (options.trace_steps.first > options.train.iterations && !options.resume) {
    throw core::UsageError("--trace-steps",
                           fmt::format("none of these is a step of this run, which has {} photos",
                                       options.train.iterations));
  }
  if (options.viewer && !std::filesystem::exists(program_beside(kViewerProgram))) {
    throw core::UsageError(
        "--viewer", fmt::format("needs {}, which was not built; leave the option out, and watch "
                                "the run by tessera steer",
                                program_beside(kViewerProgram).string()));
  }
  if (options.resume_from) options.resume = true;
  if (options.test_every || !options.test_iterations.empty()) options.eval = true;
  models::check(options.train);
}

std::string steps_beyond_the_end(const ReconstructOptions& options) {
  std::vector<std::string> phrases;
  for (const auto& [name, steps] : {std::pair("--save-iterations", options.save_iterations),
                                    std::pair("--test-iterations", options.test_iterations)}) {
    std::vector<int64_t> beyond;
    std::copy_if(steps.begin(), steps.end(), std::back_inserter(beyond),
                 [&](int64_t step) { return step > options.train.iterations; });
    if (!beyond.empty()) phrases.push_back(fmt::format("{} {}", name, fmt::join(beyond, ", ")));
  }
  if (phrases.empty()) return "";
  return fmt::format("The run ends at step {} and does not reach {}; -n sets its total.",
                     options.train.iterations, fmt::join(phrases, ", nor "));
}

std::string recorded_settings(const core::OptionTable& table) {
  Json json = Json::parse(table.to_json());
  for (const std::string_view name : kStartOnly) json.erase(std::string(name));
  return json.dump(2);
}

std::string command_for_same_run(const core::OptionTable& table) {
  std::vector<std::string> words = table.to_arguments(kStartOnly);
  words.emplace_back("--force");
  return shell_line("tessera reconstruct", words);
}

void parse_resumed(core::OptionTable& table, const std::vector<std::string>& arguments,
                   const std::filesystem::path& settings_file) {
  table.apply_json(core::read_text_file(settings_file, kMaxSettingsBytes), settings_file);
  const Json saved = Json::parse(table.to_json());
  table.parse(arguments);
  const Json now = Json::parse(table.to_json());
  for (const auto& [name, value] : now.items()) {
    if (value == saved.value(name, Json()) || is_in(name, kStartOnly) || is_in(name, kMayChange)) {
      continue;
    }
    throw core::UsageError(
        "--" + name, fmt::format("the run was started with {}; a resumed run keeps it (leave the "
                                 "option out, or start another run)",
                                 saved.value(name, Json()).dump()));
  }
}

uint64_t parse_memory_size(const std::string& text) {
  size_t used = 0;
  double size = 0;
  try {
    size = std::stod(text, &used);
  } catch (const std::exception&) {
    throw std::invalid_argument("a size such as 4GB or 800MB");
  }
  std::string unit = text.substr(used);
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1},         {"B", 1},           {"K", 1e3},           {"KB", 1e3}, {"M", 1e6},
      {"MB", 1e6},     {"G", 1e9},         {"GB", 1e9},          {"T", 1e12}, {"TB", 1e12},
      {"KIB", 1024.0}, {"MIB", 1048576.0}, {"GIB", 1073741824.0}};
  for (const auto& [name, factor] : kUnits) {
    if (unit == name && size > 0 && size * factor < 1e18) {
      return static_cast<uint64_t>(size * factor);
    }
  }
  throw std::invalid_argument("a size such as 4GB or 800MB");
}

bool parse_switch(const std::string& text) {
  if (text != "on" && text != "off") throw std::invalid_argument("on or off");
  return text == "on";
}

std::array<float, 3> parse_color(const std::string& text) {
  if (text == "black") return {0, 0, 0};
  if (text == "white") return {1, 1, 1};
  std::array<float, 3> color = {};
  if (text.size() == 7 && text[0] == '#' &&
      text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos) {
    for (int c = 0; c < 3; ++c) {
      color[c] = std::stoi(text.substr(1 + 2 * c, 2), nullptr, 16) / 255.0F;
    }
    return color;
  }
  char rest = 0;
  const int found = std::sscanf(text.c_str(), "%f,%f,%f%c", &color[0], &color[1], &color[2], &rest);
  const bool in_range =
      std::all_of(color.begin(), color.end(), [](float v) { return v >= 0 && v <= 1; });
  if (found != 3 || !in_range) {
    throw std::invalid_argument("black, white, #rrggbb or three numbers of 0 to 1 such as 1,0.5,0");
  }
  return color;
}

std::string color_text(const std::array<float, 3>& color) {
  return fmt::format("{},{},{}", color[0], color[1], color[2]);
}

}  // namespace tessera::apps
