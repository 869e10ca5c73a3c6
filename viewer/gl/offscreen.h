// An OpenGL 3.3 context without a display, by EGL: for pictures and tests.
// SPDX-License-Identifier: MIT
#pragma once

namespace tessera::viewer {

class OffscreenContext {
 public:
  // Current from then on. Throws core::Error if no driver gives one.
  OffscreenContext();
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

 private:
  void* display_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace tessera::viewer
