// Multiplane images from and to files and folders of any format in the table.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assets/multiplane_format.h"
#include "core/multiplane_image.h"
#include "core/multiplane_video.h"

namespace tessera::assets {

// Whether read_multiplane() would take this file or folder for one of a format that is read.
bool is_multiplane(const std::filesystem::path& path);

// Whether a path's extension is that of a format that is written.
bool names_multiplane(const std::filesystem::path& path);

// The format is told by the content first, then by the extension. Throws IoError if it is of no
// format that is read, or broken.
core::MultiplaneImage read_multiplane(const std::filesystem::path& path);

// The same with what plays; the image shows the first frame. Still images have no moving pages.
core::MultiplaneVideo read_multiplane_video(const std::filesystem::path& path);

// Whole or not at all; a file or folder of the same format that stands there is replaced whole.
// Throws UsageError if no format of that name or extension is written or `planes` is not 2 to 1024,
// IoError if a folder of others stands there or writing fails, Error as check_multiplane_image
// does.
void write_multiplane(const std::filesystem::path& path, const core::MultiplaneImage& image,
                      const MultiplaneWriteOptions& options = {});

// Of a format that holds no movement the first frame is written.
void write_multiplane(const std::filesystem::path& path, const core::MultiplaneVideo& video,
                      const MultiplaneWriteOptions& options = {});

// Throws what write_multiplane would before it begins: to be called before work starts. `field` is
// the option that gave the path, "--output".
void check_multiplane_writable(const std::filesystem::path& path, const std::string& field,
                               const MultiplaneWriteOptions& options = {});

// What of the image is not the same after it was written so, as phrases.
std::vector<std::string> multiplane_losses(const std::filesystem::path& path,
                                           const core::MultiplaneImage& image,
                                           const MultiplaneWriteOptions& options = {});
std::vector<std::string> multiplane_losses(const std::filesystem::path& path,
                                           const core::MultiplaneVideo& video,
                                           const MultiplaneWriteOptions& options = {});

}  // namespace tessera::assets
