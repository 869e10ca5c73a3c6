// SPDX-License-Identifier: MIT
#include "apps/commands/result_file.h"

#include <fmt/format.h>

#include "core/error.h"

namespace tessera::apps {

namespace fs = std::filesystem;

bool is_within(const fs::path& inner, const fs::path& outer) {
  const fs::path from = fs::weakly_canonical(outer);
  for (fs::path at = fs::weakly_canonical(inner);; at = at.parent_path()) {
    if (at == from) return true;
    if (at == at.parent_path()) return false;
  }
}

fs::path capture_folder(const fs::path& capture) {
  return fs::is_directory(capture) ? capture : fs::absolute(capture).parent_path();
}

void refuse_inputs(const fs::path& file, const std::string& option,
                   const std::vector<fs::path>& inputs, const fs::path& own_folder) {
  std::error_code ignored;
  if (!fs::exists(file, ignored) || (!own_folder.empty() && is_within(file, own_folder))) return;
  for (const fs::path& input : inputs) {
    if (!is_within(file, input)) continue;
    throw core::UsageError(option,
                           fmt::format("{} belongs to {}, which is read and stays as it is; "
                                       "name another file",
                                       file.string(), input.string()));
  }
}

}  // namespace tessera::apps
