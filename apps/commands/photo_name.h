// A capture's photo by the name that a user types: whole, or as little of it as tells it apart.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace tessera::apps {

// The place in `names` of the photo that `typed` means: the one of that name or, failing that, the
// only one whose name is the same but for folders before it and the extension, so "0012.jpg" for
// "images/0012.jpg" and "r_9.png" for "test/r_9". Throws core::UsageError about the option `field`
// that names the nearest photos if there is none, or all of them if there are several.
size_t photo_named(const std::vector<std::string>& names, const std::string& typed,
                   const std::string& field);

}  // namespace tessera::apps
