// SPDX-License-Identifier: MIT
#include "apps/commands/photo3d_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/commands/photo3d_output.h"
#include "apps/commands/progress.h"
#include "apps/commands/upright_photo.h"
#include "assets/photos/image_io.h"
#include "core/error.h"
#include "models/multiplane/fit.h"
#include "models/multiplane/planner.h"

namespace tessera::apps {
namespace {

// Bytes a pixel, as measured on Aloe at 24 megapixels: a photo and its depth are decoded, turned
// and resized; planned with; kept; a view is drawn, filled and held against the photo.
constexpr int64_t kToRead = 17;
constexpr int64_t kToPlan = 22;
constexpr int64_t kKept = 9;
constexpr int64_t kToDraw = 34;
constexpr int64_t kTexel = 4;
constexpr int64_t kBetweenArrays = 24'000'000;  // large ones begin at huge pages
// A texel of several photos: itself, its gradient and two moments, and work on them.
constexpr int64_t kToFitTexel = 70;
constexpr int64_t kFrame = 19;  // a pixel of a frame of a clip, with its depth
// Planes of tiles overlap, and continue where nearer ones hide them: at most so many texels a
// pixel, as measured on photos; of planes across the picture one for each.
constexpr int64_t kTexelsOfTiles = 5;
constexpr int kLargestFactor = 8;  // of -r; more is a width

int64_t expected_texels(const Photo3dOptions& options, int64_t pixels) {
  if (!models::find_planner(options.planner).spans_picture) return kTexelsOfTiles * pixels;
  return pixels * (options.planes > 0 ? options.planes : models::kUsualPicturePlanes);
}

int64_t drawn_pixels(const Photo3dOptions& options, const core::Camera& camera) {
  switch (wanted_film(options)) {
    case Film::kNone:
      return 0;
    case Film::kAlone: {
      const core::Camera film = film_camera(camera, options.film_width);
      return int64_t{film.width} * film.height;
    }
    case Film::kBeside:
      break;
  }
  return int64_t{camera.width} * camera.height;
}

struct Stages {
  int64_t read, plan, draw;

  int64_t most() const { return std::max({read, plan, draw}); }
};

Stages stages_of(const Photo3dNeed& need) {
  const int64_t always = kProgramBytes + kBetweenArrays + need.held_bytes;
  const int64_t scene = kTexel * need.texels;
  return {always + kToRead * need.stored_pixels, always + kToPlan * need.pixels + scene,
          need.drawn_pixels > 0 ? always + kKept * need.pixels + kToDraw * need.drawn_pixels + scene
                                : 0};
}

// If photos were smaller by this factor.
Photo3dNeed smaller(const Photo3dNeed& need, int factor) {
  const int64_t fewer = int64_t{factor} * factor;
  Photo3dNeed result = need;
  result.pixels /= fewer;
  result.drawn_pixels /= fewer;
  result.texels /= fewer;
  result.held_bytes /= fewer;
  return result;
}

std::string advice(const Photo3dNeed& need, const MemoryRoom& room) {
  std::vector<std::string> choices;
  for (int factor = 2; need.resolution * factor <= kLargestFactor && choices.empty(); factor *= 2) {
    if (stages_of(smaller(need, factor)).most() > room.bytes) continue;
    choices.push_back(fmt::format("-r {}", need.resolution * factor));
  }
  Photo3dNeed only_scene = need;
  only_scene.drawn_pixels = 0;
  if (need.drawn_pixels == need.pixels && stages_of(only_scene).most() <= room.bytes) {
    choices.emplace_back("the scene alone (-o x.tmpi)");
  }
  return memory_advice(std::move(choices), stages_of(need).most(), room.bound);
}

}  // namespace

std::optional<Photo3dNeed> need_of_photo(const Photo3dOptions& options, Photo3dKind kind) {
  if (kind != Photo3dKind::kDepthMap && kind != Photo3dKind::kNetwork &&
      kind != Photo3dKind::kPair) {
    return std::nullopt;
  }
  const assets::ImageInfo stored = assets::probe_image(options.input);
  const bool turned = stored.exif_orientation >= 5;
  core::Camera camera;
  camera.width = turned ? stored.height : stored.width;
  camera.height = turned ? stored.width : stored.height;
  if (options.resolution > 1) camera = reduced(camera, options.resolution);
  Photo3dNeed need;
  need.stored_pixels = int64_t{stored.width} * stored.height;
  need.pixels = int64_t{camera.width} * camera.height;
  need.drawn_pixels = drawn_pixels(options, camera);
  need.texels = expected_texels(options, need.pixels);
  need.resolution = options.resolution;
  return need;
}

Photo3dNeed need_of_input(const Photo3dOptions& options, const Photo3dInput& input, int ranks) {
  const bool fits = !input.photos.empty();
  const core::Camera& camera =
      fits ? input.photos[input.reference].camera.camera : input.photo.camera.camera;
  Photo3dNeed need;
  need.pixels = int64_t{camera.width} * camera.height;
  need.drawn_pixels = drawn_pixels(options, camera);
  need.resolution = options.resolution;
  if (fits) {
    const int planes = options.planes > 0 ? options.planes : models::FitSettings().planes;
    need.texels = need.pixels * planes;
    need.held_bytes = kToFitTexel * need.texels / ranks;
  } else {
    need.texels = expected_texels(options, need.pixels);
    need.held_bytes = kFrame * need.pixels * static_cast<int64_t>(input.clip.frames.size());
  }
  return need;
}

Photo3dMemory plan_photo3d_memory(const Photo3dNeed& need, const MemoryLimits& limits) {
  const MemoryRoom room = room_within(limits);
  const Stages stages = stages_of(need);
  const auto text = [](int64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  if (stages.most() > room.bytes) {
    throw core::Error(fmt::format("This run needs {} of memory, and {}; {}.", text(stages.most()),
                                  room.text, advice(need, room)));
  }
  Photo3dMemory memory;
  memory.most_texel_bytes = kTexel * need.texels + room.bytes - std::max(stages.plan, stages.draw);
  memory.text = fmt::format("{} of memory (", text(stages.most()));
  if (stages.read > 0) memory.text += fmt::format("to read {}, ", text(stages.read));
  memory.text += fmt::format("to plan {}", text(stages.plan));
  if (stages.draw > 0) memory.text += fmt::format(", to draw {}", text(stages.draw));
  memory.text += ")";
  return memory;
}

}  // namespace tessera::apps
