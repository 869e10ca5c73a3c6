// SPDX-License-Identifier: MIT
#include "models/gaussian/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/error.h"

namespace tessera::models {
namespace {

// The one list of fields: calls visit(name, field) for each.
template <class Settings, class Visit>
void for_each_field(Settings& s, const Visit& visit) {
  visit("iterations", s.iterations);
  visit("batch", s.batch);
  visit("seed", s.seed);
  visit("rasterizer", s.rasterizer);
  visit("strategy", s.strategy);
  visit("max_gaussians", s.max_gaussians);
  visit("init_points", s.init_points);
  visit("checkpoint_every", s.checkpoint_every);
  visit("background", s.background);
  visit("random_background", s.random_background);
  visit("message_precision", s.message_precision);
  visit("partition", s.partition);
  visit("overlap", s.overlap);
  visit("sh_degree", s.sh_degree);
  visit("antialiasing", s.antialiasing);
  visit("near_plane", s.near_plane);
  visit("ssim_weight", s.ssim_weight);
  visit("depth_weight", s.depth_weight);
  visit("opacity_regularizer", s.opacity_regularizer);
  visit("scale_regularizer", s.scale_regularizer);
  visit("position_rate", s.position_rate);
  visit("position_rate_final", s.position_rate_final);
  visit("sh_rate", s.sh_rate);
  visit("sh_rest_divisor", s.sh_rest_divisor);
  visit("opacity_rate", s.opacity_rate);
  visit("scale_rate", s.scale_rate);
  visit("rotation_rate", s.rotation_rate);
  visit("adam_epsilon", s.adam_epsilon);
  visit("visible_adam", s.visible_adam);
  visit("sh_interval", s.sh_interval);
  visit("sh_start_degree", s.sh_start_degree);
  visit("densify_from", s.densify_from);
  visit("densify_until", s.densify_until);
  visit("densify_interval", s.densify_interval);
  visit("absgrad", s.absgrad);
  visit("densify_gradient", s.densify_gradient);
  visit("clone_extent", s.clone_extent);
  visit("split_divisor", s.split_divisor);
  visit("prune_opacity", s.prune_opacity);
  visit("prune_extent", s.prune_extent);
  visit("opacity_reset_interval", s.opacity_reset_interval);
  visit("opacity_after_reset", s.opacity_after_reset);
  visit("mcmc_noise", s.mcmc_noise);
  visit("mcmc_growth", s.mcmc_growth);
  visit("exposure", s.exposure);
  visit("pose_opt", s.pose_opt);
}

void require(bool holds, const char* option, const std::string& what) {
  if (!holds) throw core::UsageError(option, what);
}

void require_positive(float value, const char* option) {
  require(std::isfinite(value) && value > 0, option,
          fmt::format("must be a positive number, not {}", value));
}

}  // namespace

void check(const TrainSettings& s) {
  // 2^24 steps are what the random numbers' counter holds.
  require(s.iterations >= 1 && s.iterations < (int64_t{1} << 24), "--iterations",
          fmt::format("must be between 1 and 16777215, not {}", s.iterations));
  require(s.batch >= 1 && s.batch <= 1024, "--batch",
          fmt::format("must be between 1 and 1024, not {}", s.batch));
  constexpr std::string_view kPartitions[] = {"auto", "views", "balanced", "blocks"};
  require(std::find(std::begin(kPartitions), std::end(kPartitions), s.partition) !=
              std::end(kPartitions),
          "--partition",
          fmt::format("must be auto, views, balanced or blocks, not {}", s.partition));
  require(s.max_gaussians >= 0, "--max-gaussians", "must not be negative");
  require(s.sh_degree >= 0 && s.sh_degree <= 4, "--sh-degree",
          fmt::format("must be between 0 and 4, not {}", s.sh_degree));
  require(s.sh_start_degree >= 0 && s.sh_start_degree <= s.sh_degree, "sh_start_degree",
          "must be between 0 and the SH degree");
  require(s.ssim_weight >= 0 && s.ssim_weight <= 1, "--ssim-weight",
          fmt::format("must be between 0 and 1, not {}", s.ssim_weight));
  require(std::isfinite(s.depth_weight) && s.depth_weight >= 0, "--depth-weight",
          fmt::format("must be 0 or a positive number, not {}", s.depth_weight));
  require_positive(s.near_plane, "--near");
  for (const float channel : s.background) {
    require(channel >= 0 && channel <= 1, "--background", "must have channels between 0 and 1");
  }
  require_positive(s.position_rate, "position_rate");
  if (s.position_rate_final != -1) require_positive(s.position_rate_final, "position_rate_final");
  require_positive(s.sh_rate, "sh_rate");
  if (s.sh_rest_divisor != -1) require_positive(s.sh_rest_divisor, "sh_rest_divisor");
  require_positive(s.opacity_rate, "opacity_rate");
  require_positive(s.scale_rate, "scale_rate");
  require_positive(s.rotation_rate, "rotation_rate");
  require_positive(s.adam_epsilon, "adam_epsilon");
  require_positive(s.split_divisor, "split_divisor");
  require(s.sh_interval >= 1, "sh_interval", "must be at least 1");
  require(s.densify_interval >= 1, "densify_interval", "must be at least 1");
  require(s.opacity_reset_interval >= 0, "opacity_reset_interval", "must not be negative");
  require(s.checkpoint_every >= 0, "--checkpoint-every", "must not be negative");
}

std::string to_json(const TrainSettings& settings) {
  nlohmann::ordered_json json;
  for_each_field(settings, [&](const char* name, const auto& field) { json[name] = field; });
  return json.dump(2);
}

TrainSettings settings_from_json(const std::string& text, const TrainSettings& defaults) {
  TrainSettings settings = defaults;
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  require(json.is_object(), "settings", "are no JSON object");
  std::set<std::string> known;
  for_each_field(settings, [&](const char* name, auto& field) {
    known.insert(name);
    const auto found = json.find(name);
    if (found == json.end()) return;
    try {
      found->get_to(field);
    } catch (const nlohmann::json::exception& error) {
      throw core::UsageError(name, fmt::format("has a value of the wrong type: {}", found->dump()));
    }
  });
  for (const auto& item : json.items()) {
    require(known.contains(item.key()), item.key().c_str(), "is no setting of this version");
  }
  return settings;
}

}  // namespace tessera::models
