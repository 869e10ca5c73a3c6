// Files that a command writes where an option says: figures, logs.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::apps {

// Whether a path is another one or lies in it, links followed as far as there are any.
bool is_within(const std::filesystem::path& inner, const std::filesystem::path& outer);

// The folder of a capture, also where the capture is named by a file in it: its photos are read
// too.
std::filesystem::path capture_folder(const std::filesystem::path& capture);

// Throws core::UsageError for `option` if `file` is there already and is one of `inputs` or lies in
// one, but not in `own_folder`: what is read stays as it is.
void refuse_inputs(const std::filesystem::path& file, const std::string& option,
                   const std::vector<std::filesystem::path>& inputs,
                   const std::filesystem::path& own_folder = {});

}  // namespace tessera::apps
