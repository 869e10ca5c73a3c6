// What --force does with the run that stands in the output: it is set aside, not removed, so that a
// new run that is killed, or was a mistake, costs nothing. A finished run removes what it replaced.
//
// OUT/replaced_run holds all that the earlier run goes on from or shows, and --resume takes it as
// it is; OUT's scene and what viewers read beside it stay until a new scene takes their place.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include "apps/commands/output_layout.h"

namespace tessera::apps {

// Moves the run in the output aside: to replaced_run, or to replaced_run_2 and so on where earlier
// ones still wait. A run that had saved nothing yet is removed instead.
void set_aside_earlier_run(const OutputLayout& layout);

// The folders of runs set aside there, the oldest first.
std::vector<std::filesystem::path> replaced_runs(const OutputLayout& layout);

void remove_replaced_runs(const OutputLayout& layout);

}  // namespace tessera::apps
