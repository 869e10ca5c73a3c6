// The readers and writers that the table in assets/formats.cpp names, one group a file.
// SPDX-License-Identifier: MIT
#pragma once

#include "assets/bytes.h"
#include "assets/format.h"

namespace tessera::assets {

bool probe_ply(Bytes bytes);
SceneFile read_ply(Bytes bytes, const std::filesystem::path& path);
std::unique_ptr<SceneReader> open_ply(const std::filesystem::path& path);
std::unique_ptr<FormatWriter> write_ply(const std::filesystem::path& path,
                                        const core::GaussianScene& scene, int64_t count);
std::vector<std::string> ply_losses(const core::GaussianScene& scene);

SceneFile read_splat(Bytes bytes, const std::filesystem::path& path);
std::unique_ptr<FormatWriter> write_splat(const std::filesystem::path& path,
                                          const core::GaussianScene& scene, int64_t count);
std::vector<std::string> splat_losses(const core::GaussianScene& scene);

}  // namespace tessera::assets
