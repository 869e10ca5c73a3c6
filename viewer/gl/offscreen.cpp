// SPDX-License-Identifier: MIT
#include "viewer/gl/offscreen.h"

#include <epoxy/egl.h>

#include "core/error.h"

namespace tessera::viewer {
namespace {

// Mesa without any surface first, then whatever the driver takes for its default.
EGLDisplay open_display() {
  EGLint major = 0, minor = 0;
  if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless") &&
      epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base")) {
    EGLDisplay display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, &major, &minor) == EGL_TRUE) {
      return display;
    }
  }
  EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
  if (display != EGL_NO_DISPLAY && eglInitialize(display, &major, &minor) == EGL_TRUE) {
    return display;
  }
  return EGL_NO_DISPLAY;
}

}  // namespace

OffscreenContext::OffscreenContext() {
  constexpr const char* kAdvice =
      "; Debian's libgl1-mesa-dri and libegl1 draw without a graphics card";
  display_ = epoxy_has_egl() ? open_display() : EGL_NO_DISPLAY;
  if (display_ == EGL_NO_DISPLAY) {
    throw core::Error(std::string("no EGL driver here draws without a display") + kAdvice);
  }
  const EGLint config_wishes[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, 0,
                                  EGL_NONE};
  const EGLint context_wishes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                   3,
                                   EGL_CONTEXT_MINOR_VERSION,
                                   3,
                                   EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                   EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                   EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  eglBindAPI(EGL_OPENGL_API);
  if (eglChooseConfig(display_, config_wishes, &config, 1, &count) == EGL_TRUE && count > 0) {
    context_ = eglCreateContext(display_, config, EGL_NO_CONTEXT, context_wishes);
  }
  if (context_ == nullptr ||
      eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) != EGL_TRUE) {
    if (context_ != nullptr) eglDestroyContext(display_, context_);
    eglTerminate(display_);
    throw core::Error(std::string("the graphics driver gives no OpenGL 3.3") + kAdvice);
  }
}

OffscreenContext::~OffscreenContext() {
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

}  // namespace tessera::viewer
