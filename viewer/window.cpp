// SPDX-License-Identifier: MIT
#include "viewer/window.h"

#include <epoxy/gl.h>
// After epoxy, which is OpenGL's header here.
#include <GLFW/glfw3.h>

#include <cmath>

#include "core/error.h"

namespace tessera::viewer {
namespace {

constexpr double kIdleSeconds = 0.25;  // between frames when nothing happens
constexpr double kLongestStep = 0.1;   // that movement makes up for

std::string last_words() {
  const char* words = nullptr;
  glfwGetError(&words);
  return words == nullptr ? "" : std::string(": ") + words;
}

Viewer& viewer_of(GLFWwindow* window) {
  return *static_cast<Viewer*>(glfwGetWindowUserPointer(window));
}

Modifiers modifiers_of(int bits) {
  return {(bits & GLFW_MOD_SHIFT) != 0, (bits & (GLFW_MOD_CONTROL | GLFW_MOD_SUPER)) != 0,
          (bits & GLFW_MOD_ALT) != 0};
}

Modifiers modifiers_now(GLFWwindow* window) {
  const auto down = [window](int a, int b) {
    return glfwGetKey(window, a) == GLFW_PRESS || glfwGetKey(window, b) == GLFW_PRESS;
  };
  return {down(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT),
          down(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL),
          down(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT)};
}

// Of the framebuffer: windows measure in other units on some displays.
InputEvent mouse_event(GLFWwindow* window, InputEvent::Kind kind, double x, double y) {
  int width = 1, height = 1, pixel_width = 1, pixel_height = 1;
  glfwGetWindowSize(window, &width, &height);
  glfwGetFramebufferSize(window, &pixel_width, &pixel_height);
  InputEvent event;
  event.kind = kind;
  event.x = x * pixel_width / std::max(width, 1);
  event.y = y * pixel_height / std::max(height, 1);
  event.modifiers = modifiers_now(window);
  return event;
}

}  // namespace

Window::Window(const std::string& title, int width, int height) {
  glfwInitHint(GLFW_JOYSTICK_HAT_BUTTONS, GLFW_FALSE);
  if (glfwInit() != GLFW_TRUE) {
    throw core::Error("no window can be opened here" + last_words() +
                      "; pictures need none: --screenshot FILE");
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  window_ = glfwCreateWindow(width, height, title.c_str(), nullptr, nullptr);
  if (window_ == nullptr) {
    const std::string words = last_words();
    glfwTerminate();
    throw core::Error("the graphics driver gives no window with OpenGL 3.3" + words +
                      "; LIBGL_ALWAYS_SOFTWARE=1 draws without the graphics card");
  }
  glfwMakeContextCurrent(window_);
  glfwSwapInterval(1);
}

Window::~Window() {
  glfwDestroyWindow(window_);
  glfwTerminate();
}

void Window::catch_events(Viewer& viewer) {
  glfwSetWindowUserPointer(window_, &viewer);
  glfwSetCursorPosCallback(window_, [](GLFWwindow* window, double x, double y) {
    viewer_of(window).handle(mouse_event(window, InputEvent::Kind::kMove, x, y));
  });
  glfwSetMouseButtonCallback(window_, [](GLFWwindow* window, int button, int action, int mods) {
    if (button > GLFW_MOUSE_BUTTON_MIDDLE) return;
    double x = 0, y = 0;
    glfwGetCursorPos(window, &x, &y);
    InputEvent event = mouse_event(window, InputEvent::Kind::kButton, x, y);
    event.button = static_cast<MouseButton>(button);
    event.down = action == GLFW_PRESS;
    event.modifiers = modifiers_of(mods);
    viewer_of(window).handle(event);
  });
  glfwSetScrollCallback(window_, [](GLFWwindow* window, double x, double y) {
    InputEvent event;
    event.kind = InputEvent::Kind::kWheel;
    event.x = x;
    event.y = y;
    event.modifiers = modifiers_now(window);
    viewer_of(window).handle(event);
  });
  glfwSetKeyCallback(window_, [](GLFWwindow* window, int key, int /*scan*/, int action, int mods) {
    InputEvent event;
    event.kind = InputEvent::Kind::kKey;
    event.key = static_cast<Key>(key);
    event.down = action != GLFW_RELEASE;
    event.modifiers = modifiers_of(mods);
    viewer_of(window).handle(event);
  });
  glfwSetCharCallback(window_, [](GLFWwindow* window, unsigned int character) {
    InputEvent event;
    event.kind = InputEvent::Kind::kText;
    event.character = character;
    viewer_of(window).handle(event);
  });
  glfwSetDropCallback(window_, [](GLFWwindow* window, int count, const char** paths) {
    InputEvent event;
    event.kind = InputEvent::Kind::kDrop;
    event.dropped.assign(paths, paths + count);
    viewer_of(window).handle(event);
  });
}

void Window::show(Viewer& viewer, const std::function<void()>& each_frame) {
  catch_events(viewer);
  double last = glfwGetTime();
  bool again = true;
  while (!viewer.quit_wanted()) {
    if (glfwWindowShouldClose(window_) == GLFW_TRUE) {
      glfwSetWindowShouldClose(window_, GLFW_FALSE);
      viewer.act("quit");
    }
    if (again) {
      glfwPollEvents();
    } else {
      glfwWaitEventsTimeout(kIdleSeconds);
    }
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_, &width, &height);
    if (width == 0 || height == 0) {  // made an icon
      glfwWaitEventsTimeout(kIdleSeconds);
      continue;
    }
    float scale_x = 1, scale_y = 1;
    glfwGetWindowContentScale(window_, &scale_x, &scale_y);
    const double now = glfwGetTime();
    again = viewer.frame(0, width, height, scale_x, std::min(now - last, kLongestStep));
    last = now;
    glfwSwapBuffers(window_);
    each_frame();
  }
}

}  // namespace tessera::viewer
