// `tessera steer OUT`: how far a training in another process is, and its pausing, saving and
// stopping.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "apps/command_table.h"
#include "apps/commands/progress.h"
#include "apps/live/live_training.h"
#include "apps/program.h"
#include "assets/io.h"
#include "core/error.h"
#include "core/options.h"
#include "core/timer.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

constexpr double kToGreet_s = 10;
constexpr double kToTellRanks_s = 2;
constexpr double kBetweenLines_s = 1;

struct SteerOptions {
  fs::path output;
  bool pause = false;
  bool resume = false;
  bool save = false;
  bool stop = false;
  bool status = false;
  bool follow = false;
  fs::path snapshot;
  bool force = false;
};

void bind(core::OptionTable& table, SteerOptions& o) {
  table.positional("OUT", o.output, "what the run was given as -o");
  table.flag("--status", o.status, "say how far it is; so without any option").common();
  table.flag("--follow", o.follow, "say so once a second until it ends").common();
  table.flag("--pause", o.pause, "no further step until --resume").common();
  table.flag("--resume", o.resume, "go on after --pause").common();
  table.flag("--save", o.save, "write scene and checkpoint now, and go on").common();
  table.flag("--stop", o.stop, "save and end, as Ctrl-C does").common();
  table.add("--snapshot", o.snapshot, "FILE", "write the scene as it is now to this file").common();
  table.flag("--force", o.force, "replace the file of --snapshot").common();
}

void check(const SteerOptions& o) {
  const int asked = static_cast<int>(o.pause) + static_cast<int>(o.resume) +
                    static_cast<int>(o.save) + static_cast<int>(o.stop) +
                    static_cast<int>(o.status) + static_cast<int>(o.follow) +
                    static_cast<int>(!o.snapshot.empty());
  if (asked > 1) {
    throw core::UsageError("tessera steer", "takes one wish at a time; give one of its options");
  }
  if (o.snapshot.empty()) return;
  assets::check_writable(o.snapshot, "--snapshot");
  if (fs::exists(o.snapshot) && !o.force) {
    throw core::UsageError("--snapshot", fmt::format("{} exists; give another name, or --force to "
                                                     "replace it",
                                                     o.snapshot.string()));
  }
}

std::string status_text(const LiveNews& news) {
  const LiveState& state = *news.state;
  std::string text = fmt::format("{}: step {} of {}", name_of(state.phase), count_text(state.step),
                                 count_text(state.steps));
  if (state.steps_per_second > 0) {
    text += fmt::format(
        " | {:.1f} /s, {} left", state.steps_per_second,
        duration_text(static_cast<double>(state.steps - state.step) / state.steps_per_second));
  }
  text += fmt::format(" | {} | loss {:.4f}", plural(state.gaussians, "Gaussian"), state.loss);
  if (!news.curves->tests.empty()) {
    const History::Test& test = news.curves->tests.back();
    text += fmt::format(" | PSNR {:.2f} dB at step {}", test.psnr, count_text(test.step));
  }
  text += fmt::format(" | {}", bytes_text(static_cast<double>(state.memory_bytes)));
  if (state.saved_at >= 0) text += fmt::format(" | saved at step {}", count_text(state.saved_at));
  return text + "\n";
}

std::string ranks_text(const std::vector<LiveRank>& ranks) {
  if (ranks.empty()) return "";
  std::string text = fmt::format("{:>6}{:>14}{:>12}{:>12}{:>12}\n", "rank", "Gaussians", "worked",
                                 "waited", "sent");
  for (size_t r = 0; r < ranks.size(); ++r) {
    text += fmt::format("{:>6}{:>14}{:>12}{:>12}{:>12}\n", r, count_text(ranks[r].gaussians),
                        duration_text(ranks[r].worked_s), duration_text(ranks[r].waited_s),
                        bytes_text(static_cast<double>(ranks[r].bytes_sent)));
  }
  return text;
}

bool has_ended(const LiveNews& news) {
  return !news.attached || (news.state && is_end(news.state->phase));
}

