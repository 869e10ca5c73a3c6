// SPDX-License-Identifier: MIT
#include "models/gaussian/sweep_start.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "core/evenly_spread.h"
#include "core/math/rng.h"
#include "models/gaussian/common_view.h"
#include "models/gaussian/model.h"
#include "models/gaussian/view_pass.h"

namespace tessera::models {
namespace {

using Vec2d = math::Vec2<double>;
using Vec3d = math::Vec3<double>;

constexpr int64_t kMostViews = 48;
constexpr int kNeighbors = 8;     // photos that a ray is held against
constexpr int kMinNeighbors = 2;  // that must see a depth for it to count
constexpr int kLeastDepths = 48;
constexpr int kMostDepths = 256;
constexpr int kRefinements = 2;    // each looks at 4 depths on either side, a quarter as far apart
constexpr double kNearest = 0.15;  // of the distance of what the cameras look at
constexpr double kFarthest = 12;
constexpr int kLongSide = 480;         // photos are compared at about this size
constexpr double kPatchStep = 2;       // pixels from the middle of a patch to its other four
constexpr float kMostDifference = 60;  // of 255: what is hidden differs by anything
constexpr uint8_t kOpaque = 128;       // of 255
constexpr int kTries = 16;             // pixels drawn for a ray until one counts

// A photo made small: red, green, blue, and alpha, which is 0 where the photo is masked.
struct SmallPhoto {
  core::PosedCamera posed;
  math::Lens<double> lens;
  core::Image8 pixels;
  std::vector<int> neighbors;
  double widest_baseline = 0;  // to one of them
};

void shrink(const core::Photo& photo, int factor, core::Image8& small) {
  const core::Image8& from = photo.pixels;
  for (int y = 0; y < small.height; ++y) {
    for (int x = 0; x < small.width; ++x) {
      int sum[4] = {};
      int count = 0;
      for (int v = y * factor; v < std::min(from.height, (y + 1) * factor); ++v) {
        for (int u = x * factor; u < std::min(from.width, (x + 1) * factor); ++u, ++count) {
          const uint8_t* pixel = &from.at(u, v);
          const bool masked = !photo.mask.empty() && photo.mask.at(u, v) < kOpaque;
          for (int c = 0; c < 3; ++c) sum[c] += pixel[c];
          sum[3] += masked ? 0 : from.channels == 4 ? pixel[3] : 255;
        }
      }
      for (int c = 0; c < 4; ++c) {
        small.at(x, y, c) = static_cast<uint8_t>((sum[c] + count / 2) / count);
      }
    }
  }
}

// Collective: each rank makes some of the photos small, those that it was likely the one to decode.
std::vector<SmallPhoto> small_photos(core::PhotoSource& photos, const std::vector<int>& views,
                                     distributed::Communicator& ranks) {
  std::vector<SmallPhoto> small;
  std::vector<int> owners;
  for (const int view : core::evenly_spread(views, kMostViews)) {
    SmallPhoto& photo = small.emplace_back();
    photo.posed = photos.camera(view);
    core::Camera& camera = photo.posed.camera;
    const int side = std::max(camera.width, camera.height);
    const int factor = std::max(1, (side + kLongSide / 2) / kLongSide);
    photo.pixels =
        core::Image8(std::max(1, camera.width / factor), std::max(1, camera.height / factor), 4);
    owners.push_back(view % ranks.size());
    if (owners.back() == ranks.rank()) {
      const std::shared_ptr<const core::Photo> whole = photos.photo(view);
      check_photo_size(*whole, camera, photos.name(view));
      shrink(*whole, factor, photo.pixels);
    }
    camera = scaled(camera, photo.pixels.width, photo.pixels.height);
    photo.lens = lens_of(camera);
  }
  for (size_t i = 0; i < small.size(); ++i) {
    core::Array<uint8_t>& pixels = small[i].pixels.data;
    ranks.broadcast("small photos", owners[i],
                    std::span(pixels.data(), static_cast<size_t>(pixels.size())));
  }
  return small;
}

// The nearest other photos that look the same way from elsewhere.
void find_neighbors(std::vector<SmallPhoto>& photos, double extent) {
  constexpr double kMinBaseline = 0.05;  // of the extent
  constexpr double kMinCosine = 0.5;
  for (SmallPhoto& photo : photos) {
    std::vector<std::pair<double, int>> order;
    for (int other = 0; other < static_cast<int>(photos.size()); ++other) {
      const core::Rigid& a = photo.posed.cam_from_world;
      const core::Rigid& b = photos[other].posed.cam_from_world;
      const Vec3d apart = center_in_world(b) - center_in_world(a);
      const double distance = std::sqrt(dot(apart, apart));
      if (distance < kMinBaseline * extent) continue;
      if (dot(forward_axis(a), forward_axis(b)) < kMinCosine) continue;
      order.emplace_back(distance, other);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [distance, other] : order) {
      if (photo.neighbors.size() == kNeighbors) break;
      photo.neighbors.push_back(other);
      photo.widest_baseline = distance;
    }
  }
}

struct Sample {
  float color[3];
  float alpha;
};

// Nothing outside the picture.
std::optional<Sample> sample(const SmallPhoto& photo, Vec3d in_world) {
  const core::Rigid& pose = photo.posed.cam_from_world;
  const Vec3d p = pose.rotation * in_world + pose.translation;
  if (!(p.z > 0)) return std::nullopt;
  const Vec2d at = project(photo.lens, p);
  const double x = at.x - 0.5, y = at.y - 0.5;
  const core::Image8& pixels = photo.pixels;
  if (!(x >= 0 && y >= 0 && x <= pixels.width - 1 && y <= pixels.height - 1)) return std::nullopt;
  const int x0 = std::min(static_cast<int>(x), std::max(0, pixels.width - 2));
  const int y0 = std::min(static_cast<int>(y), std::max(0, pixels.height - 2));
  const auto fx = static_cast<float>(x - x0), fy = static_cast<float>(y - y0);
  const int right = pixels.width > 1 ? 4 : 0;
  const uint8_t* top = &pixels.at(x0, y0);
  const uint8_t* bottom = pixels.height > 1 ? &pixels.at(x0, y0 + 1) : top;
  const auto mix = [&](int c) {
    const float above = top[c] + fx * static_cast<float>(top[right + c] - top[c]);
    const float below = bottom[c] + fx * static_cast<float>(bottom[right + c] - bottom[c]);
    return above + fy * (below - above);
  };
  return Sample{{mix(0), mix(1), mix(2)}, mix(3)};
}

// A ray of a photo with the four around it, as directions in the world of depth 1 along the axis.
struct Ray {
  static constexpr int kPatch = 5;
  int photo;
  Vec3d center;
  std::array<Vec3d, kPatch> directions;
  std::array<Sample, kPatch> samples;

