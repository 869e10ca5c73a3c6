// OpenGL objects by ownership: made when constructed, freed when destroyed, moved but not copied.
// They need a context that is current, then and when they are freed.
// SPDX-License-Identifier: MIT
#pragma once

#include <epoxy/gl.h>

#include <utility>

namespace tessera::viewer {

// `Kind` has static make() and free(GLuint).
template <class Kind>
class GlObject {
 public:
  GlObject() : name_(Kind::make()) {}
  ~GlObject() {
    if (name_ != 0) Kind::free(name_);
  }
  GlObject(GlObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  GlObject& operator=(GlObject&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }

  GLuint name() const { return name_; }

 private:
  GLuint name_;
};

namespace gl_kind {

struct Buffer {
  static GLuint make() {
    GLuint name = 0;
    glGenBuffers(1, &name);
    return name;
  }
  static void free(GLuint name) { glDeleteBuffers(1, &name); }
};

struct VertexArray {
  static GLuint make() {
    GLuint name = 0;
    glGenVertexArrays(1, &name);
    return name;
  }
  static void free(GLuint name) { glDeleteVertexArrays(1, &name); }
};

struct Texture {
  static GLuint make() {
    GLuint name = 0;
    glGenTextures(1, &name);
    return name;
  }
  static void free(GLuint name) { glDeleteTextures(1, &name); }
};

struct Renderbuffer {
  static GLuint make() {
    GLuint name = 0;
    glGenRenderbuffers(1, &name);
    return name;
  }
  static void free(GLuint name) { glDeleteRenderbuffers(1, &name); }
};

struct Framebuffer {
  static GLuint make() {
    GLuint name = 0;
    glGenFramebuffers(1, &name);
    return name;
  }
  static void free(GLuint name) { glDeleteFramebuffers(1, &name); }
};

}  // namespace gl_kind

using GlBuffer = GlObject<gl_kind::Buffer>;
using GlVertexArray = GlObject<gl_kind::VertexArray>;
using GlTexture = GlObject<gl_kind::Texture>;
using GlRenderbuffer = GlObject<gl_kind::Renderbuffer>;
using GlFramebuffer = GlObject<gl_kind::Framebuffer>;

}  // namespace tessera::viewer
