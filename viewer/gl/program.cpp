// SPDX-License-Identifier: MIT
#include "viewer/gl/program.h"

#include "core/error.h"

namespace tessera::viewer {
namespace {

constexpr const char* kVersion = "#version 330 core\n";

[[noreturn]] void refuse(const std::string& words) {
  throw core::Error("the graphics driver refuses a shader of this program: " + words +
                    "; try a newer driver, or LIBGL_ALWAYS_SOFTWARE=1");
}

GLuint compile(GLenum stage, const char* source) {
  const GLuint shader = glCreateShader(stage);
  const char* const parts[] = {kVersion, source};
  glShaderSource(shader, 2, parts, nullptr);
  glCompileShader(shader);
  GLint done = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
  if (done == 0) {
    char words[2000] = {};
    glGetShaderInfoLog(shader, sizeof words, nullptr, words);
    glDeleteShader(shader);
    refuse(words);
  }
  return shader;
}

}  // namespace

GlProgram::GlProgram(const char* vertex, const char* fragment,
                     std::span<const char* const> captured)
    : program_(glCreateProgram()) {
  for (const auto& [stage, source] :
       {std::pair{GL_VERTEX_SHADER, vertex}, std::pair{GL_FRAGMENT_SHADER, fragment}}) {
    if (source == nullptr) continue;
    const GLuint shader = compile(stage, source);
    glAttachShader(program_, shader);
    glDeleteShader(shader);  // with the program
  }
  if (!captured.empty()) {
    glTransformFeedbackVaryings(program_, static_cast<GLsizei>(captured.size()), captured.data(),
                                GL_INTERLEAVED_ATTRIBS);
  }
  glLinkProgram(program_);
  GLint done = 0;
  glGetProgramiv(program_, GL_LINK_STATUS, &done);
  if (done == 0) {
    char words[2000] = {};
    glGetProgramInfoLog(program_, sizeof words, nullptr, words);
    glDeleteProgram(program_);
    refuse(words);
  }
}

GlProgram::~GlProgram() {
  glDeleteProgram(program_);
}

void GlProgram::set_block(const char* name, GLuint binding) const {
  glUniformBlockBinding(program_, glGetUniformBlockIndex(program_, name), binding);
}

}  // namespace tessera::viewer
