// What `tessera photo3d` will need, said before it plans, and refused if it cannot be had.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/commands/memory_plan.h"
#include "apps/commands/photo3d_input.h"
#include "apps/commands/photo3d_kind.h"
#include "apps/commands/photo3d_options.h"

namespace tessera::apps {

struct Photo3dNeed {
  int64_t stored_pixels = 0;  // of a photo as it is stored; 0: it is read already
  int64_t pixels = 0;         // of the picture that the scene is made of
  int64_t drawn_pixels = 0;   // of the largest picture that is drawn of it; 0: none is
  int64_t texels = 0;         // that the layers are expected to have
  int64_t held_bytes = 0;     // of other photos, and of the fit to them
  int resolution = 1;         // as -r gives it
};

// Of a photo or a pair, from the file's header, before it is read; nothing for other kinds.
std::optional<Photo3dNeed> need_of_photo(const Photo3dOptions& options, Photo3dKind kind);
// Of what was read, by each of `ranks` ranks.
Photo3dNeed need_of_input(const Photo3dOptions& options, const Photo3dInput& input, int ranks);

struct Photo3dMemory {
  int64_t most_texel_bytes = 0;  // that leave the other parts what they need
  std::string text;              // "1.2 GB of memory (to read 410 MB, to plan ...)"
};

// Throws core::Error in one sentence saying what would fit if it does not.
Photo3dMemory plan_photo3d_memory(const Photo3dNeed& need, const MemoryLimits& limits);

}  // namespace tessera::apps
