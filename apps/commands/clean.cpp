// `tessera clean SCENE -o OUT`: a scene without the Gaussians that are likely to be astray, by the
// rules of render/gaussian/clean.h, and without what lies outside of a box or a sphere.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "apps/command_table.h"
#include "apps/commands/progress.h"
#include "apps/commands/refined_poses.h"
#include "apps/commands/run_folder.h"
#include "apps/commands/run_log.h"
#include "apps/commands/scene_output.h"
#include "apps/commands/scene_view.h"
#include "apps/program.h"
#include "assets/captures/capture_reader.h"
#include "assets/io.h"
#include "core/error.h"
#include "core/options.h"
#include "render/gaussian/clean.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;
using math::Vec3;

struct RuleChoice {
  const render::CleanRule* rule = nullptr;
  std::optional<double> at;  // nothing: off
};

struct CleanOptions {
  fs::path scene;
  fs::path output;
  fs::path capture;
  std::vector<RuleChoice> rules;
  std::vector<double> box;     // low, high
  std::vector<double> sphere;  // center, radius
  bool dry_run = false;
  bool json = false;
  bool force = false;
  int threads = 0;
};

// What goes for one reason.
struct Removal {
  std::string name;
  std::string reason;
  std::optional<double> threshold;
  int64_t count = 0;
};

struct Cleaned {
  int64_t before = 0;
  std::vector<Removal> removals;  // a Gaussian may be counted in several
  std::vector<int64_t> kept;
};

std::optional<double> parse_threshold(const std::string& text) {
  if (text == "off") return std::nullopt;
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc() || stop != end || !(value >= 0) || !std::isfinite(value)) {
    throw std::invalid_argument("a number of at least 0, or off");
  }
  return value;
}

std::string threshold_text(const std::optional<double>& at) {
  return at ? fmt::format("{:g}", *at) : "off";
}

std::string option_of(const render::CleanRule& rule) {
  return "--" + std::string(rule.name);
}

void bind(core::OptionTable& table, CleanOptions& o) {
  table.positional("SCENE", o.scene, "a scene of Gaussians, or a run's folder");
  table.add("-o, --output", o.output, "FILE", "the file to write; its extension tells the format")
      .common();
  table.add("--capture", o.capture, "CAPTURE", "whose cameras saw the scene; --views asks for it")
      .common();
  table.group("What goes; off keeps it");
  for (RuleChoice& choice : o.rules) {
    table
        .add_parsed(
            option_of(*choice.rule), "T", std::string(choice.rule->what),
            [&choice](const std::string& text) { choice.at = parse_threshold(text); },
            [&choice] { return threshold_text(choice.at); })
        .common();
  }
  table.add("--box", o.box, "X0,Y0,Z0,X1,Y1,Z1", "outside of it").common();
  table.add("--sphere", o.sphere, "X,Y,Z,RADIUS", "outside of it").common();
  table.group("Running");
  table.flag("--dry-run", o.dry_run, "only count").common();
  table.flag("--json", o.json, "the counts as JSON").common();
  table.flag("--force", o.force, "replace a file that exists").common();
  table.add("--threads", o.threads, "N", "0: one per core").range(0, 1024);
}

void check(const CleanOptions& o) {
  if (!o.box.empty() &&
      (o.box.size() != 6 || o.box[0] > o.box[3] || o.box[1] > o.box[4] || o.box[2] > o.box[5])) {
    throw core::UsageError("--box", "takes six numbers: the low corner, then the high one");
  }
  if (!o.sphere.empty() && (o.sphere.size() != 4 || !(o.sphere[3] > 0))) {
    throw core::UsageError("--sphere", "takes four numbers: the center and a radius above 0");
  }
  if (o.dry_run) return;
  if (o.output.empty()) {
    throw core::UsageError("-o", "is missing: the file to write; --dry-run only counts");
  }
  check_scene_output(o.scene, o.output, "-o", o.force);
}

// In the scene's coordinates. Only those that were asked for: a cameras.json that happens to stand
// near a file would empty the scene.
std::vector<core::PosedCamera> cameras_of(const CleanOptions& options, const fs::path& file,
                                          const core::GaussianScene& scene) {
  std::vector<core::PosedCamera> cameras;
  if (options.capture.empty()) return cameras;
  assets::CaptureOptions wanted;
  wanted.photos_required = false;
  core::Capture capture = assets::read_capture(options.capture, wanted);
  RunLog log(true);
  take_refined_poses(capture, options.capture, file, origin_of(scene), log);
  const Vec3<double> shift = origin_of(scene) - capture.origin_in_file;
  for (const core::CaptureView& view : capture.views) {
    cameras.push_back(shifted({view.camera, view.cam_from_world}, shift));
  }
  return cameras;
}

// Whether a place of the file's coordinates stays.
bool inside(const CleanOptions& o, Vec3<double> p) {
  const double place[3] = {p.x, p.y, p.z};
  double squared = 0;
  for (int a = 0; a < 3; ++a) {
    if (!o.box.empty() && !(place[a] >= o.box[a] && place[a] <= o.box[3 + a])) return false;
    if (!o.sphere.empty()) squared += (place[a] - o.sphere[a]) * (place[a] - o.sphere[a]);
  }
  return o.sphere.empty() || squared <= o.sphere[3] * o.sphere[3];
}

