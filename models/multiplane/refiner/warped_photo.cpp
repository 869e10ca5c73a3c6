// SPDX-License-Identifier: MIT
#include "models/multiplane/refiner/warped_photo.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/math/rng.h"

namespace tessera::models {
namespace {

using math::Vec3;

constexpr int kTries = 8;               // of pieces, until one has depth
constexpr double kLeastRange = 0.15;    // nearest against farthest, of the nearest
constexpr double kOutlierShare = 0.02;  // on either side
constexpr double kLeastShift = 4;       // pixels
constexpr double kMostShift = 0.15;     // of the width
constexpr double kMostForward = 0.3;    // of the way
constexpr float kSameSurface = 0.03F;   // of the range of inverse depths
constexpr float kLeastCover = 0.5F;     // of a pixel that is no hole
constexpr double kLeastScale = 0.2;     // of depths, by going forward
constexpr int kBorder = 8;

bool is_known(float inverse_depth) {
  return std::isfinite(inverse_depth) && inverse_depth > 0;
}

// Numbers in [0, 1), as many as are asked for.
class Draws {
 public:
  Draws(uint64_t seed, int step) : seed_(seed), step_(static_cast<uint32_t>(step)) {}
  double next() {
    const math::Random4 bits =
        math::random_bits(seed_, math::RandomStream::kRefiner, step_, count_++);
    return math::uniform_from_bits(bits.v[0]);
  }
  int below(int limit) { return std::min(limit - 1, static_cast<int>(next() * limit)); }

 private:
  uint64_t seed_;
  uint32_t step_;
  uint64_t count_ = 0;
};

struct Range {
  double least = 0;
  double greatest = 0;
};

Range range_of(const core::ImageF& inverse_depth) {
  std::vector<float> known;
  for (const float value : inverse_depth.data) {
    if (is_known(value)) known.push_back(value);
  }
  if (known.size() < 100) return {};
  std::sort(known.begin(), known.end());
  const auto outliers = static_cast<size_t>(kOutlierShare * static_cast<double>(known.size()));
  return {known[outliers], known[known.size() - 1 - outliers]};
}

TrainingPhoto piece_of(const TrainingPhoto& photo, int side, Draws& draws) {
  const int width = std::min(side, photo.color.width) / 2 * 2;
  const int height = std::min(side, photo.color.height) / 2 * 2;
  const core::PixelWindow window = {draws.below(photo.color.width - width + 1),
                                    draws.below(photo.color.height - height + 1), width, height};
  TrainingPhoto piece;
  core::crop(photo.color, window, piece.color);
  core::crop(photo.inverse_depth, window, piece.inverse_depth);
  return piece;
}

// So that a few photos do as many.
void change_at_random(TrainingPhoto& piece, Draws& draws) {
  const bool mirror = draws.next() < 0.5;
  const int first = draws.below(3);
  const int second = (first + 1 + draws.below(2)) % 3;
  const int order[] = {first, second, 3 - first - second};
  for (int y = 0; y < piece.color.height; ++y) {
    if (mirror) {
      std::reverse(piece.inverse_depth.row(y), piece.inverse_depth.row(y) + piece.color.width);
    }
    const core::Image8 row = [&] {
      core::Image8 copy;
      core::crop(piece.color, {0, y, piece.color.width, 1}, copy);
      return copy;
    }();
    for (int x = 0; x < row.width; ++x) {
      const int from = mirror ? row.width - 1 - x : x;
      for (int c = 0; c < 3; ++c) piece.color.at(x, y, c) = row.at(from, 0, order[c]);
    }
  }
}

// Means of 2x2 pixels.
core::Image8 halved(const core::Image8& picture) {
  core::Image8 half(picture.width / 2, picture.height / 2, picture.channels);
  for (int y = 0; y < half.height; ++y) {
    for (int x = 0; x < half.width; ++x) {
      for (int c = 0; c < half.channels; ++c) {
        const int sum = picture.at(2 * x, 2 * y, c) + picture.at(2 * x + 1, 2 * y, c) +
                        picture.at(2 * x, 2 * y + 1, c) + picture.at(2 * x + 1, 2 * y + 1, c);
        half.at(x, y, c) = static_cast<uint8_t>((sum + 2) / 4);
      }
    }
  }
  return half;
}

core::Image8 mask_of_truth(const core::ImageF& inverse_depth) {
  core::Image8 mask(inverse_depth.width / 2, inverse_depth.height / 2, 1);
  mask.data.fill(0);
  for (int y = kBorder; y < mask.height - kBorder; ++y) {
    for (int x = kBorder; x < mask.width - kBorder; ++x) {
      const bool known = is_known(inverse_depth.at(2 * x, 2 * y)) &&
                         is_known(inverse_depth.at(2 * x + 1, 2 * y + 1));
      mask.at(x, y) = known ? 255 : 0;
    }
  }
  return mask;
}

// A pixel of the piece as the picture from nearby shows it: a rectangle that reaches half-way to
// where the pixels beside it go that are of its surface, so that surfaces stay whole.
struct MovedPixel {
  double x = 0;  // of its middle
  double y = 0;
  double half_width = 0;         // where nothing of its surface is beside it
  float inverse_depth = 0;       // from nearby; 0: not seen
  float from_inverse_depth = 0;  // in the piece
};

// From a camera at the origin to one at `center` that looks in its direction.
struct Move {
  core::Camera from;
  core::Camera to;
  Vec3<double> center;

