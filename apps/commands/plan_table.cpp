// SPDX-License-Identifier: MIT
#include "apps/commands/plan_table.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/commands/progress.h"

namespace tessera::apps {
namespace {

using Json = nlohmann::json;
using models::PlannedStep;
using models::RankPlanRow;
using models::StepEstimate;

// Of blocks every rank needs all photos. Else it decodes those of which it draws something, mostly
// of its own region: no fewer than its share, which is counted here.
int64_t photo_bytes(const PlanReport& report, const RankPlanRow& row, bool ours) {
  const bool shared = ours && row.partition != models::Partition::kBlocks;
  return report.decoded_photo_bytes / (shared ? row.ranks : 1);
}

int64_t memory_bytes(const PlanReport& report, const RankPlanRow& row, bool ours) {
  const StepEstimate& step = ours ? row.ours.step : row.rows->step;
  return step.state_bytes + step.message_bytes + step.tile_bytes + photo_bytes(report, row, ours);
}

double moved_share(const StepEstimate& step) {
  return step.routed > 0 ? static_cast<double>(step.moved) / static_cast<double>(step.routed) : 0;
}

std::string views_text(const RankPlanRow& row) {
  switch (row.partition) {
    case models::Partition::kWholeViews:
      return fmt::format("{} whole", row.batch);
    case models::Partition::kBalancedViews:
      return fmt::format("{} balanced", row.batch);
    case models::Partition::kBlocks:
      break;
  }
  return fmt::format("{} in {} blocks", row.batch, row.ranks);
}

constexpr const char* kRowFormat =
    "{:>5}  {:<18}{:>11}{:>10}{:>7}{:>10}{:>10}{:>11}{:>11}{:>11}{:>12}\n";

std::string line(const std::string& ranks, const std::string& views, const PlannedStep& planned,
                 int64_t memory) {
  const StepEstimate& step = planned.step;
  const auto ms = [](double seconds) { return fmt::format("{:.1f} ms", 1e3 * seconds); };
  return fmt::format(
      kRowFormat, ranks, views, bytes_text(static_cast<double>(step.busiest_bytes_sent)),
      bytes_text(static_cast<double>(step.bytes_sent)),
      fmt::format("{:.0f} %", 100 * moved_share(step)), count_text(step.busiest_messages),
      bytes_text(static_cast<double>(memory)), ms(step.compute_s), ms(step.step_s - step.compute_s),
      ms(step.step_s), fmt::format("{:.0f} %", 100 * planned.efficiency));
}

std::string assumptions(const PlanReport& report) {
  const models::StepModel& model = report.request.model;
  const models::WorkRates& rates = report.plan.rates;
  std::string text = fmt::format(
      "This is a model, not a measurement.\n"
      "- Splats and messages are counted: steps of a run from this scene are replayed with the "
      "cuts\n"
      "  of the trainer, {} to {} for each number of ranks. Bytes sent are those of a step's "
      "pass.\n",
      report.plan.rows.back().steps, report.plan.rows.front().steps);
  if (report.gaussians > report.cloud_gaussians) {
    text += fmt::format(
        "- Each of the {} Gaussians at hand stands for {:.3g} smaller ones, and counts are "
        "scaled.\n",
        count_text(report.cloud_gaussians),
        static_cast<double>(report.gaussians) / static_cast<double>(report.cloud_gaussians));
  }
  text += fmt::format(
      "- Work is timed in processor time of one core here: a visible Gaussian {:.0f} ns, another "
      "one "
      "{:.1f},\n"
      "  a splat {:.0f}, its tile {:.0f}, a pixel that it covers {:.2f}, a pixel's loss {:.0f}, a "
      "step of the\n"
      "  optimizer {:.0f} ns a Gaussian. A rank has {:g} core{} (--cores), taken to be as many "
      "times as fast.\n",
      1e9 * rates.visible, 1e9 * rates.owned, 1e9 * rates.drawn, 1e9 * rates.tile_pair,
      1e9 * rates.evaluated, 1e9 * rates.pixel, 1e9 * rates.updated, model.cores,
      model.cores == 1 ? "" : "s");
  text += fmt::format(
      "- A rank sends {:g} GB/s (--bandwidth) and needs {:g} us a message (--latency), whatever "
      "others\n"
      "  send. {}\n",
      1e-9 * model.bytes_per_second, 1e6 * model.latency_s,
      model.overlap ? "Messages of a round are hidden as far as another round is being drawn."
                    : "Nothing is hidden (--overlap off).");
  text +=
      "- Each round waits for its slowest rank. Densification, saving and measuring are left out.\n"
      "- Memory: parameters, gradient and moments of the rank that owns most, messages under way, "
      "tiles,\n"
      "  and decoded photos; the program, its pictures and spare room come on top. Efficiency: the "
      "time of one rank alone, by ranks times that of the "
      "step.\n"
      "- \"rows\": Gaussians owned at random, and the tile rows of all views cut into one part for "
      "each\n"
      "  rank (Zhao et al. 2024), by the costs of the very step; float32, nothing hidden; its "
      "loss\n"
      "  across the cuts, which is not exact, costs nothing. A mark to measure by, not an option: "
      "no\n"
      "  run knows the costs of a step before it.\n";
  return text + "Again: " + report.command + "\n";
}

Json json_of(const PlannedStep& planned, int64_t memory) {
  const StepEstimate& step = planned.step;
  return {{"busiest_bytes_sent", step.busiest_bytes_sent},
          {"bytes_sent", step.bytes_sent},
          {"messages", step.busiest_messages},
          {"moved_share", moved_share(step)},
          {"state_bytes", step.state_bytes},
          {"message_bytes", step.message_bytes},
          {"tile_bytes", step.tile_bytes},
          {"memory_bytes", memory},
          {"compute_seconds", step.compute_s},
          {"exchange_seconds", step.exchange_s},
          {"step_seconds", step.step_s},
          {"efficiency", planned.efficiency}};
}

}  // namespace

std::string to_text(const PlanReport& report) {
  std::string text = report.source + "\n\n";
  text += fmt::format(kRowFormat, "ranks", "views a step", "busiest", "bytes", "moved", "messages",
                      "memory", "compute", "exchange", "step", "efficiency");
  text += fmt::format(kRowFormat, "", "", "sends", "sent", "", "of one", "of one", "", "not hidden",
                      "", "");
  for (const RankPlanRow& row : report.plan.rows) {
    text +=
        line(std::to_string(row.ranks), views_text(row), row.ours, memory_bytes(report, row, true));
    if (row.rows) {
      text += line("", "  rows", *row.rows, memory_bytes(report, row, false));
    } else {
      text += fmt::format("{:>5}  {:<18}fewer rows of tiles than ranks\n", "", "  rows");
    }
  }
  return text + "\n" + assumptions(report);
}

std::string to_json(const PlanReport& report) {
  const models::StepModel& model = report.request.model;
  const models::WorkRates& rates = report.plan.rates;
  Json json = {{"is_model", true},
               {"gaussians", report.gaussians},
               {"gaussians_replayed", report.cloud_gaussians},
               {"message_precision", report.request.settings.message_precision},
               {"bandwidth_bytes_per_second", model.bytes_per_second},
               {"latency_seconds", model.latency_s},
               {"cores", model.cores},
               {"overlap", model.overlap},
               {"seconds_of_one_core",
                {{"owned", rates.owned},
                 {"visible", rates.visible},
                 {"drawn", rates.drawn},
                 {"tile_pair", rates.tile_pair},
                 {"evaluated", rates.evaluated},
                 {"pixel", rates.pixel},
                 {"updated", rates.updated}}},
               {"rows", Json::array()}};
  for (const RankPlanRow& row : report.plan.rows) {
    Json entry = json_of(row.ours, memory_bytes(report, row, true));
    entry["ranks"] = row.ranks;
    entry["batch"] = row.batch;
    entry["partition"] = models::name_of(row.partition);
    entry["steps_replayed"] = row.steps;
    entry["alone_seconds"] = row.alone_s;
    entry["tile_rows"] =
        row.rows ? json_of(*row.rows, memory_bytes(report, row, false)) : Json(nullptr);
    json["rows"].push_back(std::move(entry));
  }
  return json.dump(2);
}

}  // namespace tessera::apps
