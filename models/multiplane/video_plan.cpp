// SPDX-License-Identifier: MIT
#include "models/multiplane/video_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/error.h"
#include "models/multiplane/moving_depth.h"
#include "models/multiplane/pages.h"
#include "models/multiplane/tile_layers.h"

namespace tessera::models {
namespace {

// A layer moves if so many of its texels do; fewer may be noise that was not taken for it.
constexpr double kMovingShare = 0.005;
constexpr int kLeastMoving = 8;

struct Sources {
  const DepthClip& clip;
  const ClipStatistics& statistics;
  std::vector<int> frames;  // of the clip, that the loop uses, in order

  size_t place_of(int frame) const {
    return std::lower_bound(frames.begin(), frames.end(), frame) - frames.begin();
  }
};

// A layer over time.
struct VideoLayer {
  TileLayer layer;
  const TileFrames* tile = nullptr;
  core::Image8 moves;  // of the layer's window; empty if the layer stays
  core::Image8 seen;   // where depth moves: medians of the colors that are seen

  bool depth_moves() const { return tile->labels.size() > 1; }
  // In the frame of that place in Sources::frames.
  Texel texel(size_t place, int x, int y) const {
    return texel_at(*layer.of.tile, tile->labels[depth_moves() ? place : 0], layer.plane, x, y);
  }
};

std::vector<int> frames_of(const ClipLoop& loop) {
  std::vector<int> frames;
  for (const LoopFrame& frame : loop.frames) {
    frames.push_back(frame.first);
    frames.push_back(frame.second);
  }
  std::sort(frames.begin(), frames.end());
  frames.erase(std::unique(frames.begin(), frames.end()), frames.end());
  return frames;
}

struct TexelHistory {
  std::vector<uint8_t> colors;  // RGB of the frames that show it
  bool always_opaque = true;
};

// Frames in which something that moves past mixes its color in count only if there are no others.
TexelHistory history_of(const VideoLayer& video, const Sources& sources, int x, int y) {
  TexelHistory history;
  const core::PixelWindow& window = video.layer.of.tile->window;
  std::vector<uint8_t> mixed;
  for (size_t place = 0; place < sources.frames.size(); ++place) {
    const Texel texel = video.texel(place, x, y);
    history.always_opaque = history.always_opaque && texel != Texel::kNone;
    if (texel != Texel::kVisible) continue;
    const bool is_mixed = video.tile->mixed[place].at(x - window.left, y - window.top) != 0;
    std::vector<uint8_t>& colors = is_mixed ? mixed : history.colors;
    const uint8_t* rgb = &sources.clip.frames[sources.frames[place]].at(x, y);
    colors.insert(colors.end(), rgb, rgb + 3);
  }
  if (history.colors.empty()) history.colors = std::move(mixed);
  return history;
}

// Whether a texel moves; its median color goes to `seen` where depth moves.
bool look_through_time(const Sources& sources, VideoLayer& video, int x, int y) {
  const TileLayer& layer = video.layer;
  if (!video.depth_moves()) {
    return video.texel(0, x, y) == Texel::kVisible && sources.statistics.moves.at(x, y) != 0;
  }
  TexelHistory history = history_of(video, sources, x, y);
  const int count = static_cast<int>(history.colors.size() / 3);
  if (count == 0) return !history.always_opaque;
  const bool changes = deviation_of(history.colors.data(), count) > sources.statistics.least_moved;
  median_of(history.colors.data(), count,
            &video.seen.at(x - layer.window.left, y - layer.window.top));
  return changes || !history.always_opaque;
}

void find_movement(const Sources& sources, VideoLayer& video) {
  const TileLayer& layer = video.layer;
  video.moves.resize(layer.window.width, layer.window.height, 1);
  video.moves.data.fill(0);
  if (video.depth_moves()) video.seen.resize(layer.window.width, layer.window.height, 3);
  int64_t texels = 0;
  int64_t moving = 0;
  for (int y = layer.window.top; y < layer.window.bottom(); ++y) {
    for (int x = layer.window.left; x < layer.window.right(); ++x) {
      if (texel_at(layer.of, layer.plane, x, y) == Texel::kNone) continue;
      ++texels;
      if (!look_through_time(sources, video, x, y)) continue;
      video.moves.at(x - layer.window.left, y - layer.window.top) = 1;
      ++moving;
    }
  }
  const double least = std::max<double>(kLeastMoving, kMovingShare * static_cast<double>(texels));
  if (static_cast<double>(moving) < least) video.moves = {};
}

// Layers that stay share pages with one another only, and so do those that move.
void place_layers(const std::vector<VideoLayer>& layers, size_t frames,
                  core::MultiplaneVideo& video) {
  int64_t texels = 0;
  for (const bool moving : {false, true}) {
    std::vector<core::MultiplaneLayer> placed;
    std::vector<size_t> which;
    for (size_t i = 0; i < layers.size(); ++i) {
      if (layers[i].moves.empty() == moving) continue;
      placed.push_back(video.image.layers[i]);
      which.push_back(i);
    }
    const auto first_page = static_cast<int>(video.image.pages.size());
    for (const PageSize& size : pack_into_pages(placed)) {
      const auto page = static_cast<int>(video.image.pages.size());
      video.image.pages.emplace_back(size.width, size.height, 4).data.fill(0);
      if (moving) video.moving.push_back({page, {}});
      texels += int64_t{size.width} * size.height * (moving ? static_cast<int64_t>(frames) : 1);
    }
    for (size_t k = 0; k < placed.size(); ++k) {
      placed[k].page += first_page;
      video.image.layers[which[k]] = placed[k];
    }
  }
  if (texels > core::kMostVideoTexels) {
    throw core::Error(
        fmt::format("What moves in {} frames takes {:.1f} GB, and at most {:.1f} are "
                    "taken; make the clip smaller (-r), or shorter.",
                    frames, 4e-9 * static_cast<double>(texels),
                    4e-9 * static_cast<double>(core::kMostVideoTexels)));
  }
}

// Of the texel at (u, v) of the layer's window, premultiplied; `still` is that of the image at
// rest.
std::array<uint8_t, 4> texel_in(const VideoLayer& video, const Sources& sources, size_t place,
                                int u, int v, const uint8_t* still) {
  const int x = video.layer.window.left + u;
  const int y = video.layer.window.top + v;
  switch (video.texel(place, x, y)) {
    case Texel::kNone:
      return {0, 0, 0, 0};
    case Texel::kVisible: {
      const uint8_t* rgb = &sources.clip.frames[sources.frames[place]].at(x, y);
      return {rgb[0], rgb[1], rgb[2], 255};
    }
    case Texel::kHidden:
      break;
  }
  return {still[0], still[1], still[2], still[3]};
}

// `page` holds the layer at rest.
void write_frame(const VideoLayer& video, const Sources& sources, const LoopFrame& frame,
                 const core::MultiplaneLayer& place, core::Image8& page) {
  const size_t first = sources.place_of(frame.first);
  const size_t second = sources.place_of(frame.second);
  for (int v = 0; v < place.window.height; ++v) {
    for (int u = 0; u < place.window.width; ++u) {
      if (video.moves.at(u, v) == 0) continue;
      uint8_t* texel = &page.at(place.x + u, place.y + v);
      const std::array<uint8_t, 4> a = texel_in(video, sources, first, u, v, texel);
      const std::array<uint8_t, 4> b = texel_in(video, sources, second, u, v, texel);
      for (int c = 0; c < 4; ++c) {
        texel[c] = static_cast<uint8_t>((1 - frame.second_weight) * static_cast<float>(a[c]) +
                                        frame.second_weight * static_cast<float>(b[c]) + 0.5F);
      }
    }
  }
}

void write_frames(const std::vector<VideoLayer>& layers, const Sources& sources,
                  const ClipLoop& loop, core::MultiplaneVideo& video, core::ThreadPool& pool) {
  const size_t still_pages = video.image.pages.size() - video.moving.size();
  for (core::MovingPage& page : video.moving) {
    page.frames.assign(loop.frames.size(), video.image.pages[page.page]);
  }
  pool.parallel_for(static_cast<int64_t>(loop.frames.size()), 1,
                    [&](int64_t begin, int64_t end, int) {
                      for (int64_t k = begin; k < end; ++k) {
                        for (size_t i = 0; i < layers.size(); ++i) {
                          if (layers[i].moves.empty()) continue;
                          const core::MultiplaneLayer& place = video.image.layers[i];
                          write_frame(layers[i], sources, loop.frames[k], place,
                                      video.moving[place.page - still_pages].frames[k]);
                        }
                      }
                    });
  video.show(0);
}

void check(const DepthClip& clip) {
  if (clip.inverse_depth.size() != 1 && clip.inverse_depth.size() != clip.frames.size()) {
    throw core::Error(
        fmt::format("The clip has {} frames and {} depth maps; give one for all or "
                    "one for each.",
                    clip.frames.size(), clip.inverse_depth.size()));
  }
}

}  // namespace

BuiltVideo build_multiplane_video(const DepthClip& clip, const ClipStatistics& statistics,
                                  const ClipLoop& loop, const PlanSettings& settings,
                                  core::ThreadPool& pool) {
  check(clip);
  const DepthPhoto still = still_photo(clip, statistics, pool);
  check_depth_photo(still);
  PlanSettings at_baseline = settings;
  at_baseline.baseline = planned_baseline(still, settings);
  const DisparityMap map = make_disparity_map(still, at_baseline.baseline, pool);
  std::vector<PlannedTile> tiles = find_planner(settings.planner).plan(map, at_baseline, pool);
  const Sources sources = {clip, statistics, frames_of(loop)};
  const std::vector<TileFrames> followed =
      follow_depth(clip, sources.frames, at_baseline, tiles, pool);
  std::vector<LabeledTile> labeled;
  for (size_t i = 0; i < tiles.size(); ++i) labeled.push_back({&tiles[i], followed[i].labels});
  const std::vector<TileLayer> tile_layers = layers_of(labeled, pool);

  BuiltVideo built;
  core::MultiplaneVideo& video = built.video;
  video.image.camera = clip.camera;
  video.image.metric = clip.metric;
  video.frames_per_second = clip.frames_per_second;
  std::vector<VideoLayer> layers(tile_layers.size());
  for (size_t i = 0; i < layers.size(); ++i) {
    layers[i].layer = tile_layers[i];
    layers[i].tile = &followed[tile_layers[i].of.tile - tiles.data()];
    video.image.layers.push_back(
        {plane_of(tile_layers[i], clip.camera.camera, at_baseline.baseline),
         tile_layers[i].window});
  }
  const auto for_layers = [&](const auto& body) {
    pool.parallel_for(static_cast<int64_t>(layers.size()), 1, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) body(layers[i], video.image.layers[i]);
    });
  };
  for_layers([&](VideoLayer& layer, const auto&) { find_movement(sources, layer); });
  place_layers(layers, loop.frames.size(), video);
  for_layers([&](const VideoLayer& layer, const core::MultiplaneLayer& place) {
    const core::PixelWindow& window = layer.layer.window;
    write_texels(layer.layer, Texel::kVisible, place, video.image,
                 [&](int x, int y, uint8_t* texel) {
                   std::copy_n(layer.depth_moves() ? &layer.seen.at(x - window.left, y - window.top)
                                                   : &statistics.median.at(x, y),
                               3, texel);
                 });
  });
  write_hidden_texels(statistics.median, map, tile_layers, video.image, settings.progress, pool);
  write_frames(layers, sources, loop, video, pool);
  for (const VideoLayer& layer : layers) {
    if (layer.moves.empty()) continue;
    ++built.moving_layers;
    built.moving_texels += layer.moves.pixel_count();
  }
  return built;
}

}  // namespace tessera::models
