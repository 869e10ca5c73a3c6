// `tessera-neural train-refiner`: teaches a refiner of multiplane images on photos with depth.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "apps/commands/interrupt.h"
#include "apps/commands/run_log.h"
#include "apps/neural/command_table.h"
#include "assets/depth.h"
#include "assets/photos/image_io.h"
#include "assets/safetensors.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/lower_case.h"
#include "core/options.h"
#include "core/thread_pool.h"
#include "models/multiplane/depth_meaning.h"
#include "models/multiplane/refiner/trainer.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

constexpr int kCheckEvery = 100;      // steps
constexpr double kShownDecay = 0.98;  // of the losses that are shown: a mean over some fifty steps

struct TrainRefinerOptions {
  std::vector<fs::path> folders;
  fs::path output;
  models::RefinerSettings training;
  bool resume = false;
  bool force = false;
  bool quiet = false;
  int threads = 0;
};

void bind(core::OptionTable& table, TrainRefinerOptions& o) {
  table.positional("FOLDER...", o.folders,
                   "photos, and depth/NAME of each, as render --depth writes them");
  table.add("-o, --output", o.output, "FILE", "x.safetensors: the weights").required().common();
  table.add("-n, --steps", o.training.steps, "N", "in all, those before --resume included")
      .range(1, 1e6)
      .common();
  table.add("--rate", o.training.rate, "X", "of Adam at the start").range(1e-6, 1);
  table.add("--side", o.training.side, "PIXELS", "of the pieces that are looked at")
      .range(64, 4096);
  table.add("--patches", o.training.patches, "N", "of layers that are refined in a step")
      .range(1, 4096);
  table.add("--seed", o.training.seed, "N", "of what is drawn by chance");
  table.flag("--resume", o.resume, "go on from the checkpoint beside the output").common();
  table.add("--threads", o.threads, "N", "0: one per core").range(0, 1024);
  table.flag("--force", o.force, "replace an output that exists");
  table.flag("--quiet", o.quiet, "nothing but warnings and errors");
}

// What `tessera render` writes beside the pictures.
constexpr const char* kDepthFolder = "depth";
constexpr const char* kOtherFolders[] = {"depth_preview", "normals"};

// The depth of folder/NAME.jpg is folder/depth/NAME.*.
fs::path depth_of(const fs::path& photo, const fs::path& folder) {
  const fs::path place = folder / kDepthFolder / fs::relative(photo, folder).parent_path();
  if (fs::is_directory(place)) {
    for (const auto& entry : fs::directory_iterator(place)) {
      if (entry.path().stem() == photo.stem()) return entry.path();
    }
  }
  throw core::IoError(
      photo, fmt::format("has no depth: {} is missing", (place / photo.stem()).string() + ".*"));
}

models::TrainingPhoto read_photo(const fs::path& path, const fs::path& folder) {
  models::TrainingPhoto photo;
  photo.color = assets::to_image8(assets::over_background(assets::read_image(path), {0, 0, 0}));
  core::ImageF depth = assets::read_depth(depth_of(path, folder)).values;
  if (depth.width != photo.color.width || depth.height != photo.color.height) {
    depth = models::resized_depth(depth, photo.color.width, photo.color.height);
  }
  if (std::ranges::none_of(depth.data, [](float value) { return value > 0; })) {
    throw core::IoError(path, "has no depth above zero");
  }
  for (float& value : depth.data) value = value > 0 ? 1 / value : 0;
  photo.inverse_depth = std::move(depth);
  return photo;
}

