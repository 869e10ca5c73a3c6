// Fills what no layer covers in a rendered view: gaps beside near surfaces and the view's borders.
// SPDX-License-Identifier: MIT
#pragma once

#include "core/image.h"
#include "core/thread_pool.h"

namespace tessera::models {

// `color` [height][width][3] rendered before black, `alpha` [height][width][1], `disparity` of that
// shape. What is missing to an alpha of 1 comes by pull-push from pixels with an alpha of
// at least half; those that are nearer than what is around them are no source, since a gap
// shows the background.
void fill_screen(core::ImageF& color, const core::ImageF& alpha, const core::ImageF& disparity,
                 core::ThreadPool& pool);

}  // namespace tessera::models
