// Where the pictures of views go: files, or films.
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "apps/commands/render_cameras.h"
#include "core/image.h"
#include "core/log.h"

namespace tessera::apps {

struct FrameOptions {
  std::filesystem::path output;  // x.mp4, one picture x.png or x.jpg, or a folder
  double frames_per_second = 0;  // of a film; 0: the path's own, or 30
  bool depth = false;
  bool normals = false;
  bool force = false;  // replace an output that exists
};

// The pictures of one view.
struct Frame {
  core::Image8 color;   // RGB
  core::ImageF depth;   // [height][width][1]; 0: unknown; empty unless asked for
  core::ImageF normal;  // [height][width][3], unit vectors in camera axes; the same
};

class FrameOutput {
 public:
  virtual ~FrameOutput() = default;
  // `name` as of RenderView. Throws core::IoError.
  virtual void add(const std::string& name, const Frame& frame) = 0;
  virtual void finish() = 0;
};

// Views of a film lose odd last rows and columns. Throws core::UsageError for an output that is
// there (unless forced), of no kind that is written, or that the views do not fit into.
std::unique_ptr<FrameOutput> open_frame_output(const FrameOptions& options, RenderViews& views,
                                               core::Log& log);

}  // namespace tessera::apps
