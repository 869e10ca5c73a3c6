// The words of a command's line as numbers, and what most commands ask for. All throw
// core::Error with a sentence.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "core/math/vec.h"
#include "viewer/ui/command.h"

namespace tessera::viewer {

struct SceneItem;

double number(const Words& words, size_t at);
math::Vec3<double> vector(const Words& words, size_t at);
// `what` is missing if it is: "a file".
const std::string& word(const Words& words, size_t at, const char* what);
// The second word; the other than `now` if there is none.
bool on_or_off(const Words& words, bool now);
SceneItem& current(Viewer& viewer);
// That holds splats.
SceneItem& current_splats(Viewer& viewer);

}  // namespace tessera::viewer
