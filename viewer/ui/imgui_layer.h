// Dear ImGui between the window's events and OpenGL, for 1.86 and later: the one place that knows
// how versions differ.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "viewer/ui/input.h"

struct ImGuiContext;

namespace tessera::viewer {

class ImGuiLayer {
 public:
  // Needs the OpenGL context that is current.
  ImGuiLayer();
  ~ImGuiLayer();
  ImGuiLayer(const ImGuiLayer&) = delete;
  ImGuiLayer& operator=(const ImGuiLayer&) = delete;

  // Before begin().
  void set_theme(bool dark);
  void set_scale(float scale);  // of text and all that is measured by it

  void feed(const InputEvent& event);
  bool wants_mouse() const;
  bool wants_text() const;

  void begin(int width, int height, double seconds);
  // Draws into the framebuffer that is bound.
  void end();

 private:
  void build_fonts();

  ImGuiContext* context_;
  bool dark_ = true;
  float scale_ = 1;
  float built_scale_ = 0;
};

}  // namespace tessera::viewer
