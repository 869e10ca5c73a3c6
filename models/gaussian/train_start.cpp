// SPDX-License-Identifier: MIT
#include "models/gaussian/train_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/error.h"
#include "models/gaussian/common_view.h"
#include "models/gaussian/model.h"

namespace tessera::models {

Checkpoint beginning(const TrainSettings& settings, core::GaussianCloud&& start,
                     const core::PhotoSource& photos, const std::vector<int>& views,
                     distributed::Communicator& ranks) {
  check(settings);
  if (views.empty()) throw core::Error("There are no photos to train on.");
  const int64_t total = ranks.all_reduce("start", distributed::Reduction::kSum, start.size());
  if (total == 0) throw core::Error("There are no Gaussians to start from.");
  Checkpoint checkpoint;
  const std::vector<core::PosedCamera> cameras = cameras_of(photos, views);
  checkpoint.info.scene_extent = scene_extent(cameras);
  checkpoint.info.settings = settings;
  checkpoint.info.settings.max_gaussians = gaussian_budget(settings, cameras, total);
  const int64_t used =
      ranks.all_reduce("start", distributed::Reduction::kMax, int64_t{used_sh_degree(start)});
  checkpoint.info.settings.sh_start_degree =
      std::max(settings.sh_start_degree, static_cast<int>(used));
  GaussianState& state = checkpoint.gaussians;
  const int planes = start.parameters.plane_count();
  state.first_moments.reset(planes, start.size());
  state.second_moments.reset(planes, start.size());
  state.cloud = std::move(start);
  return checkpoint;
}

Checkpoint continued(const std::filesystem::path& path, int64_t iterations,
                     const core::PhotoSource& photos, const std::vector<int>& views,
                     const distributed::Communicator& ranks) {
  Checkpoint checkpoint = read_checkpoint(path, ranks.rank(), ranks.size());
  const std::vector<std::string>& saved = checkpoint.info.photos;
  bool same = saved.size() == views.size();
  for (size_t i = 0; same && i < views.size(); ++i) same = photos.name(views[i]) == saved[i];
  if (!same) {
    throw core::UsageError(
        "--resume", fmt::format("the checkpoint was trained on {} photos that are not the {} of "
                                "this capture; give the capture and options of that run.",
                                saved.size(), views.size()));
  }
  if (iterations > 0) checkpoint.info.settings.iterations = iterations;
  check(checkpoint.info.settings);
  return checkpoint;
}

}  // namespace tessera::models
