// SPDX-License-Identifier: MIT
#include "assets/photos/photo_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "assets/photos/decode_ahead.h"
#include "assets/photos/photo_loader.h"
#include "assets/photos/undistort.h"
#include "core/count_text.h"
#include "core/error.h"
#include "core/timer.h"

namespace tessera::assets {
namespace {

int64_t decoded_bytes(const core::CaptureView& view, const PhotoGeometry& geometry,
                      bool alpha_is_opacity, const PhotoOptions& options) {
  const int64_t pixels = int64_t{geometry.output.width} * geometry.output.height;
  const bool mask = !view.mask_path.empty() || geometry.undistorted;
  const bool depth = options.load_depth && !view.depth_path.empty();
  constexpr int64_t kDepthBytes = sizeof(float);
  return pixels * (3 + (alpha_is_opacity ? 1 : 0) + (mask ? 1 : 0) + (depth ? kDepthBytes : 0));
}

// What decoding holds at its peak: the photo as decoded and the undistorted one, masks included.
int64_t working_bytes(const core::CaptureView& view, const PhotoGeometry& geometry) {
  constexpr int64_t kBytesPerPixel = 5;
  return kBytesPerPixel * (int64_t{view.camera.width} * view.camera.height +
                           int64_t{geometry.full.width} * geometry.full.height);
}

std::string in_megabytes(int64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

struct Entry {
  core::CaptureView view;
  PhotoGeometry geometry;
  core::PosedCamera camera;
  std::shared_ptr<const core::Photo> photo;  // null where the budget does not hold it
  bool masked_out = false;                   // known once it was decoded
};

class PhotoCache final : public core::PhotoSource {
 public:
  PhotoCache(std::vector<Entry> entries, bool alpha_is_opacity, const PhotoOptions& options)
      : entries_(std::move(entries)), ahead_([this, alpha_is_opacity, options](int view) {
          const Entry& entry = entries_[view];
          return std::make_shared<const core::Photo>(
              load_photo(entry.view, entry.geometry, alpha_is_opacity, options));
        }) {}

  int count() const override { return static_cast<int>(entries_.size()); }
  const std::string& name(int view) const override { return entries_[view].view.name; }
  const core::PosedCamera& camera(int view) const override { return entries_[view].camera; }
  bool is_masked_out(int view) const override { return entries_[view].masked_out; }
  std::shared_ptr<const core::Photo> photo(int view) override {
    const auto& resident = entries_[view].photo;
    return resident != nullptr ? resident : ahead_.take(view);
  }
  void prefetch(int view) override {
    if (entries_[view].photo == nullptr) ahead_.request(view);
  }

 private:
  std::vector<Entry> entries_;
  DecodeAhead ahead_;
};

std::vector<Entry> make_entries(const core::Capture& capture, const std::vector<int>& views,
                                const PhotoOptions& options) {
  std::vector<Entry> entries;
  for (const int index : views) {
    Entry entry;
    entry.view = capture.views.at(index);
    if (entry.view.image_path.empty()) {
      throw core::IoError(capture.folder, fmt::format("the photo \"{}\" is missing on disk; copy "
                                                      "it there or give its folder with --images",
                                                      entry.view.name));
    }
    if (entry.view.camera.width > 0) entry.geometry = photo_geometry(entry.view, options);
    entry.camera = {entry.geometry.output, entry.view.cam_from_world};
    entries.push_back(std::move(entry));
  }
  return entries;
}

PhotoPlan plan_of(const std::vector<Entry>& entries, bool alpha_is_opacity,
                  const PhotoOptions& options) {
  PhotoPlan plan;
  for (const Entry& entry : entries) {
    const int64_t bytes = decoded_bytes(entry.view, entry.geometry, alpha_is_opacity, options);
    plan.decoded_bytes += bytes;
    // Ready ahead, in the caller's hands, and being decoded.
    plan.minimum_bytes =
        std::max(plan.minimum_bytes,
                 (DecodeAhead::kReady + 2) * bytes + working_bytes(entry.view, entry.geometry));
  }
  plan.minimum_bytes = std::min(plan.minimum_bytes, plan.decoded_bytes);
  return plan;
}

// How many photos may be decoded at once: at most half of the budget is what decoding holds.
int decoding_lanes(const std::vector<Entry>& entries, const PhotoOptions& options, int threads) {
  if (options.cache_bytes == 0) return threads;
  int64_t largest = 1;
  for (const Entry& entry : entries) {
    largest = std::max(largest, working_bytes(entry.view, entry.geometry));
  }
  return static_cast<int>(std::clamp<int64_t>(options.cache_bytes / 2 / largest, 1, threads));
}

// How many entries, from the first, stay decoded.
int resident_count(const std::vector<Entry>& entries, const PhotoPlan& plan, bool alpha_is_opacity,
                   const PhotoOptions& options, int lanes) {
  if (options.cache_bytes == 0 || plan.decoded_bytes <= options.cache_bytes) {
    return static_cast<int>(entries.size());
  }
  int64_t decoding = 0;
  for (const Entry& entry : entries) {
    decoding = std::max(decoding, lanes * working_bytes(entry.view, entry.geometry));
  }
  int64_t left = options.cache_bytes - std::max(plan.minimum_bytes, decoding);
  int count = 0;
  for (const Entry& entry : entries) {
    left -= decoded_bytes(entry.view, entry.geometry, alpha_is_opacity, options);
    if (left < 0) break;
    ++count;
  }
  return count;
}

// Says now and then how far the decoding is: large captures take minutes.
class DecodingProgress {
 public:
  DecodingProgress(size_t total, core::Log& log) : total_(total), log_(log) {}

  // Thread 0 is the caller's, which may log.
  void one_done(int thread) {
    const size_t done = ++done_;
    constexpr double kSilentSeconds = 5;
    if (thread != 0 || since_last_.seconds() < kSilentSeconds) return;
    log_.info("{} of {} photos are decoded.", done, total_);
    since_last_ = core::Timer();
  }

 private:
  size_t total_;
  core::Log& log_;
  std::atomic<size_t> done_ = 0;
  core::Timer since_last_;
};

// Decodes every entry once, `lanes` at a time, and keeps the first `resident`. Gives each entry's
// error, or nothing.
std::vector<std::string> decode_each(std::vector<Entry>& entries, int resident, int lanes,
                                     bool alpha_is_opacity, const PhotoOptions& options,
                                     core::ThreadPool& pool, core::Log& log) {
  std::vector<std::string> failures(entries.size());
  DecodingProgress progress(entries.size(), log);
  const auto decode = [&](int64_t i) {
    Entry& entry = entries[i];
    try {
      auto photo = std::make_shared<const core::Photo>(
          load_photo(entry.view, entry.geometry, alpha_is_opacity, options));
      entry.masked_out = core::is_masked_out(*photo);
      if (i < resident) entry.photo = std::move(photo);
    } catch (const core::IoError& error) {
      failures[i] = error.what();
    }
  };
  std::atomic<int64_t> next = 0;
  const auto count = static_cast<int64_t>(entries.size());
  pool.parallel_for(lanes, 1, [&](int64_t /*begin*/, int64_t /*end*/, int thread) {
    for (int64_t i = next++; i < count; i = next++) {
      decode(i);
      progress.one_done(thread);
    }
  });
  return failures;
}

// Bad photos are an error or, if asked for, left out with a warning.
void drop_failures(std::vector<Entry>& entries, const std::vector<std::string>& failures,
                   const core::Capture& capture, const PhotoOptions& options, core::Log& log) {
  std::vector<std::string> bad;
  std::vector<Entry> good;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (failures[i].empty()) {
      good.push_back(std::move(entries[i]));
    } else {
      bad.push_back(failures[i]);
    }
  }
  if (!bad.empty() && !options.skip_bad_images) {
    constexpr size_t kShown = 5;
    const size_t shown = std::min(bad.size(), kShown);
    const std::string rest =
        bad.size() > shown ? fmt::format("; and {} more", bad.size() - shown) : "";
    throw core::IoError(
        capture.folder,
        fmt::format("{} of its photos cannot be used (--skip-bad-images goes on "
                    "without them): {}{}",
                    bad.size(), fmt::join(bad.begin(), bad.begin() + shown, "; "), rest));
  }
  for (const std::string& failure : bad) log.warning("Left out: {}.", failure);
  if (good.empty()) throw core::IoError(capture.folder, "none of its photos can be used");
  entries = std::move(good);
}

void describe_undistortion(const std::vector<Entry>& entries, core::Log& log) {
  std::map<std::string, int> sentences;
  for (const Entry& entry : entries) {
    if (!entry.geometry.undistorted) continue;
    const core::Camera& from = entry.view.camera;
    const core::Camera& to = entry.geometry.full;
    ++sentences[fmt::format(
        "undistorted, {} {} x {} to PINHOLE {} x {} (fx {:.2f}, fy {:.2f}, cx {:.2f}, cy "
        "{:.2f}){}.",
        core::name_of(from.model), from.width, from.height, to.width, to.height, to.fx, to.fy,
        to.cx, to.cy,
        entry.geometry.cropped
            ? fmt::format(", cropped to a field of view of {} degrees or twice the size",
                          kMaxFieldOfViewDeg)
            : "")];
  }
  constexpr int kShown = 5;
  int shown = 0;
  for (const auto& [sentence, count] : sentences) {
    if (++shown > kShown) break;
    log.info("{} {}", core::plural(count, "photo"), sentence);
  }
  if (shown > kShown) {
    log.info("Undistorted likewise: {}.",
             core::plural(static_cast<int64_t>(sentences.size()) - kShown, "more camera"));
  }
}

void describe_memory(const std::vector<Entry>& entries, const PhotoPlan& plan, core::Log& log) {
  const auto resident = std::count_if(entries.begin(), entries.end(),
                                      [](const Entry& entry) { return entry.photo != nullptr; });
  const auto all = static_cast<int64_t>(entries.size());
  if (resident == all) {
    log.info("Decoded, {} take{} {}.", core::plural(all, "photo"), all == 1 ? "s" : "",
             in_megabytes(plan.decoded_bytes));
  } else {
    log.info("{} photos would take {} decoded; {} stay so, the others are decoded ahead of use.",
             all, in_megabytes(plan.decoded_bytes), resident);
  }
}

void check_budget(const PhotoPlan& plan, const PhotoOptions& options) {
  if (options.cache_bytes == 0 || options.cache_bytes >= plan.minimum_bytes) return;
  throw core::UsageError(
      "--max-memory",
      fmt::format("{} are left for photos, which need {} at least; raise it or make the photos "
                  "smaller with -r",
                  in_megabytes(options.cache_bytes), in_megabytes(plan.minimum_bytes)));
}

}  // namespace

PhotoPlan plan_photos(const core::Capture& capture, const std::vector<int>& views,
                      const PhotoOptions& options) {
  return plan_of(make_entries(capture, views, options), capture.alpha_is_opacity, options);
}

std::unique_ptr<core::PhotoSource> open_photos(const core::Capture& capture,
                                               const std::vector<int>& views,
                                               const PhotoOptions& options, core::ThreadPool& pool,
                                               core::Log& log) {
  std::vector<Entry> entries = make_entries(capture, views, options);
  const PhotoPlan plan = plan_of(entries, capture.alpha_is_opacity, options);
  check_budget(plan, options);
  describe_undistortion(entries, log);
  const int lanes = decoding_lanes(entries, options, pool.thread_count());
  const int resident = resident_count(entries, plan, capture.alpha_is_opacity, options, lanes);
  const std::vector<std::string> failures =
      decode_each(entries, resident, lanes, capture.alpha_is_opacity, options, pool, log);
  drop_failures(entries, failures, capture, options, log);
  describe_memory(entries, plan, log);
  const auto depth_files = std::count_if(entries.begin(), entries.end(), [](const Entry& entry) {
    return !entry.view.depth_path.empty();
  });
  if (depth_files > 0 && !options.load_depth) {
    log.info("{} ignored; --depth-weight uses them.", core::plural(depth_files, "depth file"));
  }
  return std::make_unique<PhotoCache>(std::move(entries), capture.alpha_is_opacity, options);
}

}  // namespace tessera::assets
