// The file NAME_offset.xyz beside a scene: what float32 coordinates are relative to. Formats that
// cannot hold an origin themselves are read with it.
//
// One line of three numbers, as photogrammetry programs write it. It belongs to the scene that was
// written last under that name.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>

#include "core/gaussian_cloud.h"

namespace tessera::assets {

std::filesystem::path sidecar_path(const std::filesystem::path& scene_path);

using Origin = std::span<const double, 3>;  // GaussianScene::origin_in_file

bool has_origin(Origin origin);

// Adds the sidecar's origin to the scene's, with a note; without a sidecar nothing changes. Throws
// IoError naming the sidecar if it does not hold three numbers.
void apply_sidecar(const std::filesystem::path& scene_path, core::GaussianScene& scene);

// Whether the sidecar is there and is what write_sidecar would write.
bool sidecar_holds(const std::filesystem::path& scene_path, Origin origin);

void write_sidecar(const std::filesystem::path& scene_path, Origin origin);

// Whether a sidecar is there that write_sidecar wrote. Throws IoError if it is of others, which is
// not ours to replace or remove.
bool has_own_sidecar(const std::filesystem::path& scene_path);

}  // namespace tessera::assets
