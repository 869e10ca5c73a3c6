// SPDX-License-Identifier: MIT
#include "models/gaussian/densify/densify.h"

#include "core/table_entry.h"

namespace tessera::models {
namespace {

constexpr DensifierEntry kDensifiers[] = {
    {"default", make_default_densifier},
    {"mcmc", make_mcmc_densifier},
};

}  // namespace

std::span<const DensifierEntry> densifiers() {
  return kDensifiers;
}

std::unique_ptr<Densifier> make_densifier(const TrainSettings& settings, const Schedule& schedule,
                                          distributed::Communicator& ranks,
                                          core::ThreadPool& pool) {
  return core::entry_named(densifiers(), settings.strategy, "--strategy")
      .make(settings, schedule, ranks, pool);
}

}  // namespace tessera::models
