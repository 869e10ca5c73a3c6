// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/halo.h"

#include <list>

namespace tessera::models {
namespace {

// The pixels of one window that another one's halo needs.
struct Seam {
  size_t from = 0;
  size_t to = 0;
  core::PixelWindow pixels;
};

std::vector<Seam> seams_of(std::span<const DrawnWindow> windows,
                           std::span<const core::PixelWindow> widened) {
  std::vector<Seam> seams;
  for (size_t to = 0; to < windows.size(); ++to) {
    if (windows[to].window.empty()) continue;
    for (size_t from = 0; from < windows.size(); ++from) {
      if (from == to || windows[from].view != windows[to].view) continue;
      const core::PixelWindow pixels = core::intersection(widened[to], windows[from].window);
      if (!pixels.empty()) seams.push_back({from, to, pixels});
    }
  }
  return seams;
}

void paste(const core::ImageF& from, const core::PixelWindow& pixels, core::ImageF& to,
           const core::PixelWindow& around) {
  core::copy_pixels(from, 0, 0, to, pixels.left - around.left, pixels.top - around.top,
                    pixels.width, pixels.height);
}

}  // namespace

std::vector<core::ImageF> with_halo(distributed::Communicator& ranks,
                                    std::span<const DrawnWindow> windows,
                                    std::span<const core::PixelWindow> pictures,
                                    std::span<const core::ImageF* const> colors, int reach) {
  const int self = ranks.rank();
  std::vector<core::PixelWindow> widened(windows.size());
  std::vector<core::ImageF> around(windows.size());
  for (size_t w = 0; w < windows.size(); ++w) {
    const core::PixelWindow& picture = pictures[windows[w].view];
    widened[w] = core::widened(windows[w].window, reach, picture.width, picture.height);
    if (windows[w].rank != self || windows[w].window.empty()) continue;
    around[w].resize(widened[w].width, widened[w].height, colors[w]->channels);
    paste(*colors[w], windows[w].window, around[w], widened[w]);
  }
  // All ranks go through the seams in the same order, so messages between two of them match.
  std::list<core::ImageF> leaving, coming;
  std::vector<Seam> awaited;
  std::vector<distributed::Send> sends;
  std::vector<distributed::Receive> receives;
  for (const Seam& seam : seams_of(windows, widened)) {
    const int from = windows[seam.from].rank, to = windows[seam.to].rank;
    if (from == self) {
      const core::PixelWindow& own = windows[seam.from].window;
      core::ImageF& part = leaving.emplace_back();
      core::crop(*colors[seam.from],
                 {seam.pixels.left - own.left, seam.pixels.top - own.top, seam.pixels.width,
                  seam.pixels.height},
                 part);
      if (to == self) {
        paste(part, seam.pixels, around[seam.to], widened[seam.to]);
        continue;
      }
      sends.push_back(
          {to, std::as_bytes(std::span(part.data.data(), static_cast<size_t>(part.data.size())))});
    } else if (to == self) {
      core::ImageF& part =
          coming.emplace_back(seam.pixels.width, seam.pixels.height, around[seam.to].channels);
      awaited.push_back(seam);
      receives.push_back({from, std::as_writable_bytes(std::span(
                                    part.data.data(), static_cast<size_t>(part.data.size())))});
    }
  }
  ranks.start("halo", sends, receives).wait();
  auto part = coming.begin();
  for (const Seam& seam : awaited) {
    paste(*part++, seam.pixels, around[seam.to], widened[seam.to]);
  }
  return around;
}

}  // namespace tessera::models
