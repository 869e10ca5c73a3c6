// A rank's share of a scene that training starts from, read without holding all of it.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "assets/format.h"
#include "core/gaussian_cloud.h"
#include "core/math/vec.h"
#include "distributed/communicator.h"
#include "models/gaussian/settings.h"

namespace tessera::apps {

struct SceneShare {
  core::GaussianCloud cloud;  // this rank's
  int64_t gaussians = 0;      // of the scene
};

// Collective: of settings.max_gaussians evenly spread (0: of all) each rank gets a part, in order.
// Every rank looks at its part of the records to count what can be used, and then reads the pieces
// in which its Gaussians are. `origin`: of the coordinates that are wanted, as
// GaussianScene::origin_in_file. Throws core::Error if there are none.
SceneShare read_scene_share(assets::SceneReader& scene, math::Vec3<double> origin,
                            const models::TrainSettings& settings,
                            distributed::Communicator& ranks);

}  // namespace tessera::apps
