// SPDX-License-Identifier: MIT
#include "models/windows/halo.h"

#include <list>
#include <span>
#include <utility>
#include <vector>

namespace tessera::models {
namespace {

void paste(const core::ImageF& from, const core::PixelWindow& pixels, core::ImageF& to,
           const core::PixelWindow& around) {
  core::copy_pixels(from, 0, 0, to, pixels.left - around.left, pixels.top - around.top,
                    pixels.width, pixels.height);
}

std::span<const float> values_of(const core::ImageF& image) {
  return {image.data.data(), static_cast<size_t>(image.data.size())};
}
std::span<float> values_of(core::ImageF& image) {
  return {image.data.data(), static_cast<size_t>(image.data.size())};
}

core::PixelWindow widened(const DrawnWindow& drawn, std::span<const core::PixelWindow> pictures,
                          int reach) {
  const core::PixelWindow& picture = pictures[drawn.view];
  return core::widened(drawn.window, reach, picture.width, picture.height);
}

// Of the windows of one rank, that of a view which it draws.
size_t place_of(int view, std::span<const DrawnWindow> windows) {
  size_t place = 0;
  while (windows[place].view != view) ++place;
  return place;
}

}  // namespace

std::vector<Seam> seams_of(const Round& round, std::span<const core::PixelWindow> pictures,
                           int reach) {
  std::vector<Seam> seams;
  for (const DrawnWindow& to : round) {
    const core::PixelWindow needed = widened(to, pictures, reach);
    for (const DrawnWindow& from : round) {
      if (from.view != to.view || from.rank == to.rank) continue;
      const core::PixelWindow pixels = core::intersection(needed, from.window);
      if (!pixels.empty()) seams.push_back({from.rank, to.rank, to.view, pixels});
    }
  }
  return seams;
}

std::vector<core::ImageF> with_halos(distributed::Communicator& ranks, const Round& round,
                                     std::span<const core::PixelWindow> pictures,
                                     std::span<const core::ImageF* const> colors, int reach) {
  const int self = ranks.rank();
  const std::span<const DrawnWindow> own = windows_of(round, self);
  std::vector<core::ImageF> around(own.size());
  std::vector<core::PixelWindow> extents;
  for (size_t w = 0; w < own.size(); ++w) {
    const core::PixelWindow& extent = extents.emplace_back(widened(own[w], pictures, reach));
    if (own[w].window == pictures[own[w].view]) continue;
    around[w].resize(extent.width, extent.height, colors[w]->channels);
    paste(*colors[w], own[w].window, around[w], extent);
  }
  // All ranks go through the seams in the same order, so messages between two of them match.
  std::list<core::ImageF> leaving, coming;
  std::vector<Seam> awaited;
  std::vector<distributed::Send> sends;
  std::vector<distributed::Receive> receives;
  for (const Seam& seam : seams_of(round, pictures, reach)) {
    if (seam.from == self) {
      const size_t w = place_of(seam.view, own);
      core::ImageF& part = leaving.emplace_back();
      core::crop(*colors[w],
                 {seam.pixels.left - own[w].window.left, seam.pixels.top - own[w].window.top,
                  seam.pixels.width, seam.pixels.height},
                 part);
      sends.push_back(distributed::send_to(seam.to, values_of(std::as_const(part))));
    } else if (seam.to == self) {
      const int channels = colors[place_of(seam.view, own)]->channels;
      core::ImageF& part = coming.emplace_back(seam.pixels.width, seam.pixels.height, channels);
      awaited.push_back(seam);
      receives.push_back(distributed::receive_from(seam.from, values_of(part)));
    }
  }
  ranks.start("halo", sends, receives).wait();
  auto part = coming.begin();
  for (const Seam& seam : awaited) {
    const size_t w = place_of(seam.view, own);
    paste(*part++, seam.pixels, around[w], extents[w]);
  }
  return around;
}

}  // namespace tessera::models
