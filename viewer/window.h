// The window on the desktop, by GLFW: an OpenGL 3.3 context, events, frames.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "viewer/viewer.h"

struct GLFWwindow;

namespace tessera::viewer {

class Window {
 public:
  // Its context is current from then on. Throws core::Error if there is no display, or none that
  // draws OpenGL 3.3.
  Window(const std::string& title, int width, int height);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Shows the viewer until it or the user closes it. `each_frame` is called after every frame.
  void show(Viewer& viewer, const std::function<void()>& each_frame);

 private:
  void catch_events(Viewer& viewer);

  GLFWwindow* window_ = nullptr;
};

}  // namespace tessera::viewer
