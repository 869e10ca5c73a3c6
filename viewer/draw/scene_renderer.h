// Draws what is open from a camera: opaque things first, then splats over them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/image.h"
#include "viewer/draw/depth_order.h"
#include "viewer/draw/line_drawer.h"
#include "viewer/draw/multiplane_drawer.h"
#include "viewer/draw/splat_drawer.h"
#include "viewer/draw/splat_store.h"
#include "viewer/gl/canvas.h"
#include "viewer/scene/scene_item.h"

namespace tessera::viewer {

struct SceneStyle {
  SplatStyle splats;
  bool cameras = true;    // frusta of captures
  bool outlines = false;  // of the layers of multiplane images
  float point_size = 2;   // pixels

  friend bool operator==(const SceneStyle&, const SceneStyle&) = default;
};

class SceneRenderer {
 public:
  SceneRenderer();

  // Takes the list as it is now: what is new is sent to the card in later calls of send(), what is
  // gone is freed. Whether anything changed.
  bool update(const std::vector<SceneItem>& items);
  // Sends about that many bytes; whether more is waiting.
  bool send(int64_t bytes);

  // Asks for the splats' order as seen by this projection.
  void request_order(const std::vector<SceneItem>& items, const Projection& projection);
  // Takes an order that was found since; whether there was one.
  bool take_order();
  void wait_for_order();
  // Whether the newest order is of the splats as the card holds them; if not, one that was asked
  // for will be, and until then a picture would lack them.
  bool has_order() const { return ordered_numbering_ == numbering_; }
  // Whether an order is being found or waits to be taken.
  bool ordering() const { return depth_order_.working(); }

  // Draws into the framebuffer's lower left `projection.width` x `height` pixels at `x`, `y`; at a
  // share `sharpness` of its pixels on a side.
  void draw(const std::vector<SceneItem>& items, const Projection& projection,
            const SceneStyle& style, double sharpness, GLuint framebuffer, int x, int y);

  int64_t splat_bytes() const { return store_.bytes(); }
  int64_t ordered_splats() const { return splat_drawer_.ordered(); }

 private:
  struct SplatsHeld {
    std::shared_ptr<const PackedSplats> packed;
    std::shared_ptr<const core::Array<uint8_t>> states;
  };
  struct ShapesHeld {  // of captures, point clouds and multiplane images
    const void* content = nullptr;
    VertexList points, lines;
    std::unique_ptr<MultiplaneOnCard> layers;
  };

  bool update_splats(const std::vector<SceneItem>& items);
  bool update_shapes(const std::vector<SceneItem>& items);
  void draw_shapes(const std::vector<SceneItem>& items, const Projection& projection,
                   const SceneStyle& style);

  SplatStore store_;
  SplatDrawer splat_drawer_;
  LineDrawer line_drawer_;
  MultiplaneDrawer multiplane_drawer_;
  Canvas blended_{CanvasPixels::kHalf};
  DepthOrder depth_order_;
  std::map<int, SplatsHeld> splats_;
  std::map<int, std::unique_ptr<ShapesHeld>> shapes_;
  uint64_t numbering_ = 0;
  uint64_t ordered_numbering_ = 0;
};

// A capture's cameras as lines, their pyramids `length` deep.
std::vector<ColoredVertex> frusta(const std::vector<core::PosedCamera>& cameras, double length);

}  // namespace tessera::viewer
