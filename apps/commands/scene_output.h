// A scene that a command writes for the user: what is refused before any work is done, and what is
// said afterwards.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "core/gaussian_cloud.h"

namespace tessera::apps {

// All throw core::UsageError; `option` is what the output was given by.

// An output that exists, and above all the input itself, is replaced only by force.
void check_replaced(const std::filesystem::path& input, const std::filesystem::path& output,
                    const std::string& option, bool force);
// Whether a scene can be written there at all.
void check_scene_output(const std::filesystem::path& input, const std::filesystem::path& output,
                        const std::string& option, bool force);

// Whole or not at all, with the offset of far coordinates beside it.
void write_scene_output(const std::filesystem::path& output, const core::GaussianScene& scene,
                        const std::string& option, bool force);
// Lines about what was written: its size, what the format could not hold.
std::string scene_output_text(const std::filesystem::path& output,
                              const core::GaussianScene& scene);

}  // namespace tessera::apps
