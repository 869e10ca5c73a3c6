// Multiplane images on the card against their renderer.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "assets/multiplane_io.h"
#include "core/metrics.h"
#include "render/multiplane/multiplane_renderer.h"
#include "tests/support/multiplane_scenes.h"
#include "viewer/draw/scene_renderer.h"
#include "viewer/gl/offscreen.h"
#include "viewer/scene/loader.h"

namespace tessera::viewer {
namespace {

TEST(MultiplaneDrawing, TiledImagesAreWithin35DbOfTheRenderer) {
  const OffscreenContext context;
  core::MultiplaneImageF tiled = test::tiled_image(96, 72, 32, 28, 3, 0, 0.3F, 5);
  const core::MultiplaneImage image = test::in_bytes(tiled);
  OpenedFile file;
  file.content = image;
  SceneItem item = make_item(std::move(file), "image.tmpi");
  item.id = 1;
  for (const double shift : {0.0, 0.02, -0.05}) {
    core::PosedCamera target = image.camera;
    target.cam_from_world.translation.x += shift;
    target.cam_from_world.translation.y -= 0.5 * shift;
    core::ThreadPool pool(1);
    render::MultiplaneOutput truth;
    render::make_multiplane_renderer("reference", pool)->forward(image, target, {}, truth);

    SceneRenderer renderer;
    renderer.update({item});
    Canvas canvas(CanvasPixels::kByte);
    canvas.resize(target.camera.width, target.camera.height);
    renderer.draw({item}, projection_of(target), {}, 1, canvas.framebuffer(), 0, 0);
    EXPECT_GE(core::measure(truth.color, canvas.read(), {}, pool).psnr, 35) << "shift " << shift;
  }
}

}  // namespace
}  // namespace tessera::viewer
