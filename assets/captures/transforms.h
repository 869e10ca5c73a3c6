// nerfstudio's and instant-ngp's `transforms.json`, and Blender's `transforms_train.json`.
// SPDX-License-Identifier: MIT
#pragma once

#include "assets/captures/capture_reader.h"

namespace tessera::assets {

bool probe_transforms(const std::filesystem::path& path);
core::Capture read_transforms(const std::filesystem::path& path, const CaptureOptions& options);

bool probe_blender(const std::filesystem::path& path);
core::Capture read_blender(const std::filesystem::path& path, const CaptureOptions& options);

}  // namespace tessera::assets
