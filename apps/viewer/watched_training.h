// A training as the viewer watches it, by the socket in its folder.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>

#include "viewer/training/training.h"

namespace tessera::apps {

std::unique_ptr<viewer::Training> watched_training(const std::filesystem::path& output);

}  // namespace tessera::apps
