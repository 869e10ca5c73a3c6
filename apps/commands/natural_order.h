// Names of frames in the order in which people count: frame2 before frame10.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::apps {

// Runs of digits count as numbers.
bool comes_before(const std::string& a, const std::string& b);

// Files of the folder (not of those in it) whose extensions are among these (lower case, with the
// dot), in that order.
std::vector<std::filesystem::path> files_in_order(const std::filesystem::path& folder,
                                                  const std::vector<std::string>& extensions);

// Throws core::IoError, naming the two files beside the gap, if the files' last numbers go up in
// even steps but for some that are left out. Names without numbers have no gaps.
void check_no_gaps(const std::vector<std::filesystem::path>& files);

}  // namespace tessera::apps