  // By what depths change; points at a scale below kLeastScale are not seen.
  double scale(double inverse_depth) const { return 1 - center.z * inverse_depth; }
  double x(double from_x, double inverse_depth) const {
    const double u = (from_x - from.cx) / from.fx;
    return to.fx * (u - center.x * inverse_depth) / scale(inverse_depth) + to.cx;
  }
  double y(double from_y, double inverse_depth) const {
    const double v = (from_y - from.cy) / from.fy;
    return to.fy * (v - center.y * inverse_depth) / scale(inverse_depth) + to.cy;
  }
};

// Makes `to` show only what the piece holds at all depths of the range, so that holes are nothing
// but what nearer surfaces hide.
void crop_to_piece(Move& move, Range range) {
  double left = 0;
  double top = 0;
  double right = move.to.width;
  double bottom = move.to.height;
  for (const double inverse_depth : {range.least, range.greatest}) {
    left = std::max(left, move.x(0, inverse_depth));
    top = std::max(top, move.y(0, inverse_depth));
    right = std::min(right, move.x(move.from.width, inverse_depth));
    bottom = std::min(bottom, move.y(move.from.height, inverse_depth));
  }
  move.to.width = std::max(1, static_cast<int>(std::floor(right) - std::ceil(left)));
  move.to.height = std::max(1, static_cast<int>(std::floor(bottom) - std::ceil(top)));
  move.to.cx -= std::ceil(left);
  move.to.cy -= std::ceil(top);
}

std::vector<MovedPixel> moved_pixels(const core::ImageF& inverse_depth, const Move& move) {
  std::vector<MovedPixel> pixels(inverse_depth.pixel_count());
  for (int y = 0; y < inverse_depth.height; ++y) {
    for (int x = 0; x < inverse_depth.width; ++x) {
      const float d = inverse_depth.at(x, y);
      const double scale = move.scale(d);
      if (!is_known(d) || scale < kLeastScale) continue;
      pixels[int64_t{y} * inverse_depth.width + x] = {move.x(0.5 * (x + 0.5), d),
                                                      move.y(0.5 * (y + 0.5), d), 0.25 / scale,
                                                      static_cast<float>(d / scale), d};
    }
  }
  return pixels;
}

struct Interval {
  double begin = 0;
  double end = 0;

