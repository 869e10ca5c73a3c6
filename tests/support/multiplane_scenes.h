// Multiplane images that have what real ones have and what only odd ones have, and every renderer
// of them, the CPU's once per instruction set that this machine has.
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/math/quat.h"
#include "core/multiplane_image.h"
#include "render/multiplane/multiplane_renderer.h"
#include "tests/support/backend_variant.h"
#include "tests/support/random_scene.h"

namespace tessera::test {

struct MultiplaneScene {
  std::string name;
  core::MultiplaneImageF image;
  core::PosedCamera target;
};

// Adds a layer with a page of its own. Around its texels the page holds what must not be seen.
inline void add_layer(core::MultiplaneImageF& image, math::Vec3<float> plane,
                      const core::PixelWindow& window, float lowest_alpha, uint64_t seed) {
  Random random(seed);
  const int left = 3, top = 1, beyond = 2;
  core::ImageF page(window.width + left + beyond, window.height + top + beyond, 4);
  page.data.fill(1);
  for (int y = 0; y < window.height; ++y) {
    for (int x = 0; x < window.width; ++x) {
      const auto alpha = static_cast<float>(random.uniform(lowest_alpha, 1));
      for (int c = 0; c < 3; ++c) {
        page.at(left + x, top + y, c) = alpha * static_cast<float>(random.uniform(0, 1));
      }
      page.at(left + x, top + y, 3) = alpha;
    }
  }
  image.layers.push_back({plane, window, static_cast<int>(image.pages.size()), left, top});
  image.pages.push_back(std::move(page));
}

// The image with texels as bytes.
inline core::MultiplaneImage in_bytes(const core::MultiplaneImageF& image) {
  core::MultiplaneImage bytes = {image.camera, image.layers, {}, image.metric};
  for (const core::ImageF& page : image.pages) {
    core::Image8& to = bytes.pages.emplace_back(page.width, page.height, page.channels);
    for (int64_t i = 0; i < page.data.size(); ++i) {
      to.data[i] = static_cast<uint8_t>(std::lround(255 * page.data[i]));
    }
  }
  return bytes;
}
inline core::MultiplaneImageF in_floats(const core::MultiplaneImage& image) {
  core::MultiplaneImageF floats = {image.camera, image.layers, {}, image.metric};
  for (const core::Image8& page : image.pages) {
    core::ImageF& to = floats.pages.emplace_back(page.width, page.height, page.channels);
    for (int64_t i = 0; i < page.data.size(); ++i) {
      to.data[i] = static_cast<float>(page.data[i]) / 255;
    }
  }
  return floats;
}

// A target whose axes are the reference's turned by `turn` (radians about x, y, z), its center at
// `center` in the reference's axes.
inline core::PosedCamera target_beside(const core::PosedCamera& reference, int width, int height,
                                       math::Vec3<double> center, math::Vec3<double> turn) {
  core::Rigid target_from_reference;
  target_from_reference.rotation =
      math::rotation_from_quaternion(math::Vec4<double>{1, turn.x / 2, turn.y / 2, turn.z / 2});
  target_from_reference.translation = -(target_from_reference.rotation * center);
  const core::Rigid& reference_from_world = reference.cam_from_world;
  const core::Rigid pose = {target_from_reference.rotation * reference_from_world.rotation,
                            target_from_reference.rotation * reference_from_world.translation +
                                target_from_reference.translation};
  return pinhole_camera(width, height, pose);
}

// The plane through inverse depth `middle` at the picture's center that grows by (x, y) across it.
inline math::Vec3<float> slanted_plane(const core::Camera& c, double middle, double x, double y) {
  math::Vec3<double> n = {x * c.fx / c.width, y * c.fy / c.height, 0};
  n.z = middle - n.x * (0.5 * c.width - c.cx) / c.fx - n.y * (0.5 * c.height - c.cy) / c.fy;
  return {static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z)};
}

