// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/commands/natural_order.h"
#include "apps/commands/photo3d_sources.h"
#include "apps/commands/progress.h"
#include "apps/commands/upright_photo.h"
#include "apps/commands/video_reader.h"
#include "core/error.h"
#include "core/shrink.h"
#include "models/multiplane/depth_clip.h"

namespace tessera::apps {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kPictures = {".png",  ".jpg",  ".jpeg", ".tif",
                                            ".tiff", ".webp", ".bmp",  ".ppm"};
const std::vector<std::string> kDepths = {".png", ".tif", ".tiff", ".pgm", ".pfm", ".exr", ".npy"};
constexpr double kUsualRate = 25;
// Of decoded frames and their depth, which are in memory together.
constexpr double kMostBytes = 4e9;
constexpr double kNearlyAll = 0.9;

void check_memory(const core::Image8& frame, size_t frames, size_t depths) {
  const double bytes = static_cast<double>(frame.pixel_count()) *
                       (3.0 * static_cast<double>(frames) + 4.0 * static_cast<double>(depths));
  if (bytes <= kMostBytes) return;
  throw core::UsageError(
      "PHOTO", fmt::format("{} frames of {}x{} take {:.1f} GB with their depth, and at most {:.0f} "
                           "are taken; make them smaller (-r), or take a shorter clip",
                           frames, frame.width, frame.height, 1e-9 * bytes, 1e-9 * kMostBytes));
}

// Files of a folder of frames or of their depth.
std::vector<fs::path> frames_in(const fs::path& folder, const std::vector<std::string>& extensions,
                                const char* what) {
  std::vector<fs::path> files = files_in_order(folder, extensions);
  if (files.size() < 2) {
    throw core::IoError(
        folder, fmt::format("holds {}, but a clip has two frames or more; name the file itself if "
                            "there is but one",
                            plural(static_cast<int64_t>(files.size()), what)));
  }
  check_no_gaps(files);
  return files;
}

void read_folder(const std::vector<fs::path>& files, size_t depths, const Photo3dOptions& options,
                 models::DepthClip& clip, UprightPhoto& first, RunLog& log) {
  const auto total = static_cast<int64_t>(files.size());
  const std::unique_ptr<Progress> progress = log.progress("frame", 0, total);
  log.set_bar(progress.get());
  for (size_t i = 0; i < files.size(); ++i) {
    UprightPhoto photo = read_upright(files[i], options.resolution, log);
    if (i == 0) {
      check_memory(photo.rgb, files.size(), depths);
      first.info = photo.info;
      first.full_width = photo.full_width;
    } else if (photo.rgb.width != clip.frames[0].width ||
               photo.rgb.height != clip.frames[0].height) {
      log.set_bar(nullptr);
      throw core::IoError(
          files[i], fmt::format("is {}x{}, but {} is {}x{}: the frames of a clip "
                                "are of one size",
                                photo.rgb.width, photo.rgb.height, files[0].filename().string(),
                                clip.frames[0].width, clip.frames[0].height));
    }
    clip.frames.push_back(std::move(photo.rgb));
    progress->update(static_cast<int64_t>(i) + 1, "");
  }
  log.set_bar(nullptr);
}

void read_video(const fs::path& path, size_t depths, const Photo3dOptions& options,
                models::DepthClip& clip, UprightPhoto& first, RunLog& log) {
  VideoReader reader(path);
  first.full_width = reader.width();
  core::Camera smaller;
  smaller.width = reader.width();
  smaller.height = reader.height();
  smaller = reduced(smaller, options.resolution);
  core::Photo photo;
  while (reader.next(photo.pixels)) {
    clip.frames.push_back(smaller.width == reader.width()
                              ? photo.pixels
                              : core::shrink(photo, smaller.width, smaller.height).pixels);
    check_memory(clip.frames[0], clip.frames.size(), depths > 0 ? clip.frames.size() : 0);
  }
  if (clip.frames.size() < 2) {
    throw core::IoError(path,
                        fmt::format("holds {}, but a clip has two frames or more",
                                    plural(static_cast<int64_t>(clip.frames.size()), "frame")));
  }
  if (reader.frames_per_second() > 0) clip.frames_per_second = reader.frames_per_second();
  log.info("Read {} of {}x{} at {:.4g} a second.",
           plural(static_cast<int64_t>(clip.frames.size()), "frame"), clip.frames[0].width,
           clip.frames[0].height, clip.frames_per_second);
}

}  // namespace

bool holds_frames(const fs::path& folder) {
  return !files_in_order(folder, kPictures).empty();
}

Photo3dInput clip_with_depth(const Photo3dOptions& options, core::ThreadPool& pool, RunLog& log) {
  std::vector<fs::path> depths;
  if (fs::is_directory(options.depth)) depths = frames_in(options.depth, kDepths, "depth map");
  Photo3dInput input;
  models::DepthClip& clip = input.clip;
  clip.frames_per_second = kUsualRate;
  const auto check_count = [&](size_t frames) {
    if (depths.empty() || depths.size() == frames) return;
    throw core::UsageError("--depth", fmt::format("{} holds {} depth maps, but the clip has {} "
                                                  "frames; give one a frame, or one file for all",
                                                  options.depth.string(), depths.size(), frames));
  };
  UprightPhoto photo;
  if (fs::is_directory(options.input)) {
    const std::vector<fs::path> files = frames_in(options.input, kPictures, "picture");
    check_count(files.size());
    read_folder(files, depths.size(), options, clip, photo, log);
  } else {
    read_video(options.input, depths.size(), options, clip, photo, log);
    check_count(clip.frames.size());
  }
  if (options.clip_rate > 0) clip.frames_per_second = options.clip_rate;

  input.clip_statistics = models::clip_statistics(clip.frames, pool);
  photo.rgb = input.clip_statistics.median;
  input.kind = fmt::format("a clip of {} frames", clip.frames.size());
  clip.camera = camera_of(photo, options, log);
  input.scale = photo.scale();
  const double focal_px = clip.camera.camera.fx;
  std::vector<models::InverseDepth> of_frames;
  if (depths.empty()) {
    of_frames.push_back(depth_of_photo(photo, focal_px, options, log));
  } else {
    of_frames = depth_of_frames(depths, photo, focal_px, options, log);
  }
  clip.metric = of_frames[0].metric;
  for (models::InverseDepth& depth : of_frames) clip.inverse_depth.push_back(depth.values);
  take_depth(std::move(of_frames[0]), input.photo, log);
  input.photo = models::still_photo(clip, input.clip_statistics, pool);
  log.info("{:.1f} % of the pixels move by more than noise, which is {:.1f} of 255.",
           100 * input.clip_statistics.moving_share, input.clip_statistics.noise);
  if (input.clip_statistics.moving_share > kNearlyAll) {
    log.warning(
        "Nearly everything moves: the clip is taken to be of a camera that stands still; if it "
        "does not, views will be wrong.");
  }
  return input;
}

}  // namespace tessera::apps
