// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/halo.h"

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

}  // namespace

std::vector<Seam> seams_of(const Round& round, const core::PixelWindow& picture, int reach) {
  std::vector<Seam> seams;
  const auto ranks = static_cast<int>(round.size());
  for (int to = 0; to < ranks; ++to) {
    if (round[to].window.empty()) continue;
    const core::PixelWindow needed =
        core::widened(round[to].window, reach, picture.width, picture.height);
    for (int from = 0; from < ranks; ++from) {
      if (from == to) continue;
      const core::PixelWindow pixels = core::intersection(needed, round[from].window);
      if (!pixels.empty()) seams.push_back({from, to, pixels});
    }
  }
  return seams;
}

core::ImageF with_halo(distributed::Communicator& ranks, const Round& round,
                       const core::PixelWindow& picture, const core::ImageF& color, int reach) {
  const int self = ranks.rank();
  const core::PixelWindow& own = round[self].window;
  const core::PixelWindow widened = core::widened(own, reach, picture.width, picture.height);
  core::ImageF around;
  if (!own.empty()) {
    around.resize(widened.width, widened.height, color.channels);
    paste(color, own, around, widened);
  }
  // All ranks go through the seams in the same order, so messages between two of them match.
  std::list<core::ImageF> leaving, coming;
  std::vector<Seam> awaited;
  std::vector<distributed::Send> sends;
  std::vector<distributed::Receive> receives;
  for (const Seam& seam : seams_of(round, picture, reach)) {
    if (seam.from == self) {
      core::ImageF& part = leaving.emplace_back();
      core::crop(color,
                 {seam.pixels.left - own.left, seam.pixels.top - own.top, seam.pixels.width,
                  seam.pixels.height},
                 part);
      sends.push_back(distributed::send_to(seam.to, values_of(std::as_const(part))));
    } else if (seam.to == self) {
      core::ImageF& part =
          coming.emplace_back(seam.pixels.width, seam.pixels.height, around.channels);
      awaited.push_back(seam);
      receives.push_back(distributed::receive_from(seam.from, values_of(part)));
    }
  }
  ranks.start("halo", sends, receives).wait();
  auto part = coming.begin();
  for (const Seam& seam : awaited) paste(*part++, seam.pixels, around, widened);
  return around;
}

}  // namespace tessera::models