// Tiles of `size` every `stride` pixels, each with `planes` layers that face the camera or slant.
inline core::MultiplaneImageF tiled_image(int width, int height, int size, int stride, int planes,
                                          double slant, float lowest_alpha, uint64_t seed) {
  core::MultiplaneImageF image;
  image.camera = pinhole_camera(width, height, random_pose(seed));
  Random random(seed + 100);
  for (int y = 0; y < height; y += stride) {
    for (int x = 0; x < width; x += stride) {
      for (int k = 0; k < planes; ++k) {
        const double middle = random.uniform(0.1, 1);
        const double sx = slant * random.uniform(-1, 1), sy = slant * random.uniform(-1, 1);
        add_layer(image, slanted_plane(image.camera.camera, middle, sx, sy), {x, y, size, size},
                  k == 0 ? 1.0F : lowest_alpha, seed + 1000 + image.layers.size());
      }
    }
  }
  return image;
}

// Whose pictures change smoothly with their planes.
inline std::vector<MultiplaneScene> smooth_multiplane_scenes() {
  std::vector<MultiplaneScene> scenes;
  {
    MultiplaneScene s{"facing planes", {}, {}};
    s.image.camera = pinhole_camera(70, 45, random_pose(1));
    for (int i = 0; i < 6; ++i) {
      add_layer(s.image, {0, 0, 0.1F + 0.15F * static_cast<float>(i)}, {0, 0, 70, 45}, 0, 10 + i);
    }
    s.target = target_beside(s.image.camera, 70, 45, {0.05, -0.03, 0.1}, {0, 0, 0});
    scenes.push_back(s);
    s.name = "facing planes, camera turned";
    s.target = target_beside(s.image.camera, 61, 53, {-0.1, 0.04, -0.3}, {0.05, -0.08, 0.2});
    scenes.push_back(s);
    s.name = "camera between the layers";  // depths 10, 4, 2.5, 1.82, 1.43, 1.18
    s.target = target_beside(s.image.camera, 61, 53, {0.2, 0.1, 2.1}, {0, 0.05, 0});
    scenes.push_back(s);
    s.name = "camera beyond all layers";
    s.target = target_beside(s.image.camera, 20, 17, {0, 0, 11}, {0, 0, 0});
    scenes.push_back(s);
    s.name = "camera that looks back";
    s.target = target_beside(s.image.camera, 20, 17, {0, 0, 0}, {0, 200, 0});
    scenes.push_back(s);
    s.name = "1x1";
    s.target = target_beside(s.image.camera, 1, 1, {0.05, -0.03, 0.1}, {0, 0, 0});
    s.target.camera.cx = s.target.camera.cy = 0.5;
    scenes.push_back(s);
  }
  {
    MultiplaneScene s{"slanted planes, windows beyond the picture", {}, {}};
    s.image.camera = pinhole_camera(50, 40, random_pose(2));
    const core::Camera& c = s.image.camera.camera;
    add_layer(s.image, slanted_plane(c, 0.15, 0.05, -0.02), {-20, -15, 90, 70}, 0.5, 30);
    add_layer(s.image, slanted_plane(c, 0.4, -0.1, 0.1), {30, 10, 60, 15}, 0, 31);
    add_layer(s.image, slanted_plane(c, 0.7, 0.05, 0.1), {-30, -3, 55, 30}, 0, 32);
    add_layer(s.image, slanted_plane(c, 0.9, 0, 0), {200, 200, 5, 5}, 0, 33);
    add_layer(s.image, slanted_plane(c, 0.9, 0, 0), {21, 17, 1, 1}, 1, 34);
    s.image.layers.push_back({{0, 0, 0.5F}, {4, 4, 0, 0}, 0, 0, 0});
    s.target = target_beside(s.image.camera, 57, 39, {0.1, 0.07, -0.2}, {0.03, 0.04, -0.1});
    scenes.push_back(s);
  }
  {
    MultiplaneScene s{"no layers", {}, {}};
    s.image.camera = pinhole_camera(30, 20);
    s.target = target_beside(s.image.camera, 33, 5, {0, 0, 0}, {0, 0, 0});
    scenes.push_back(s);
  }
  return scenes;
}

