// The readers and writers that the table in assets/multiplane_formats.cpp names, one group a file.
// SPDX-License-Identifier: MIT
#pragma once

#include "assets/multiplane_format.h"

namespace tessera::assets {

bool probe_tmpi(const std::filesystem::path& folder);
core::MultiplaneImage read_tmpi(const std::filesystem::path& folder);
void write_tmpi(const std::filesystem::path& folder, const core::MultiplaneImage& image,
                const MultiplaneWriteOptions& options);
void write_tmpi_video(const std::filesystem::path& folder, const core::MultiplaneVideo& video,
                      const MultiplaneWriteOptions& options);
core::MultiplaneVideo read_tmpi_video(const std::filesystem::path& folder);
bool holds_only_tmpi(const std::filesystem::path& folder);
std::vector<std::string> tmpi_losses(const core::MultiplaneImage& image,
                                     const MultiplaneWriteOptions& options);

core::MultiplaneImage read_gltf(const std::filesystem::path& path);
void write_glb(const std::filesystem::path& path, const core::MultiplaneImage& image,
               const MultiplaneWriteOptions& options);
void write_gltf(const std::filesystem::path& path, const core::MultiplaneImage& image,
                const MultiplaneWriteOptions& options);
std::vector<std::string> gltf_losses(const core::MultiplaneImage& image,
                                     const MultiplaneWriteOptions& options);

bool probe_llff(const std::filesystem::path& folder);
core::MultiplaneImage read_llff(const std::filesystem::path& folder);
void write_llff(const std::filesystem::path& folder, const core::MultiplaneImage& image,
                const MultiplaneWriteOptions& options);
bool holds_only_llff(const std::filesystem::path& folder);
std::vector<std::string> llff_losses(const core::MultiplaneImage& image,
                                     const MultiplaneWriteOptions& options);

void write_html(const std::filesystem::path& path, const core::MultiplaneImage& image,
                const MultiplaneWriteOptions& options);
void write_html_video(const std::filesystem::path& path, const core::MultiplaneVideo& video,
                      const MultiplaneWriteOptions& options);
std::vector<std::string> html_losses(const core::MultiplaneImage& image,
                                     const MultiplaneWriteOptions& options);

void write_mtv(const std::filesystem::path& folder, const core::MultiplaneImage& image,
               const MultiplaneWriteOptions& options);
void write_mtv_video(const std::filesystem::path& folder, const core::MultiplaneVideo& video,
                     const MultiplaneWriteOptions& options);
bool holds_only_mtv(const std::filesystem::path& folder);
std::vector<std::string> mtv_losses(const core::MultiplaneImage& image,
                                    const MultiplaneWriteOptions& options);

}  // namespace tessera::assets
