// SPDX-License-Identifier: MIT
#include "apps/commands/scene_share.h"

#include <algorithm>
#include <span>
#include <vector>

#include "core/error.h"
#include "models/gaussian/model.h"

namespace tessera::apps {
namespace {

constexpr int64_t kPieceRecords = 65536;

core::GaussianCloud read_piece(assets::SceneReader& scene, int64_t piece) {
  const int64_t first = piece * kPieceRecords;
  return scene.read(first, std::min(kPieceRecords, scene.count() - first));
}

// Collective: how many Gaussians of each piece can be used.
std::vector<int64_t> usable_by_piece(assets::SceneReader& scene, const models::Share& share,
                                     distributed::Communicator& ranks) {
  std::vector<int64_t> usable((scene.count() + kPieceRecords - 1) / kPieceRecords, 0);
  const models::IndexRange own = models::share_of(static_cast<int64_t>(usable.size()), share);
  for (int64_t p = own.begin; p < own.end; ++p) usable[p] = read_piece(scene, p).size();
  ranks.all_reduce("start", distributed::Reduction::kSum, std::span(usable));
  return usable;
}

void move_means(core::GaussianCloud& cloud, const double* from, math::Vec3<double> to) {
  const double shift[3] = {from[0] - to.x, from[1] - to.y, from[2] - to.z};
  for (int axis = 0; axis < 3; ++axis) {
    float* mean = cloud.plane(core::kMeanPlane + axis);
    for (int64_t i = 0; i < cloud.size(); ++i) mean[i] = static_cast<float>(mean[i] + shift[axis]);
  }
}

// `piece` becomes [first, first + its size) of `cloud`.
void copy_to(const core::GaussianCloud& piece, int64_t first, core::GaussianCloud& cloud) {
  for (int p = 0; p < cloud.parameters.plane_count(); ++p) {
    std::copy_n(piece.plane(p), piece.size(), cloud.plane(p) + first);
  }
  std::copy_n(piece.ids.begin(), piece.size(), cloud.ids.begin() + first);
}

}  // namespace

SceneShare read_scene_share(assets::SceneReader& scene, math::Vec3<double> origin,
                            const models::TrainSettings& settings,
                            distributed::Communicator& ranks) {
  const models::Share share = {ranks.rank(), ranks.size()};
  const std::vector<int64_t> usable = usable_by_piece(scene, share, ranks);
  SceneShare result;
  for (const int64_t count : usable) result.gaussians += count;
  const int64_t all = result.gaussians;
  if (all == 0) throw core::Error("The scene to start from holds no Gaussians.");
  const int64_t limit = settings.max_gaussians;
  const int64_t chosen = limit > 0 ? std::min(limit, all) : all;
  const models::IndexRange own = models::share_of(chosen, share);

  result.cloud = core::GaussianCloud(settings.sh_degree, own.end - own.begin);
  int64_t next = own.begin;  // of the chosen ones
  int64_t first = 0;         // Gaussian of the piece, among all
  for (size_t p = 0; p < usable.size() && next < own.end; first += usable[p++]) {
    // As core::evenly_spread chooses.
    std::vector<int64_t> places;
    const int64_t begin = next;
    for (; next < own.end && next * all / chosen < first + usable[p]; ++next) {
      places.push_back(next * all / chosen - first);
    }
    if (places.empty()) continue;
    core::GaussianCloud piece = read_piece(scene, static_cast<int64_t>(p));
    move_means(piece, scene.scene().origin_in_file, origin);
    for (int64_t i = 0; i < piece.size(); ++i) piece.ids[i] = static_cast<uint64_t>(first + i);
    copy_to(models::cloud_from_scene(piece, places, settings), begin - own.begin, result.cloud);
  }
  return result;
}

}  // namespace tessera::apps