// Whose pictures jump: planes cross, lie on one another or end at their horizon.
inline std::vector<MultiplaneScene> jumping_multiplane_scenes() {
  std::vector<MultiplaneScene> scenes;
  {
    MultiplaneScene s{"planes behind the camera and those that end within the picture", {}, {}};
    s.image.camera = pinhole_camera(48, 48, random_pose(3));
    const core::Camera& c = s.image.camera.camera;
    add_layer(s.image, {0, 0, -0.5F}, {0, 0, 48, 48}, 1, 40);
    add_layer(s.image, {0, 0, 0}, {0, 0, 48, 48}, 1, 41);  // at infinity: not drawn
    add_layer(s.image, slanted_plane(c, 0.02, 0.3, 0.05), {0, 0, 48, 48}, 0.3F, 42);
    s.target = target_beside(s.image.camera, 48, 48, {0.1, 0, 0}, {0, 0.02, 0});
    scenes.push_back(s);
  }
  {
    MultiplaneScene s{"three planes that cross", {}, {}};
    s.image.camera = pinhole_camera(64, 50, random_pose(4));
    const core::Camera& c = s.image.camera.camera;
    add_layer(s.image, slanted_plane(c, 0.5, 0.5, 0), {0, 0, 64, 50}, 0.5, 50);
    add_layer(s.image, slanted_plane(c, 0.5, -0.5, 0.1), {0, 0, 64, 50}, 0.5, 51);
    add_layer(s.image, slanted_plane(c, 0.5, 0.1, 0.6), {0, 0, 64, 50}, 0.5, 52);
    s.target = target_beside(s.image.camera, 66, 51, {0.1, 0.05, -0.1}, {0.02, -0.03, 0.05});
    scenes.push_back(s);
  }
  {
    MultiplaneScene s{"twelve planes that cross near one line", {}, {}};
    s.image.camera = pinhole_camera(64, 50, random_pose(4));
    const core::Camera& c = s.image.camera.camera;
    for (int i = 0; i < 12; ++i) {
      const double slope = 0.1 * (i - 5.5);
      add_layer(s.image, slanted_plane(c, 0.5 + 0.002 * i, slope, 0.3 * slope), {0, 0, 64, 50},
                0.3F, 80 + i);
    }
    s.target = target_beside(s.image.camera, 66, 51, {0.1, 0.05, -0.1}, {0.02, -0.03, 0.05});
    scenes.push_back(s);
  }
  {
    MultiplaneScene s{"layers on one plane", {}, {}};
    s.image.camera = pinhole_camera(64, 50, random_pose(5));
    for (int i = 0; i < 4; ++i) {
      add_layer(s.image, {0.1F, 0.05F, 0.4F}, {5 * i, 3 * i, 40, 40}, 0, 60 + i);
    }
    s.target = target_beside(s.image.camera, 64, 50, {0.1, 0.05, -0.1}, {0.02, -0.03, 0.05});
    scenes.push_back(s);
  }
  {
    MultiplaneScene s{"tiles of slanted planes", {}, {}};
    s.image = tiled_image(130, 75, 32, 28, 3, 0.3, 0, 70);
    s.target = target_beside(s.image.camera, 131, 77, {0.05, 0.05, 0.1}, {0.02, -0.03, 0.05});
    scenes.push_back(s);
  }
  return scenes;
}

inline std::vector<MultiplaneScene> multiplane_scenes() {
  std::vector<MultiplaneScene> scenes = smooth_multiplane_scenes();
  for (MultiplaneScene& s : jumping_multiplane_scenes()) scenes.push_back(std::move(s));
  return scenes;
}

using MultiplaneVariant = BackendVariant<render::MultiplaneRenderer>;

inline std::vector<MultiplaneVariant> multiplane_variants() {
  return backend_variants(render::multiplane_renderers(), render::make_multiplane_renderer);
}

}  // namespace tessera::test
