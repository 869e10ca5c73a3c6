// SPDX-License-Identifier: MIT
#include "assets/photos/photo_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>

#include "assets/photos/decode_ahead.h"
#include "assets/photos/photo_loader.h"
#include "assets/photos/photo_store.h"
#include "assets/photos/undistort.h"
#include "core/count_text.h"
#include "core/error.h"
#include "core/timer.h"

namespace tessera::assets {
namespace {

int64_t decoded_bytes(const StoredPhoto& entry, bool alpha_is_opacity,
                      const PhotoOptions& options) {
  const core::Camera& camera = entry.geometry.output;
  const int64_t pixels = int64_t{camera.width} * camera.height;
  const bool mask = !entry.view.mask_path.empty() || entry.geometry.undistorted;
  const bool depth = options.load_depth && !entry.view.depth_path.empty();
  constexpr int64_t kDepthBytes = sizeof(float);
  return pixels * (3 + (alpha_is_opacity ? 1 : 0) + (mask ? 1 : 0) + (depth ? kDepthBytes : 0));
}

// What decoding holds at its peak: the photo as decoded and the undistorted one, masks included.
int64_t working_bytes(const StoredPhoto& entry) {
  constexpr int64_t kBytesPerPixel = 5;
  const core::Camera& file = entry.view.camera;
  const core::Camera& full = entry.geometry.full;
  return kBytesPerPixel * (int64_t{file.width} * file.height + int64_t{full.width} * full.height);
}

std::string in_megabytes(int64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::vector<StoredPhoto> make_entries(const core::Capture& capture, const std::vector<int>& views,
                                      const PhotoOptions& options) {
  std::vector<StoredPhoto> entries;
  for (const int index : views) {
    StoredPhoto entry;
    entry.view = capture.views.at(index);
    if (entry.view.image_path.empty()) {
      throw core::IoError(capture.folder, fmt::format("the photo \"{}\" is missing on disk; copy "
                                                      "it there or give its folder with --images",
                                                      entry.view.name));
    }
    if (entry.view.camera.width > 0) entry.geometry = photo_geometry(entry.view, options);
    entry.camera = {entry.geometry.output, entry.view.cam_from_world};
    entry.bytes = decoded_bytes(entry, capture.alpha_is_opacity, options);
    entries.push_back(std::move(entry));
  }
  return entries;
}

PhotoPlan plan_of(const std::vector<StoredPhoto>& entries) {
  PhotoPlan plan;
  for (const StoredPhoto& entry : entries) {
    plan.decoded_bytes += entry.bytes;
    // Ready ahead, in the caller's hands, and being decoded.
    plan.minimum_bytes = std::max(plan.minimum_bytes,
                                  (DecodeAhead::kReady + 2) * entry.bytes + working_bytes(entry));
  }
  plan.minimum_bytes = std::min(plan.minimum_bytes, plan.decoded_bytes);
  return plan;
}

// How many photos may be decoded at once: at most half of the budget is what decoding holds.
int decoding_lanes(const std::vector<StoredPhoto>& entries, const PhotoOptions& options,
                   int threads) {
  if (options.cache_bytes == 0) return threads;
  int64_t largest = 1;
  for (const StoredPhoto& entry : entries) {
    largest = std::max(largest, working_bytes(entry));
  }
  return static_cast<int>(std::clamp<int64_t>(options.cache_bytes / 2 / largest, 1, threads));
}

// Bytes of photos that may stay decoded.
int64_t room_for_photos(const std::vector<StoredPhoto>& entries, const PhotoPlan& plan,
                        const PhotoOptions& options, int lanes) {
  if (options.cache_bytes == 0 || plan.decoded_bytes <= options.cache_bytes) {
    return plan.decoded_bytes;
  }
  int64_t decoding = 0;
  for (const StoredPhoto& entry : entries) {
    decoding = std::max(decoding, lanes * working_bytes(entry));
  }
  return std::max<int64_t>(0, options.cache_bytes - std::max(plan.minimum_bytes, decoding));
}

// Places of the entries to be decoded at the opening.
std::vector<size_t> places_of(const PhotoPart& part, size_t count) {
  std::vector<size_t> places;
  for (size_t i = part.index; i < count; i += part.count) places.push_back(i);
  return places;
}

// How many of the entries at `places`, from the first, there is room for.
size_t fitting_count(const std::vector<StoredPhoto>& entries, const std::vector<size_t>& places,
                     int64_t room) {
  size_t count = 0;
  for (const size_t place : places) {
    room -= entries[place].bytes;
    if (room < 0) break;
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

// How a set is decoded when it is opened.
struct Decoding {
  std::vector<size_t> places;
  size_t kept = 0;  // of them, from the first
  int lanes = 1;    // photos at once
  bool alpha_is_opacity = false;
};

// Sets the checks of what is decoded.
void decode_each(std::vector<StoredPhoto>& entries, const Decoding& decoding,
                 const PhotoOptions& options, core::ThreadPool& pool, core::Log& log,
                 std::vector<PhotoCheck>& checks) {
  DecodingProgress progress(decoding.places.size(), log);
  const auto decode = [&](int64_t i) {
    const size_t place = decoding.places[i];
    StoredPhoto& entry = entries[place];
    try {
      auto photo = std::make_shared<const core::Photo>(
          load_photo(entry.view, entry.geometry, decoding.alpha_is_opacity, options));
      checks[place].masked_out = core::is_masked_out(*photo);
      if (i >= static_cast<int64_t>(decoding.kept)) return;
      entry.photo = std::move(photo);
      entry.gives_way = options.opened.count > 1;
    } catch (const core::IoError& error) {
      checks[place].failure = error.what();
    }
  };
  std::atomic<int64_t> next = 0;
  const auto count = static_cast<int64_t>(decoding.places.size());
  pool.parallel_for(decoding.lanes, 1, [&](int64_t /*begin*/, int64_t /*end*/, int thread) {
    for (int64_t i = next++; i < count; i = next++) {
      decode(i);
      progress.one_done(thread);
    }
  });
}

// Bad photos are an error or, if asked for, left out with a warning.
void drop_failures(std::vector<StoredPhoto>& entries, const std::vector<PhotoCheck>& checks,
                   const core::Capture& capture, const PhotoOptions& options, core::Log& log) {
  std::vector<std::string> bad;
  std::vector<StoredPhoto> good;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!checks[i].failure.empty()) {
      bad.push_back(checks[i].failure);
      continue;
    }
    entries[i].masked_out = checks[i].masked_out;
    good.push_back(std::move(entries[i]));
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

void describe_undistortion(const std::vector<StoredPhoto>& entries, core::Log& log) {
  std::map<std::string, int> sentences;
  for (const StoredPhoto& entry : entries) {
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

void describe_memory(const PhotoStore& photos, const PhotoPlan& plan, core::Log& log) {
  const int all = photos.count();
  if (photos.most_decoded() < all) return;  // whoever set the budget knows what it means
  log.info("Decoded, {} take{} {}.", core::plural(all, "photo"), all == 1 ? "s" : "",
           in_megabytes(plan.decoded_bytes));
}

void describe_depth(const std::vector<StoredPhoto>& entries, core::Log& log) {
  const auto files = std::count_if(entries.begin(), entries.end(), [](const StoredPhoto& entry) {
    return !entry.view.depth_path.empty();
  });
  if (files > 0)
    log.info("{} ignored; --depth-weight uses them.", core::plural(files, "depth file"));
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

struct PhotoOpening::Impl {
  const core::Capture& capture;
  PhotoOptions options;
  core::Log& log;
  std::vector<StoredPhoto> entries;
  PhotoPlan plan;
  int64_t room = 0;
  int64_t decodes = 0;
};

PhotoPlan plan_photos(const core::Capture& capture, const std::vector<int>& views,
                      const PhotoOptions& options) {
  return plan_of(make_entries(capture, views, options));
}

PhotoOpening::PhotoOpening(const core::Capture& capture, const std::vector<int>& views,
                           const PhotoOptions& options, core::ThreadPool& pool, core::Log& log)
    : impl_(new Impl{capture, options, log, make_entries(capture, views, options), {}, 0, 0}),
      checks_(views.size()) {
  Impl& set = *impl_;
  set.plan = plan_of(set.entries);
  check_budget(set.plan, options);
  describe_undistortion(set.entries, log);
  Decoding decoding;
  decoding.places = places_of(options.opened, set.entries.size());
  decoding.lanes = decoding_lanes(set.entries, options, pool.thread_count());
  decoding.alpha_is_opacity = capture.alpha_is_opacity;
  set.room = room_for_photos(set.entries, set.plan, options, decoding.lanes);
  decoding.kept = fitting_count(set.entries, decoding.places, set.room);
  decode_each(set.entries, decoding, options, pool, log, checks_);
  set.decodes = static_cast<int64_t>(decoding.places.size());
}

PhotoOpening::PhotoOpening(PhotoOpening&&) noexcept = default;
PhotoOpening::~PhotoOpening() = default;

std::unique_ptr<PhotoStore> PhotoOpening::finish() {
  Impl& set = *impl_;
  drop_failures(set.entries, checks_, set.capture, set.options, set.log);
  if (!set.options.load_depth) describe_depth(set.entries, set.log);
  auto photos = std::make_unique<PhotoStore>(std::move(set.entries), set.room, set.decodes,
                                             set.capture.alpha_is_opacity, set.options);
  describe_memory(*photos, set.plan, set.log);
  return photos;
}

std::unique_ptr<PhotoStore> open_photos(const core::Capture& capture, const std::vector<int>& views,
                                        const PhotoOptions& options, core::ThreadPool& pool,
                                        core::Log& log) {
  return PhotoOpening(capture, views, options, pool, log).finish();
}

}  // namespace tessera::assets
