// SPDX-License-Identifier: MIT
#include "apps/commands/shared_film.h"

#include <algorithm>

#include "assets/photos/image_io.h"
#include "models/multiplane/screen_fill.h"

namespace tessera::apps {
namespace {

std::span<uint8_t> bytes_of(core::Image8& image) {
  return {image.data.data(), static_cast<size_t>(image.data.size())};
}

}  // namespace

SharedFilm::SharedFilm(const core::MultiplaneImage& image,
                       std::span<const core::PosedCamera> cameras, distributed::Communicator& ranks,
                       core::ThreadPool& pool)
    : ranks_(ranks), pool_(pool), share_(image, cameras, ranks, pool) {}

std::vector<core::Image8> SharedFilm::next(bool stop) {
  stopped_ = ranks_.all_reduce("film", distributed::Reduction::kMax, int64_t{stop}) != 0;
  if (stopped_) return {};
  const int count = std::min(ranks_.size(), share_.view_count() - next_);
  const int self = ranks_.rank();
  // Each rank fills and keeps a frame, to send it as bytes.
  render::MultiplaneOutput drawn, part;
  for (int i = 0; i < count; ++i) share_.draw(next_ + i, i, i == self ? drawn : part);
  std::vector<core::Image8> frames;
  if (self < count) {
    models::fill_screen(drawn.color, drawn.alpha, drawn.disparity, pool_);
    frames.push_back(assets::to_image8(drawn.color));
  }
  std::vector<distributed::Send> sends;
  std::vector<distributed::Receive> receives;
  if (self == 0) {
    frames.resize(count, frames.front());
    for (int i = 1; i < count; ++i) {
      receives.push_back(distributed::receive_from(i, bytes_of(frames[i])));
    }
  } else if (self < count) {
    sends.push_back(distributed::send_to(0, bytes_of(frames.front())));
  }
  ranks_.start("film", sends, receives).wait();
  if (self != 0) frames.clear();
  next_ += count;
  return frames;
}

}  // namespace tessera::apps