Cleaned clean(const CleanOptions& options, const core::GaussianScene& scene,
              std::span<const core::PosedCamera> cameras) {
  const core::GaussianCloud& cloud = scene.cloud;
  core::ThreadPool pool(options.threads);
  core::Array<uint8_t> gone(cloud.size(), uint8_t{0});
  Cleaned cleaned;
  cleaned.before = cloud.size();
  for (const RuleChoice& choice : options.rules) {
    const render::CleanRule& rule = *choice.rule;
    if (!choice.at || (rule.needs_cameras && cameras.empty())) continue;
    const core::Array<float> values = rule.values(cloud, cameras, pool);
    Removal removal = {std::string(rule.name), std::string(rule.what), choice.at};
    for (int64_t i = 0; i < cloud.size(); ++i) {
      if (!rule.removes(values[i], *choice.at)) continue;
      gone[i] = 1;
      ++removal.count;
    }
    cleaned.removals.push_back(std::move(removal));
  }
  if (!options.box.empty() || !options.sphere.empty()) {
    Removal removal = {"place", "outside of the box or the sphere", std::nullopt};
    const Vec3<double> origin = origin_of(scene);
    for (int64_t i = 0; i < cloud.size(); ++i) {
      if (inside(options, Vec3<double>{cloud.plane(core::kMeanPlane)[i],
                                       cloud.plane(core::kMeanPlane + 1)[i],
                                       cloud.plane(core::kMeanPlane + 2)[i]} +
                              origin)) {
        continue;
      }
      gone[i] = 1;
      ++removal.count;
    }
    cleaned.removals.push_back(std::move(removal));
  }
  for (int64_t i = 0; i < cloud.size(); ++i) {
    if (gone[i] == 0) cleaned.kept.push_back(i);
  }
  return cleaned;
}

std::string to_text(const Cleaned& cleaned) {
  std::string text;
  for (const Removal& removal : cleaned.removals) {
    const std::string at =
        removal.threshold ? fmt::format(" ({})", threshold_text(removal.threshold)) : "";
    text += fmt::format("  {:<10}{:>12}  {}{}\n", removal.name, count_text(removal.count),
                        removal.reason, at);
  }
  const auto kept = static_cast<int64_t>(cleaned.kept.size());
  const int64_t gone = cleaned.before - kept;
  text += fmt::format("  together  {:>12}  of {}: {:.2g} %\n", count_text(gone),
                      count_text(cleaned.before),
                      100.0 * static_cast<double>(gone) / static_cast<double>(cleaned.before));
  return text;
}

std::string to_json(const Cleaned& cleaned) {
  nlohmann::ordered_json rules = nlohmann::ordered_json::array();
  for (const Removal& removal : cleaned.removals) {
    nlohmann::ordered_json rule = {{"name", removal.name}, {"removed", removal.count}};
    if (removal.threshold) rule["threshold"] = *removal.threshold;
    rules.push_back(rule);
  }
  const nlohmann::ordered_json json = {
      {"before", cleaned.before}, {"after", cleaned.kept.size()}, {"rules", rules}};
  return json.dump();
}

}  // namespace

int run_clean(const std::vector<std::string>& arguments) {
  CleanOptions options;
  for (const render::CleanRule& rule : render::clean_rules()) {
    options.rules.push_back({&rule, rule.threshold});
  }
  core::OptionTable table("tessera clean", "Removes Gaussians that are astray from a scene.",
                          "tessera clean scene.ply -o clean.ply");
  bind(table, options);
  if (const auto help = table.parse(arguments)) {
    fmt::print("{}", *help);
    return kExitDone;
  }
  check(options);
  const fs::path file = scene_file(options.scene);
  core::GaussianScene scene = assets::read_scene(file);
  if (scene.cloud.size() == 0) throw core::IoError(file, "holds no Gaussians: nothing to clean");
  const std::vector<core::PosedCamera> cameras = cameras_of(options, file, scene);
  for (const RuleChoice& choice : options.rules) {
    if (cameras.empty() && choice.rule->needs_cameras && choice.at &&
        table.is_given(option_of(*choice.rule))) {
      throw core::UsageError(option_of(*choice.rule), "asks for cameras; give --capture");
    }
  }
  const Cleaned cleaned = clean(options, scene, cameras);
  if (!options.json) {
    for (const std::string& note : scene.notes) fmt::print("{}: {}\n", file.string(), note);
  }
  fmt::print("{}", options.json ? to_json(cleaned) + "\n" : to_text(cleaned));
  if (options.dry_run) return kExitDone;
  if (cleaned.kept.empty()) {
    throw core::UsageError("SCENE",
                           "all of its Gaussians would go, so nothing was written; give "
                           "thresholds that keep some");
  }
  if (cleaned.kept.size() < static_cast<size_t>(cleaned.before)) {
    scene.cloud = core::part_of(scene.cloud, cleaned.kept);
  }
  write_scene_output(options.output, scene, "-o", options.force);
  if (!options.json) fmt::print("{}", scene_output_text(options.output, scene));
  return kExitDone;
}

}  // namespace tessera::apps