std::vector<fs::path> photos_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::end(entry); ++entry) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory() &&
        (name == kDepthFolder || std::ranges::count(kOtherFolders, name) > 0)) {
      entry.disable_recursion_pending();
    }
    const std::string extension = core::lower_case(entry->path().extension().string());
    if (extension == ".png" || extension == ".jpg" || extension == ".jpeg") {
      paths.push_back(entry->path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<models::TrainingPhoto> read_photos(const std::vector<fs::path>& folders) {
  std::vector<models::TrainingPhoto> photos;
  for (const fs::path& folder : folders) {
    if (!fs::is_directory(folder)) {
      throw core::IoError(folder, "is no folder of photos with depth");
    }
    const std::vector<fs::path> paths = photos_in(folder);
    if (paths.empty()) throw core::IoError(folder, "holds no photos (PNG or JPEG)");
    for (const fs::path& path : paths) photos.push_back(read_photo(path, folder));
  }
  return photos;
}

fs::path checkpoint_of(const fs::path& output) {
  fs::path path = output;
  return path.replace_extension(".checkpoint.safetensors");
}

void check_output(const TrainRefinerOptions& options) {
  if (options.output.extension() != ".safetensors") {
    throw core::UsageError("--output", "weights are written as x.safetensors");
  }
  if (!options.force && !options.resume) {
    for (const fs::path& path : {options.output, checkpoint_of(options.output)}) {
      if (fs::exists(path)) {
        throw core::UsageError("--output", fmt::format("{} exists; --resume goes on, --force "
                                                       "replaces it",
                                                       path.string()));
      }
    }
  }
  core::check_file_can_be_written(options.output);
}

// The mean of the last steps' losses.
struct ShownLoss {
  double refined = 0;
  double plain = 0;
  double weight = 0;

  void add(const models::RefinerLoss& loss) {
    refined = kShownDecay * refined + loss.refined;
    plain = kShownDecay * plain + loss.plain;
    weight = kShownDecay * weight + 1;
  }
  models::RefinerLoss mean() const { return {refined / weight, plain / weight}; }
};

// A loss, and how it stands to the one without the network.
std::string gain_text(const models::RefinerLoss& loss) {
  return fmt::format("{:.5f}, {:+.2f} % of the plain one's", loss.refined,
                     100 * (loss.refined / loss.plain - 1));
}

void train(const TrainRefinerOptions& options, models::RefinerTrainer& trainer, RunLog& log) {
  const int total = options.training.steps;
  const auto save = [&] {
    core::TensorMap weights = trainer.best_weights();
    weights.metadata["steps"] = std::to_string(trainer.steps_done());
    weights.metadata["seed"] = std::to_string(options.training.seed);
    assets::write_safetensors(options.output, weights);
    assets::write_safetensors(checkpoint_of(options.output), trainer.state());
  };
  const InterruptGuard interrupt;
  const std::unique_ptr<Progress> progress = log.progress("step", trainer.steps_done(), total);
  log.set_bar(progress.get());
  ShownLoss shown;
  while (trainer.steps_done() < total) {
    shown.add(trainer.step());
    progress->update(trainer.steps_done(), "loss " + gain_text(shown.mean()));
    const int done = trainer.steps_done();
    const bool stop = interrupt.requested() && done < total;
    if (done == total || done % kCheckEvery == 0) {
      log.info("Held out after {}: loss {}", plural(done, "step"), gain_text(trainer.check()));
    }
    if (stop || done % kCheckEvery == 0) save();
    if (!stop) continue;
    log.set_bar(nullptr);
    throw core::Interrupted(
        fmt::format("Stopped after {} of {} steps; the same command with "
                    "--resume goes on.",
                    done, total));
  }
  log.set_bar(nullptr);
  save();
}

}  // namespace

int run_train_refiner(const std::vector<std::string>& arguments) {
  TrainRefinerOptions options;
  core::OptionTable table("tessera-neural train-refiner",
                          "Teaches a refiner of multiplane images on photos with depth.",
                          "tessera-neural train-refiner views/fox -o refiner.safetensors");
  bind(table, options);
  if (const std::optional<std::string> help = table.parse(arguments)) {
    std::fputs(help->c_str(), stdout);
    return kExitDone;
  }
  RunLog log(options.quiet);
  const core::Timer timer;
  check_output(options);
  core::ThreadPool pool(options.threads);
  std::vector<models::TrainingPhoto> photos = read_photos(options.folders);
  const std::string count = plural(static_cast<int64_t>(photos.size()), "photo");
  models::RefinerTrainer trainer(std::move(photos), options.training, pool);
  if (options.resume) trainer.resume(assets::read_safetensors(checkpoint_of(options.output)));
  log.info("{} with depth; steps {} to {} on {}", count, trainer.steps_done() + 1,
           options.training.steps, plural(pool.thread_count(), "thread"));
  train(options, trainer, log);
  log.info("Wrote {} in {}", options.output.string(), duration_text(timer.seconds()));
  return kExitDone;
}

}  // namespace tessera::apps
