// A capture's photos opened by several ranks: each decodes its part to look at it, and all know of
// all.
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "assets/photos/photo_cache.h"
#include "core/capture.h"
#include "core/log.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"

namespace tessera::apps {

// Collective: of the views the i-th is decoded by rank i modulo their number. What each found is
// then known to all: finish() gives or throws the same on every rank.
assets::PhotoOpening open_on_ranks(const core::Capture& capture, const std::vector<int>& views,
                                   assets::PhotoOptions options, distributed::Communicator& ranks,
                                   core::ThreadPool& pool, core::Log& log);

}  // namespace tessera::apps
