// SPDX-License-Identifier: MIT
#include "viewer/draw/splat_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace tessera::viewer {
namespace {

constexpr int64_t kPositionBytes = 16;
constexpr int64_t kShapeBytes = 16;
constexpr int64_t kColorTexelBytes = 8;

void write(const GlBuffer& buffer, int64_t offset, int64_t bytes, const void* data) {
  glBindBuffer(GL_COPY_WRITE_BUFFER, buffer.name());
  glBufferSubData(GL_COPY_WRITE_BUFFER, offset, bytes, data);
}

}  // namespace

SplatStore::SplatStore() = default;

// Keeps the first `used` bytes.
void SplatStore::grow(Plane& plane, int64_t used, int64_t bytes, GLenum format,
                      int64_t texel_bytes) {
  if (bytes <= plane.capacity) return;
  GLint most_texels = 0;
  glGetIntegerv(GL_MAX_TEXTURE_BUFFER_SIZE, &most_texels);
  if (bytes / texel_bytes > most_texels) {
    throw core::Error(
        fmt::format("the graphics driver takes no more than {} values of a kind; show fewer "
                    "scenes at once, or write this one with fewer color coefficients",
                    most_texels));
  }
  GlBuffer grown;
  glBindBuffer(GL_TEXTURE_BUFFER, grown.name());
  while (glGetError() != GL_NO_ERROR) {
  }
  glBufferData(GL_TEXTURE_BUFFER, bytes, nullptr, GL_STATIC_DRAW);
  if (glGetError() == GL_OUT_OF_MEMORY) {
    throw core::Error(
        "the graphics card has not enough memory for this scene; remove others first");
  }
  if (used > 0) {
    glBindBuffer(GL_COPY_READ_BUFFER, plane.buffer.name());
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_TEXTURE_BUFFER, 0, 0, used);
  }
  plane.buffer = std::move(grown);
  plane.capacity = bytes;
  glBindTexture(GL_TEXTURE_BUFFER, plane.texture.name());
  glTexBuffer(GL_TEXTURE_BUFFER, format, plane.buffer.name());
}

void SplatStore::add(int id, std::shared_ptr<const PackedSplats> splats,
                     std::shared_ptr<const core::Array<uint8_t>> states) {
  if (ranges_.size() == kMostClouds) {
    throw core::Error(fmt::format("more than {} scenes cannot be shown at once", kMostClouds));
  }
  const int64_t n = splats->count;
  const int64_t texels = n * viewer::color_texels(splats->sh_degree);
  grow(positions_, splats_ * kPositionBytes, (splats_ + n) * kPositionBytes, GL_RGBA32F,
       kPositionBytes);
  grow(shapes_, splats_ * kShapeBytes, (splats_ + n) * kShapeBytes, GL_RGBA16F, kShapeBytes / 2);
  grow(colors_, color_texels_ * kColorTexelBytes, (color_texels_ + texels) * kColorTexelBytes,
       GL_RGBA16F, kColorTexelBytes);
  grow(states_, splats_, splats_ + n, GL_R8UI, 1);
  ranges_.push_back({id, splats_, n, color_texels_, splats->sh_degree, n == 0});
  splats_ += n;
  color_texels_ += texels;
  if (n > 0) waiting_.push_back({id, std::move(splats), std::move(states), 0});
}

SplatStore::Range* SplatStore::find(int id) {
  const auto found = std::find_if(ranges_.begin(), ranges_.end(),
                                  [id](const Range& range) { return range.id == id; });
  return found == ranges_.end() ? nullptr : &*found;
}

bool SplatStore::send(int64_t bytes) {
  while (!waiting_.empty() && bytes > 0) {
    Waiting& next = waiting_.front();
    Range& range = *find(next.id);
    const PackedSplats& splats = *next.splats;
    const int64_t texels = viewer::color_texels(splats.sh_degree);
    const int64_t each = kPositionBytes + kShapeBytes + texels * kColorTexelBytes + 1;
    const int64_t begin = next.sent;
    const int64_t n = std::min(splats.count - begin, std::max<int64_t>(1, bytes / each));
    write(positions_.buffer, (range.first + begin) * kPositionBytes, n * kPositionBytes,
          &splats.positions[4 * begin]);
    write(shapes_.buffer, (range.first + begin) * kShapeBytes, n * kShapeBytes,
          &splats.shapes[8 * begin]);
    write(colors_.buffer, (range.first_color + begin * texels) * kColorTexelBytes,
          n * texels * kColorTexelBytes, &splats.colors[4 * begin * texels]);
    write(states_.buffer, range.first + begin, n, &(*next.states)[begin]);
    next.sent += n;
    bytes -= n * each;
    if (next.sent == splats.count) {
      range.whole = true;
      waiting_.erase(waiting_.begin());
    }
  }
  return !waiting_.empty();
}

void SplatStore::set_states(int id, const core::Array<uint8_t>& states) {
  const Range* range = find(id);
  if (range == nullptr || !range->whole || range->count == 0) return;
  write(states_.buffer, range->first, range->count, states.data());
}

// Through a copy, since ranges may overlap.
void SplatStore::move_down(Plane& plane, int64_t from, int64_t to, int64_t bytes) {
  if (bytes == 0) return;
  GlBuffer between;
  glBindBuffer(GL_COPY_READ_BUFFER, plane.buffer.name());
  glBindBuffer(GL_COPY_WRITE_BUFFER, between.name());
  glBufferData(GL_COPY_WRITE_BUFFER, bytes, nullptr, GL_STREAM_COPY);
  glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, from, 0, bytes);
  glCopyBufferSubData(GL_COPY_WRITE_BUFFER, GL_COPY_READ_BUFFER, 0, to, bytes);
}

void SplatStore::remove(int id) {
  const Range* found = find(id);
  if (found == nullptr) return;
  const Range gone = *found;
  const int64_t gone_texels = gone.count * viewer::color_texels(gone.sh_degree);
  const int64_t end = gone.first + gone.count, color_end = gone.first_color + gone_texels;
  const auto close = [&](Plane& plane, int64_t each) {
    move_down(plane, end * each, gone.first * each, (splats_ - end) * each);
  };
  close(positions_, kPositionBytes);
  close(shapes_, kShapeBytes);
  close(states_, 1);
  move_down(colors_, color_end * kColorTexelBytes, gone.first_color * kColorTexelBytes,
            (color_texels_ - color_end) * kColorTexelBytes);
  splats_ -= gone.count;
  color_texels_ -= gone_texels;
  std::erase_if(ranges_, [id](const Range& range) { return range.id == id; });
  std::erase_if(waiting_, [id](const Waiting& waiting) { return waiting.id == id; });
  for (Range& range : ranges_) {
    if (range.first >= end && gone.count > 0) {
      range.first -= gone.count;
      range.first_color -= gone_texels;
    }
  }
}

int64_t SplatStore::bytes() const {
  return positions_.capacity + shapes_.capacity + colors_.capacity + states_.capacity;
}

void SplatStore::bind(int positions, int shapes, int colors, int states) const {
  for (const auto& [unit, plane] : {std::pair{positions, &positions_}, std::pair{shapes, &shapes_},
                                    std::pair{colors, &colors_}, std::pair{states, &states_}}) {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_BUFFER, plane->texture.name());
  }
}

}  // namespace tessera::viewer