  double shared_with_cell(int cell) const {
    return std::max(0.0, std::min(end, cell + 1.0) - std::max(begin, static_cast<double>(cell)));
  }
};

// Along x or y (`along`), between the pixels before and after, null at borders.
Interval extent(const MovedPixel& pixel, const MovedPixel* before, const MovedPixel* after,
                double MovedPixel::*along, float same) {
  const double middle = pixel.*along;
  const auto edge = [&](const MovedPixel* beside, double usual) {
    const bool joined = beside != nullptr && beside->inverse_depth > 0 &&
                        std::abs(beside->from_inverse_depth - pixel.from_inverse_depth) < same;
    return joined ? 0.5 * (middle + beside->*along) : usual;
  };
  const double a = edge(before, middle - pixel.half_width);
  const double b = edge(after, middle + pixel.half_width);
  return {std::min(a, b), std::max(a, b)};
}

// What a pixel from nearby shows of one surface, or of several: sums over the area that they cover.
struct Shown {
  float rgb[3] = {};
  float inverse_depth = 0;
  float area = 0;

  void add(const uint8_t* color, float at, float share) {
    for (int c = 0; c < 3; ++c) rgb[c] += share * color[c];
    inverse_depth += share * at;
    area += share;
  }
};

// Moves the piece into the pictures of `nearby`. A pixel there shows the nearest surface as far as
// it covers it, and what is behind, as photos do at edges; its depth is that of the greater part.
void move_pixels(const TrainingPhoto& piece, const Move& move, double range, WarpedPhoto& example) {
  const core::Camera& to = move.to;
  const int width = piece.color.width;
  const float same = kSameSurface * static_cast<float>(range);
  const std::vector<MovedPixel> pixels = moved_pixels(piece.inverse_depth, move);
  // Calls visit(pixel of nearby, inverse depth there, color, area).
  const auto each = [&](const auto& visit) {
    for (int64_t i = 0; i < piece.color.pixel_count(); ++i) {
      const MovedPixel& pixel = pixels[i];
      if (pixel.inverse_depth == 0) continue;
      const auto x = static_cast<int>(i % width);
      const Interval columns = extent(pixel, x > 0 ? &pixel - 1 : nullptr,
                                      x + 1 < width ? &pixel + 1 : nullptr, &MovedPixel::x, same);
      const Interval rows = extent(pixel, i >= width ? &pixel - width : nullptr,
                                   i + width < piece.color.pixel_count() ? &pixel + width : nullptr,
                                   &MovedPixel::y, same);
      const auto first = static_cast<int>(std::floor(std::max(0.0, columns.begin)));
      for (int v = static_cast<int>(std::floor(std::max(0.0, rows.begin)));
           v < to.height && v < rows.end; ++v) {
        for (int u = first; u < to.width && u < columns.end; ++u) {
          const double area = columns.shared_with_cell(u) * rows.shared_with_cell(v);
          visit(int64_t{v} * to.width + u, pixel.inverse_depth, &piece.color.data[3 * i],
                static_cast<float>(area));
        }
      }
    }
  };
  std::vector<float> nearest(int64_t{to.width} * to.height);
  each([&](int64_t at, float inverse_depth, const uint8_t*, float) {
    nearest[at] = std::max(nearest[at], inverse_depth);
  });
  std::vector<Shown> before(nearest.size());
  std::vector<Shown> behind(nearest.size());
  each([&](int64_t at, float inverse_depth, const uint8_t* color, float area) {
    Shown& shown = inverse_depth < nearest[at] - same ? behind[at] : before[at];
    shown.add(color, inverse_depth, area);
  });
  for (int64_t i = 0; i < static_cast<int64_t>(nearest.size()); ++i) {
    const float front = std::min(1.0F, before[i].area);
    const float back = std::min(1 - front, behind[i].area);
    const bool known = front + back >= kLeastCover;
    example.nearby_mask.data[i] = known ? 255 : 0;
    const Shown& greater = front >= back ? before[i] : behind[i];
    example.nearby.inverse_depth.data[i] = known ? greater.inverse_depth / greater.area : 0;
    for (int c = 0; c < 3; ++c) {
      float sum = 0;
      if (front > 0) sum += front * before[i].rgb[c] / before[i].area;
      if (back > 0) sum += back * behind[i].rgb[c] / behind[i].area;
      example.nearby.photo.data[3 * i + c] =
          known ? static_cast<uint8_t>(sum / (front + back) + 0.5F) : 0;
    }
  }
}

// Holes take the color of the farther one of the pixels to their left and right, as their depth
// does when a multiplane image is made.
void fill_holes(WarpedPhoto& example) {
  core::Image8& photo = example.nearby.photo;
  const core::ImageF& depth = example.nearby.inverse_depth;
  for (int y = 0; y < photo.height; ++y) {
    for (int x = 0; x < photo.width;) {
      if (depth.at(x, y) > 0) {
        ++x;
        continue;
      }
      int end = x;
      while (end < photo.width && !(depth.at(end, y) > 0)) ++end;
      const bool has_left = x > 0;
      const bool has_right = end < photo.width;
      const int source = has_left && (!has_right || depth.at(x - 1, y) <= depth.at(end, y)) ? x - 1
                         : has_right                                                        ? end
                                                                                            : -1;
      for (int u = x; u < end && source >= 0; ++u) {
        std::copy_n(&photo.at(source, y), 3, &photo.at(u, y));
      }
      x = end;
    }
  }
}

}  // namespace

WarpedPhoto warped_photo(std::span<const TrainingPhoto> photos, int side, uint64_t seed, int step) {
  Draws draws(seed, step);
  TrainingPhoto piece;
  Range range;
  for (int i = 0; i < kTries; ++i) {
    piece = piece_of(photos[draws.below(static_cast<int>(photos.size()))], 2 * side, draws);
    range = range_of(piece.inverse_depth);
    if (range.greatest - range.least > kLeastRange * range.greatest) break;
  }
  change_at_random(piece, draws);
  WarpedPhoto example;
  if (!(range.greatest > 0)) return example;
  core::Camera& camera = example.camera.camera;
  camera.width = piece.color.width / 2;
  camera.height = piece.color.height / 2;
  camera.fx = camera.fy = camera.width;
  camera.cx = 0.5 * camera.width;
  camera.cy = 0.5 * camera.height;
  example.truth = halved(piece.color);
  example.truth_mask = mask_of_truth(piece.inverse_depth);

  const double width = std::max(range.greatest - range.least, kLeastRange * range.greatest);
  const double most_shift = std::max(kLeastShift, kMostShift * camera.width);
  const double shift = kLeastShift + (most_shift - kLeastShift) * draws.next() * draws.next();
  const double angle = 2 * std::numbers::pi * draws.next();
  const double way = shift / (camera.fx * width);
  Move move = {
      camera,
      camera,
      {way * std::cos(angle), way * std::sin(angle), kMostForward * way * (2 * draws.next() - 1)}};
  // What is in the middle of the depths stays in the middle of the picture.
  const double middle = 0.5 * (range.least + range.greatest);
  move.to.cx += camera.fx * move.center.x * middle;
  move.to.cy += camera.fy * move.center.y * middle;
  crop_to_piece(move, range);
  example.baseline = std::sqrt(dot(move.center, move.center));
  example.nearby.camera.camera = move.to;
  example.nearby.camera.cam_from_world.translation = move.center * -1.0;
  example.nearby.photo.resize(move.to.width, move.to.height, 3);
  example.nearby.inverse_depth.resize(move.to.width, move.to.height, 1);
  example.nearby_mask.resize(move.to.width, move.to.height, 1);
  move_pixels(piece, move, width, example);
  if (std::ranges::count(example.nearby_mask.data, 255) == 0) return {};
  fill_holes(example);
  return example;
}

}  // namespace tessera::models
