// Names of outputs that mean a file, not a folder.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

namespace tessera::apps {

// Whether a name ends like that of a scene, a mesh, a picture, a film, an archive or other data,
// whether or not this program writes such files. Other dots, as in "run.v2", may be a folder's.
bool names_file(const std::filesystem::path& path);

}  // namespace tessera::apps
