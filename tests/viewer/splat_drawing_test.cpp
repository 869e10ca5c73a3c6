// What the graphics card draws against the exact rasterizer.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>

#include "assets/io.h"
#include "core/metrics.h"
#include "render/gaussian/rasterizer.h"
#include "tests/support/raster_scenes.h"
#include "tests/support/test_data.h"
#include "viewer/draw/scene_renderer.h"
#include "viewer/gl/offscreen.h"
#include "viewer/scene/loader.h"

namespace tessera::viewer {
namespace {

SceneItem item_of(core::GaussianScene scene, int id = 1) {
  OpenedFile file;
  file.content = std::move(scene);
  SceneItem item = make_item(std::move(file), "scene.ply");
  item.id = id;
  return item;
}

core::Image8 drawn(const std::vector<SceneItem>& items, const core::PosedCamera& camera,
                   const SceneStyle& style) {
  SceneRenderer renderer;
  renderer.update(items);
  while (renderer.send(1 << 20)) {
  }
  const Projection projection = projection_of(camera);
  renderer.request_order(items, projection);
  renderer.wait_for_order();
  Canvas canvas(CanvasPixels::kByte);
  canvas.resize(projection.width, projection.height);
  canvas.bind();
  renderer.draw(items, projection, style, 1, canvas.framebuffer(), 0, 0);
  return canvas.read();
}

core::ImageF exact(const core::GaussianCloud& cloud, const core::PosedCamera& camera,
                   const render::RasterizeOptions& options) {
  core::ThreadPool pool(2);
  render::RenderOutput output;
  render::make_rasterizer("cpu", pool)->forward(cloud, camera, options, output);
  return output.color;
}

double psnr(const core::ImageF& truth, const core::Image8& picture) {
  core::ThreadPool pool(2);
  return core::measure(truth, picture, {}, pool).psnr;
}

SceneStyle style_of(const render::RasterizeOptions& options) {
  SceneStyle style;
  style.splats.antialiased = options.antialiased;
  style.splats.sh_degree = options.sh_degree;
  style.splats.background = {static_cast<float>(options.background.x),
                             static_cast<float>(options.background.y),
                             static_cast<float>(options.background.z)};
  return style;
}

TEST(SplatDrawing, MadeScenesAreWithin35DbOfTheExactRasterizer) {
  const OffscreenContext context;
  for (const test::RasterScene& scene : test::raster_scenes()) {
    if (!core::is_pinhole(scene.camera.camera) || scene.options.near_plane != 0.01F) continue;
    // Which of two at one depth is nearer the rasterizer decides by their bits.
    if (scene.name == "equal depths") continue;
    core::GaussianScene whole;
    whole.cloud = scene.cloud;
    const core::Image8 picture =
        drawn({item_of(std::move(whole))}, scene.camera, style_of(scene.options));
    const double db = psnr(exact(scene.cloud, scene.camera, scene.options), picture);
    EXPECT_GE(db, 35) << scene.name;
  }
}

TEST(SplatDrawing, RealScenesAreWithin35DbOfTheExactRasterizer) {
  TESSERA_NEED_TEST_DATA(folder, "splats");
  const OffscreenContext context;
  for (const char* name : {"guitar_20k.ply", "playbot_lod4.ply"}) {
    SceneItem item = item_of(assets::read_scene(folder / name));
    const Extent extent = extent_of(item);
    const core::GaussianCloud& cloud = std::get<SplatContent>(item.content).scene->cloud;
    for (const math::Vec3<double>& from : {math::Vec3<double>{1, -0.3, -2}, {-0.2, -0.1, -0.6}}) {
      const core::PosedCamera camera = posed_camera(
          looking_at(extent.center + extent.radius * from, extent.center, {0, -1, 0}), 640, 360);
      EXPECT_GE(psnr(exact(cloud, camera, {}), drawn({item}, camera, {})), 35) << name;
    }
  }
}

// A turned, scaled and moved item is drawn as the same camera moved the other way would see it.
TEST(SplatDrawing, PlacementsAreSimilarities) {
  const OffscreenContext context;
  test::RasterScene scene = test::scenes::of_degree(3);
  core::GaussianScene whole;
  whole.cloud = scene.cloud;
  SceneItem item = item_of(std::move(whole));
  item.placement = {test::random_pose(8).rotation, {0.3, -2, 5}, 2.5};
  core::PosedCamera camera = scene.camera;
  const math::Vec3<double> center = item.placement(center_in_world(camera.cam_from_world));
  camera.cam_from_world.rotation =
      scene.camera.cam_from_world.rotation * transpose(item.placement.rotation);
  camera.cam_from_world.translation = -(camera.cam_from_world.rotation * center);
  EXPECT_GE(psnr(exact(scene.cloud, scene.camera, scene.options),
                 drawn({item}, camera, style_of(scene.options))),
            50);
}

// Two halves of a scene as two items, blended in one order, are the whole.
TEST(SplatDrawing, ItemsAreBlendedInOneOrder) {
  const OffscreenContext context;
  test::RasterScene scene = test::scenes::of_degree(1);
  std::vector<SceneItem> items;
  for (int part = 0; part < 2; ++part) {
    std::vector<int64_t> kept;
    for (int64_t i = part; i < scene.cloud.size(); i += 2) kept.push_back(i);
    core::GaussianScene half;
    half.cloud = scene.cloud;
    half.cloud.parameters.gather(kept);
    half.cloud.ids.resize(half.cloud.size());
    items.push_back(item_of(std::move(half), part + 1));
  }
  EXPECT_GE(psnr(exact(scene.cloud, scene.camera, scene.options),
                 drawn(items, scene.camera, style_of(scene.options))),
            50);
}

}  // namespace
}  // namespace tessera::viewer
