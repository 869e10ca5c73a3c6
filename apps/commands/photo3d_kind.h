// The kinds of input that `tessera photo3d` takes, and the options that each has a use for.
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/commands/photo3d_options.h"
#include "core/options.h"

namespace tessera::apps {

enum class Photo3dKind : unsigned {
  kDepthMap = 1,      // a photo with a depth map
  kNetwork = 2,       // a photo whose depth a network gives
  kPair = 4,          // a rectified stereo pair
  kScene = 8,         // a view of a Gaussian scene
  kCapture = 16,      // several posed photos
  kClip = 32,         // frames of a camera that stands still, with one depth map or one each
  kNetworkClip = 64,  // the same, whose depth a network gives
};

// Throws core::UsageError for inputs that do not go together, or give no depth, core::IoError for
// one that is not there.
Photo3dKind kind_of_input(const Photo3dOptions& options);

// Throws core::UsageError for an option that was given and that this kind of input, or an output
// without a film, has no use for.
void refuse_other_options(const core::OptionTable& table, const Photo3dOptions& options,
                          Photo3dKind kind);

}  // namespace tessera::apps
