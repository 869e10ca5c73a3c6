// SPDX-License-Identifier: MIT
#include "apps/commands/run_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/commands/machine.h"
#include "apps/program.h"
#include "assets/versions.h"
#include "core/error.h"
#include "core/file_io.h"

namespace tessera::apps {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMaxHistoryBytes = 64 << 20;

void write_json(const std::filesystem::path& path, const Json& json) {
  core::write_file_atomically(path,
                              json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Json machine_json() {
  const Machine machine = this_machine();
  return {{"processor", machine.processor},
          {"cores", machine.cores},
          {"memory_bytes", machine.memory_bytes},
          {"system", machine.system}};
}

Json versions_json() {
  Json versions = {{"tessera", version()}};
  for (const auto& [name, number] : assets::library_versions()) versions[name] = number;
  return versions;
}

Json figures_json(const RunFigures& figures) {
  Json json = {{"steps", figures.steps},
               {"gaussians", figures.gaussians},
               {"train_photos", figures.train_photos},
               {"test_photos", figures.test_photos},
               {"training_seconds", figures.training_seconds},
               {"wall_seconds", figures.wall_seconds},
               {"processor_seconds", figures.processor_seconds},
               {"peak_memory_bytes", figures.peak_memory_bytes}};
  if (figures.eval) {
    json["psnr"] = figures.eval->psnr;
    json["ssim"] = figures.eval->ssim;
    if (figures.eval->ms_ssim) json["ms_ssim"] = *figures.eval->ms_ssim;
  }
  return json;
}

}  // namespace

void write_history(const std::filesystem::path& path, const History& history) {
  Json samples = Json::array();
  for (const History::Sample& s : history.samples) {
    samples.push_back({s.step, s.loss, s.gaussians, s.seconds});
  }
  Json tests = Json::array();
  for (const History::Test& t : history.tests) tests.push_back({t.step, t.psnr, t.ssim});
  const Json json = {{"sample_columns", {"step", "loss", "gaussians", "seconds"}},
                     {"samples", samples},
                     {"test_columns", {"step", "psnr", "ssim"}},
                     {"tests", tests}};
  core::write_file_atomically(path, json.dump() + "\n");
}

History read_history(const std::filesystem::path& path, int64_t step) {
  History history;
  if (!std::filesystem::exists(path)) return history;
  try {
    const Json json = Json::parse(core::read_text_file(path, kMaxHistoryBytes));
    for (const Json& s : json.at("samples")) {
      if (s.at(0).get<int64_t>() > step) continue;
      history.samples.push_back(
          {s.at(0), s.at(1).is_null() ? 0 : s.at(1).get<double>(), s.at(2), s.at(3)});
    }
    for (const Json& t : json.at("tests")) {
      if (t.at(0).get<int64_t>() <= step) history.tests.push_back({t.at(0), t.at(1), t.at(2)});
    }
  } catch (const Json::exception& error) {
    throw core::IoError(path,
                        fmt::format("it is no run's history ({}); remove it to resume without "
                                    "the curves so far",
                                    error.what()));
  }
  return history;
}

void write_run_record(const std::filesystem::path& path, const std::string& settings,
                      const std::string& command, const std::optional<RunFigures>& figures) {
  Json json = {{"program", "tessera reconstruct"},
               {"written", utc_time_text()},
               {"command", command},
               {"settings", Json::parse(settings)},
               {"versions", versions_json()},
               {"machine", machine_json()}};
  if (figures) json["figures"] = figures_json(*figures);
  write_json(path, json);
}

void write_results(const std::filesystem::path& folder, int64_t steps, const EvalFigures& eval) {
  const std::string method = fmt::format("ours_{}", steps);
  Json mean = {{"SSIM", eval.ssim}, {"PSNR", eval.psnr}};
  if (eval.ms_ssim) mean["MS-SSIM"] = *eval.ms_ssim;
  write_json(folder / "results.json", {{method, mean}});
  Json ssim = Json::object();
  Json psnr = Json::object();
  Json ms_ssim = Json::object();
  for (const ViewFigures& view : eval.views) {
    if (view.counted_pixels == 0) continue;
    ssim[view.name] = view.ssim;
    psnr[view.name] = view.psnr;
    if (view.ms_ssim) ms_ssim[view.name] = *view.ms_ssim;
  }
  Json per_view = {{"SSIM", ssim}, {"PSNR", psnr}};
  if (!ms_ssim.empty()) per_view["MS-SSIM"] = ms_ssim;
  write_json(folder / "per_view.json", {{method, per_view}});
}

}  // namespace tessera::apps