  Vec3d at(double depth, int patch) const { return center + depth * directions[patch]; }
};

std::optional<Ray> ray_through(const std::vector<SmallPhoto>& photos, int index, Vec2d pixel) {
  constexpr double kOffset[Ray::kPatch][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  const SmallPhoto& photo = photos[index];
  const core::Rigid& pose = photo.posed.cam_from_world;
  Ray ray = {index, center_in_world(pose), {}, {}};
  for (int k = 0; k < Ray::kPatch; ++k) {
    const Vec2d at = {pixel.x + kPatchStep * kOffset[k][0], pixel.y + kPatchStep * kOffset[k][1]};
    Vec2d uv;
    if (!unproject(photo.lens, at, uv)) return std::nullopt;
    ray.directions[k] = transposed_times(pose.rotation, Vec3d{uv.x, uv.y, 1});
    const std::optional<Sample> here = sample(photo, ray.at(1, k));
    if (!here || here->alpha < kOpaque) return std::nullopt;
    ray.samples[k] = *here;
  }
  return ray;
}

// How much the photos around differ from the ray's own at a depth: the mean over the half of them
// that differs least, since the others may see something before it. Infinite where too few see it
// or one sees through it.
float disagreement(const std::vector<SmallPhoto>& photos, const Ray& ray, double depth) {
  std::array<float, kNeighbors> differences;
  int seen = 0;
  for (const int neighbor : photos[ray.photo].neighbors) {
    float difference = 0;
    int inside = 0;
    for (int k = 0; k < Ray::kPatch; ++k) {
      const std::optional<Sample> there = sample(photos[neighbor], ray.at(depth, k));
      if (!there) continue;
      if (k == 0 && there->alpha < 0.5F * kOpaque) return std::numeric_limits<float>::infinity();
      for (int c = 0; c < 3; ++c) {
        difference += std::abs(there->color[c] - ray.samples[k].color[c]);
      }
      ++inside;
    }
    if (inside < Ray::kPatch) continue;
    differences[seen++] = std::min(difference / (3 * Ray::kPatch), kMostDifference);
  }
  if (seen < kMinNeighbors) return std::numeric_limits<float>::infinity();
  const int half = (seen + 1) / 2;
  std::nth_element(differences.begin(), differences.begin() + half - 1, differences.begin() + seen);
  float sum = 0;
  for (int k = 0; k < half; ++k) sum += differences[k];
  return sum / static_cast<float>(half);
}

struct BestDepth {
  double depth = 0;
  float disagreement = std::numeric_limits<float>::infinity();
};

// The depth of least disagreement. `jitter` in [0, 1) moves the depths looked at.
BestDepth sweep(const std::vector<SmallPhoto>& photos, const Ray& ray, double nearest,
                double farthest, double jitter) {
  const SmallPhoto& photo = photos[ray.photo];
  // Evenly in inverse depth: then steps in the other photos are even, here of one pixel in the one
  // that stands farthest.
  const double disparity = photo.posed.camera.fx * photo.widest_baseline;
  const double range = 1 / nearest - 1 / farthest;
  const int depths =
      static_cast<int>(std::clamp<double>(disparity * range, kLeastDepths, kMostDepths));
  double step = range / depths;
  double middle = 0;
  BestDepth best;
  const auto look = [&](double inverse) {
    if (!(inverse > 0)) return;
    const float differs = disagreement(photos, ray, 1 / inverse);
    if (!(differs < best.disagreement)) return;
    best = {1 / inverse, differs};
    middle = inverse;
  };
  for (int k = 0; k < depths; ++k) look(1 / farthest + step * (k + jitter));
  for (int round = 0; round < kRefinements && best.depth > 0; ++round) {
    step /= 4;
    const double around = middle;
    for (int k = -4; k <= 4; ++k) {
      if (k != 0) look(around + step * k);
    }
  }
  return best;
}

}  // namespace

SweptPoints swept_points(core::PhotoSource& photos, const std::vector<int>& views, int64_t count,
                         uint64_t seed, distributed::Communicator& ranks, core::ThreadPool& pool) {
  const std::vector<core::PosedCamera> cameras = cameras_of(photos, views);
  const double extent = scene_extent(cameras);
  const Vec3d focus = common_focus(cameras, extent);
  std::vector<SmallPhoto> small = small_photos(photos, views, ranks);
  find_neighbors(small, extent);

  std::vector<std::optional<core::ColoredPoint>> found(count);
  std::vector<float> spacing(count);
  pool.parallel_for(count, 64, [&](int64_t begin, int64_t end, int /*thread*/) {
    for (int64_t i = begin; i < end; ++i) {
      const int index = static_cast<int>(i % static_cast<int64_t>(small.size()));
      const SmallPhoto& photo = small[index];
      if (static_cast<int>(photo.neighbors.size()) < kMinNeighbors) continue;
      std::optional<Ray> ray;
      double jitter = 0;
      for (uint32_t attempt = 1; attempt <= kTries && !ray; ++attempt) {
        const math::Random4 bits = random_bits(seed, math::RandomStream::kInit, attempt, i);
        ray = ray_through(small, index,
                          {math::uniform_from_bits(bits.v[0]) * photo.pixels.width,
                           math::uniform_from_bits(bits.v[1]) * photo.pixels.height});
        jitter = math::uniform_from_bits(bits.v[2]);
      }
      if (!ray) continue;
      const Vec3d to_focus = focus - ray->center;
      const double ahead = dot(to_focus, forward_axis(photo.posed.cam_from_world));
      const double distance = ahead > 0.1 * extent ? ahead : extent;
      const BestDepth best = sweep(small, *ray, kNearest * distance, kFarthest * distance, jitter);
      if (!(best.disagreement < kMostDifference)) continue;
      core::ColoredPoint point;
      point.position = ray->at(best.depth, 0);
      for (int c = 0; c < 3; ++c) {
        point.rgb[c] = static_cast<uint8_t>(std::lround(ray->samples[0].color[c]));
      }
      found[i] = point;
      const double pixels = static_cast<double>(photo.pixels.width) * photo.pixels.height;
      spacing[i] =
          static_cast<float>(best.depth / photo.posed.camera.fx * std::sqrt(pixels / count));
    }
  });
  SweptPoints result;
  for (int64_t i = 0; i < count; ++i) {
    if (!found[i]) continue;
    result.points.push_back(*found[i]);
    result.spacing.push_back(spacing[i]);
  }
  return result;
}

}  // namespace tessera::models
