// A scene file format as one row of a table (formats.cpp): how it is recognised, read and written.
//
// Readers get the bytes of the whole file, so that every count can be held against the file's size
// before anything is allocated, and so that they are tested and fuzzed in memory. Scenes that need
// not be held whole can also be read in pieces.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/capture.h"
#include "core/gaussian_cloud.h"
#include "core/view.h"

namespace tessera::assets {

// Points without extent: a start for a reconstruction.
struct PointCloud {
  std::vector<core::ColoredPoint> points;
  bool has_colors = false;
  std::vector<std::string> notes;  // what the reader noticed, one sentence each
  int64_t dropped = 0;             // records without a finite position
};

using SceneFile = std::variant<core::GaussianScene, PointCloud>;

// A scene that is read in pieces.
class SceneReader {
 public:
  virtual ~SceneReader() = default;
  // All but its Gaussians, and of these their SH degree.
  virtual const core::GaussianScene& scene() const = 0;
  // Records, also those that cannot be used.
  virtual int64_t count() const = 0;
  // Of `count` records from `first` on the Gaussians that can be used (formats/usable.h), numbered
  // from 0. All together are what read() gives. Throws IoError.
  virtual core::GaussianCloud read(int64_t first, int64_t count) = 0;
};

// A scene file that is being written; without commit() it is not there.
class FormatWriter {
 public:
  virtual ~FormatWriter() = default;
  // The next Gaussians, which must be as all_clean() in formats/usable.h asks.
  virtual void append(const core::GaussianCloud& cloud) = 0;
  // Nothing may be appended afterwards.
  virtual void commit() = 0;
};

struct FormatEntry {
  std::string_view name;                         // "PLY"
  std::span<const std::string_view> extensions;  // with the dot, lower case; the first is usual
  // Whether these are such a file's bytes; null if the format has no mark of its own and only its
  // extension tells. Rows are asked in order.
  bool (*probe)(core::View<const uint8_t> bytes);
  // `path` is for messages. Throws IoError.
  SceneFile (*read)(core::View<const uint8_t> bytes, const std::filesystem::path& path);
  // Null if such files are only read whole; gives null for a file of it that must be.
  std::unique_ptr<SceneReader> (*open)(const std::filesystem::path& path);
  // Whether a file of it says itself what its coordinates are relative to; if not, the file
  // NAME_offset.xyz beside it does.
  bool holds_origin;
  // Begins a file of `count` Gaussians, of which `scene` says all else; its own are not written.
  // Null if the format is only read. Throws IoError, as the writer does.
  std::unique_ptr<FormatWriter> (*write)(const std::filesystem::path& path,
                                         const core::GaussianScene& scene, int64_t count);
  // What of this scene the format cannot hold, as phrases: "color that changes with the view".
  std::vector<std::string> (*losses)(const core::GaussianScene& scene);
};

std::span<const FormatEntry> formats();

}  // namespace tessera::assets
