// The page that html.cpp fills in; its text is viewer.html.
// SPDX-License-Identifier: MIT
#pragma once

namespace tessera::assets {

extern const char* const kViewerHtml;

}  // namespace tessera::assets
