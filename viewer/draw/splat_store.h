// Splats of all shown clouds in the graphics card's memory, each cloud a range of one numbering.
//
// Clouds arrive in pieces, so that no frame waits for a whole one; each is drawn once it is there.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/array.h"
#include "viewer/draw/packed_splats.h"
#include "viewer/gl/object.h"

namespace tessera::viewer {

inline constexpr int kMostClouds = 128;

class SplatStore {
 public:
  struct Range {
    int id = 0;  // the caller's name of the cloud
    int64_t first = 0;
    int64_t count = 0;
    int64_t first_color = 0;  // texel
    int sh_degree = 0;
    bool whole = false;  // all of it is there
  };

  SplatStore();

  // Throws core::Error if there are too many or the card takes no buffers of that size.
  void add(int id, std::shared_ptr<const PackedSplats> splats,
           std::shared_ptr<const core::Array<uint8_t>> states);
  void remove(int id);
  void set_states(int id, const core::Array<uint8_t>& states);

  // Sends about that many bytes of what is waiting; whether something still is.
  bool send(int64_t bytes);

  const std::vector<Range>& ranges() const { return ranges_; }
  // Of all that is there, in the card's memory.
  int64_t bytes() const;

  // Binds the four buffer textures to these units.
  void bind(int positions, int shapes, int colors, int states) const;

 private:
  struct Plane {  // one of the four buffers
    GlBuffer buffer;
    GlTexture texture;
    int64_t capacity = 0;  // bytes
  };
  struct Waiting {
    int id = 0;
    std::shared_ptr<const PackedSplats> splats;
    std::shared_ptr<const core::Array<uint8_t>> states;
    int64_t sent = 0;  // splats
  };

  void grow(Plane& plane, int64_t used, int64_t bytes, GLenum format, int64_t texel_bytes);
  void move_down(Plane& plane, int64_t from, int64_t to, int64_t bytes);
  Range* find(int id);

  std::vector<Range> ranges_;
  std::vector<Waiting> waiting_;
  Plane positions_, shapes_, colors_, states_;
  int64_t splats_ = 0;
  int64_t color_texels_ = 0;
};

}  // namespace tessera::viewer