// The first news in which `met` holds, or the training has ended.
LiveNews wait_until(const LiveTraining& training, const std::function<bool(const LiveNews&)>& met) {
  LiveNews news = training.news();
  while (!has_ended(news) && !met(news)) news = training.wait(news.number, kBetweenLines_s);
  return news;
}

LiveNews greeting_of(const LiveTraining& training, const fs::path& output) {
  const core::Timer timer;
  LiveNews news = training.news();
  while (!news.state && news.trouble.empty() && timer.seconds() < kToGreet_s) {
    news = training.wait(news.number, kToGreet_s - timer.seconds());
  }
  if (!news.trouble.empty()) throw core::Error(news.trouble);
  if (!news.state) {
    throw core::Error(fmt::format("The training in {} does not answer.", output.string()));
  }
  return news;
}

void follow(const LiveTraining& training) {
  LiveNews news = training.news();
  while (!has_ended(news)) {
    fmt::print("{}", status_text(news));
    std::fflush(stdout);
    const core::Timer timer;
    while (!has_ended(news) && timer.seconds() < kBetweenLines_s) {
      news = training.wait(news.number, kBetweenLines_s - timer.seconds());
    }
  }
  fmt::print("{}", status_text(news));
}

// Having sent what was asked: waits until it is so.
LiveNews obeyed(LiveTraining& training, const SteerOptions& o) {
  const LiveState before = *training.news().state;
  if (o.pause) {
    training.send(LiveCommand::kPause);
    return wait_until(training,
                      [](const LiveNews& n) { return n.state->phase == LivePhase::kPaused; });
  }
  if (o.resume) {
    training.send(LiveCommand::kResume);
    return wait_until(training,
                      [](const LiveNews& n) { return n.state->phase != LivePhase::kPaused; });
  }
  if (o.save) {
    training.send(LiveCommand::kSave);
    return wait_until(training, [&](const LiveNews& n) { return n.state->saves > before.saves; });
  }
  if (o.stop) {
    training.send(LiveCommand::kStop);
    return wait_until(training, [](const LiveNews&) { return false; });
  }
  return wait_until(training, [timer = core::Timer()](const LiveNews& n) {
    const auto is_known = [](const LiveRank& rank) { return rank.worked_s > 0; };
    return std::all_of(n.ranks.begin(), n.ranks.end(), is_known) ||
           timer.seconds() > kToTellRanks_s;
  });
}

void write_snapshot(LiveTraining& training, const fs::path& file) {
  LiveSnapshotWish wish;
  wish.count = 1;
  wish.share = 1;
  wish.sh_degree = core::kMaxShDegree;
  training.wish(wish);
  const LiveNews news = wait_until(training, [](const LiveNews& n) { return n.scene != nullptr; });
  if (!news.scene) {
    throw core::Error("The training ended before it gave its scene, which stands in its folder.");
  }
  assets::write_scene(file, news.scene->scene);
  fmt::print("{}: {} of step {}\n", file.string(),
             plural(news.scene->scene.cloud.size(), "Gaussian"), count_text(news.scene->step));
}

}  // namespace

int run_steer(const std::vector<std::string>& arguments) {
  SteerOptions options;
  core::OptionTable table("tessera steer",
                          "Watches and steers a training that runs in another process.",
                          "tessera steer out/banana --pause");
  bind(table, options);
  if (const auto help = table.parse(arguments)) {
    fmt::print("{}", *help);
    return kExitDone;
  }
  check(options);
  if (!is_training(options.output)) {
    throw core::UsageError(
        "OUT", fmt::format("no training runs in {} now; tessera reconstruct --resume -o {} goes on "
                           "with one that was stopped",
                           options.output.string(), options.output.string()));
  }
  LiveTraining training(options.output);
  greeting_of(training, options.output);
  if (options.follow) {
    follow(training);
  } else if (!options.snapshot.empty()) {
    write_snapshot(training, options.snapshot);
  } else {
    const LiveNews news = obeyed(training, options);
    fmt::print("{}{}", status_text(news), ranks_text(news.ranks));
  }
  return kExitDone;
}

}  // namespace tessera::apps
