// The camera that a transforms.json states: globally, per frame, or a mixture of both.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/camera.h"

namespace tessera::assets {

// A number that the frame or, failing that, the file's root gives. Throws IoError if it is there
// but no finite number.
class FrameFields {
 public:
  FrameFields(const std::filesystem::path& file, const nlohmann::json& root,
              const nlohmann::json& frame, std::string frame_name)
      : file_(file), root_(root), frame_(frame), frame_name_(std::move(frame_name)) {}

  std::optional<double> number(const char* field) const;
  double number_or(const char* field, double otherwise) const;
  std::string text(const char* field) const;  // empty if there is none
  bool flag(const char* field) const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  const nlohmann::json* find(const char* field) const;

  const std::filesystem::path& file_;
  const nlohmann::json& root_;
  const nlohmann::json& frame_;
  std::string frame_name_;
};

// `photo` is asked for the size only where the file has none (w and h), and may be missing then:
// such a camera has width 0. Throws IoError for models that are not read and missing focal lengths.
core::Camera transforms_camera(const FrameFields& fields, const std::filesystem::path& photo);

}  // namespace tessera::assets
