// `tessera-neural refine`: a multiplane image of one photo, refined by a trained network.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <filesystem>

#include "apps/commands/run_log.h"
#include "apps/neural/command_table.h"
#include "assets/multiplane_io.h"
#include "assets/safetensors.h"
#include "core/error.h"
#include "core/options.h"
#include "core/thread_pool.h"
#include "models/multiplane/refiner/refine.h"

namespace tessera::apps {

int run_refine(const std::vector<std::string>& arguments) {
  std::filesystem::path input;
  std::filesystem::path weights;
  std::filesystem::path output;
  int threads = 0;
  bool force = false;
  bool quiet = false;
  core::OptionTable table(
      "tessera-neural refine", "Refines a multiplane image of one photo by a trained network.",
      "tessera-neural refine scene.tmpi --refiner refiner.safetensors -o refined.tmpi");
  table.positional("IN", input, "a multiplane image");
  table.add("--refiner", weights, "FILE", "weights that train-refiner wrote").required().common();
  table.add("-o, --output", output, "OUT", "the refined one; its extension tells the format")
      .required()
      .common();
  table.add("--threads", threads, "N", "0: one per core").range(0, 1024);
  table.flag("--force", force, "replace an output that exists").common();
  table.flag("--quiet", quiet, "nothing but warnings and errors");
  if (const std::optional<std::string> help = table.parse(arguments)) {
    std::fputs(help->c_str(), stdout);
    return kExitDone;
  }
  RunLog log(quiet);
  const core::Timer timer;
  assets::check_multiplane_writable(output, "--output");
  if (!force && std::filesystem::exists(output)) {
    throw core::UsageError("--output", output.string() + " exists; --force replaces it");
  }
  const core::TensorMap map = assets::read_safetensors(weights);
  const core::MultiplaneImage image = assets::read_multiplane(input);
  core::ThreadPool pool(threads);
  std::unique_ptr<Progress> progress;
  const core::MultiplaneImage refined =
      models::refined_multiplane(image, map, pool, [&](int64_t done, int64_t total) {
        if (!progress) {
          progress = log.progress("patch", 0, total);
          log.set_bar(progress.get());
        }
        progress->update(done, "");
      });
  log.set_bar(nullptr);
  assets::write_multiplane(output, refined);
  log.info("Wrote {} in {}", output.string(), duration_text(timer.seconds()));
  return kExitDone;
}

}  // namespace tessera::apps
