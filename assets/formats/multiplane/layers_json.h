// A multiplane image but for its texels as JSON: what multiplane.json and the extras of a layered
// glTF have in common.
//
//   "camera": {"width", "height", "fx", "fy", "cx", "cy", "cam_from_world": 3 rows of 4},
//   "metric": whether a unit is a meter,
//   "layers": [{"plane": [x, y, z], "window": [left, top, width, height], "page", "at": [x, y]}]
//
// Floats come back as they were.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/multiplane_image.h"
#include "core/multiplane_video.h"

namespace tessera::assets {

nlohmann::json layers_to_json(const core::MultiplaneImage& image);

// An image without pages. Throws IoError, naming `path`, if something is missing or of another
// kind.
core::MultiplaneImage layers_from_json(const nlohmann::json& root,
                                       const std::filesystem::path& path);

// The members of JSON objects, or an IoError that says which one is missing or is none such.
// `within` says in words where the object stands: "layer 3".
const nlohmann::json& json_member(const nlohmann::json& object, const char* name,
                                  const std::string& within, const std::filesystem::path& path);
int json_int(const nlohmann::json& value, const std::string& what,
             const std::filesystem::path& path);  // within +-2^24

// Whether a file's name stays within the folder that it is looked for in.
bool is_plain_name(const std::string& name);

// Adds up the texels of pages before they are decoded, so that small files that claim many pages
// take no more memory than any image needs.
class PageBudget {
 public:
  explicit PageBudget(const std::filesystem::path& path) : path_(path) {}
  // Throws IoError if that is more than 2^29 texels in all.
  void take(int width, int height);

 private:
  const std::filesystem::path& path_;
  int64_t left_ = core::kMostVideoTexels;
};

// check_multiplane_image and check_multiplane_video, as an IoError.
void check_read_image(const core::MultiplaneImage& image, const std::filesystem::path& path);
void check_read_video(const core::MultiplaneVideo& video, const std::filesystem::path& path);

}  // namespace tessera::assets
