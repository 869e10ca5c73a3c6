// A shader program, its uniforms by name.
// SPDX-License-Identifier: MIT
#pragma once

#include <epoxy/gl.h>

#include <array>
#include <span>
#include <string>

#include "core/math/vec.h"

namespace tessera::viewer {

class GlProgram {
 public:
  // Sources without their #version line. With `captured` the program only runs its vertex shader
  // and writes these outputs, interleaved, by transform feedback; `fragment` is then null.
  // Throws core::Error with the driver's words if it refuses them.
  GlProgram(const char* vertex, const char* fragment, std::span<const char* const> captured = {});
  ~GlProgram();
  GlProgram(const GlProgram&) = delete;
  GlProgram& operator=(const GlProgram&) = delete;

  void use() const { glUseProgram(program_); }
  // Of the program in use; names that the driver found unused are passed over.
  void set(const char* name, int value) const { glUniform1i(place(name), value); }
  void set(const char* name, float value) const { glUniform1f(place(name), value); }
  void set(const char* name, const std::array<int, 2>& v) const {
    glUniform2iv(place(name), 1, v.data());
  }
  void set(const char* name, math::Vec2<float> v) const { glUniform2f(place(name), v.x, v.y); }
  void set(const char* name, math::Vec3<float> v) const { glUniform3f(place(name), v.x, v.y, v.z); }
  void set(const char* name, const std::array<float, 4>& v) const {
    glUniform4fv(place(name), 1, v.data());
  }
  // Row-major.
  void set_matrix(const char* name, const float (&rows)[16]) const {
    glUniformMatrix4fv(place(name), 1, GL_TRUE, rows);
  }
  void set_block(const char* name, GLuint binding) const;

 private:
  GLint place(const char* name) const { return glGetUniformLocation(program_, name); }

  GLuint program_;
};

}  // namespace tessera::viewer
