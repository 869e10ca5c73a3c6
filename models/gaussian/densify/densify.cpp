// SPDX-License-Identifier: MIT
#include "models/gaussian/densify/densify.h"

#include <string>

#include "core/error.h"

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
  std::string known;
  for (const DensifierEntry& entry : kDensifiers) {
    if (entry.name == settings.strategy) return entry.make(settings, schedule, ranks, pool);
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw core::UsageError("--strategy", "\"" + settings.strategy + "\" is not one of: " + known);
}

}  // namespace tessera::models
