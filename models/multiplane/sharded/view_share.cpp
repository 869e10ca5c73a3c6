// SPDX-License-Identifier: MIT
#include "models/multiplane/sharded/view_share.h"

#include <algorithm>
#include <utility>

#include "models/multiplane/pages.h"
#include "models/multiplane/sharded/strips.h"

namespace tessera::models {
namespace {

using core::MultiplaneLayer;

// Rank 0's list, on all ranks.
template <class T>
std::vector<T> shared_list(distributed::Communicator& ranks, std::span<const T> list) {
  auto count = static_cast<int64_t>(list.size());
  ranks.broadcast("views", 0, std::span(&count, 1));
  std::vector<T> all(list.begin(), list.end());
  all.resize(static_cast<size_t>(count));
  ranks.broadcast("views", 0, std::span(all));
  return all;
}

// The layers as far as they have texels in some rows, in their order, packed into pages.
core::MultiplaneImage room_for(const core::PosedCamera& camera,
                               std::span<const MultiplaneLayer> layers, const RowRange& rows) {
  core::MultiplaneImage part;
  part.camera = camera;
  for (MultiplaneLayer layer : layers) {
    const RowRange kept = intersection(rows, {layer.window.top, layer.window.bottom()});
    if (kept.empty()) continue;
    layer.window.top = kept.begin;
    layer.window.height = kept.count();
    part.layers.push_back(layer);
  }
  for (const PageSize& size : pack_into_pages(part.layers)) {
    part.pages.emplace_back(size.width, size.height, 4).data.fill(0);
  }
  return part;
}

// Calls take(first value, values) for each row of texels of each layer in those rows, in order.
template <class Image, class Take>
void for_each_row(Image& image, const RowRange& rows, const Take& take) {
  for (const MultiplaneLayer& layer : image.layers) {
    const RowRange kept = intersection(rows, {layer.window.top, layer.window.bottom()});
    for (int y = kept.begin; y < kept.end; ++y) {
      take(&image.pages[layer.page].at(layer.x, layer.y + y - layer.window.top),
           4 * layer.window.width);
    }
  }
}

}  // namespace

ViewShare::ViewShare(const core::MultiplaneImage& image, std::span<const core::PosedCamera> cameras,
                     distributed::Communicator& ranks, core::ThreadPool& pool)
    : ranks_(ranks),
      cameras_(shared_list(ranks, cameras)),
      drawn_(ranks.rank() == 0 ? &image : &part_),
      renderer_(render::make_multiplane_renderer("cpu", pool)) {
  const core::PosedCamera reference =
      shared_list(ranks, std::span<const core::PosedCamera>(&image.camera, 1)).front();
  const std::vector<MultiplaneLayer> layers =
      shared_list(ranks, std::span<const MultiplaneLayer>(image.layers));
  RowRange all;
  for (const MultiplaneLayer& layer : layers) {
    all = hull(all, {layer.window.top, layer.window.bottom()});
  }
  std::vector<RowRange> needed(ranks.size());
  for (const core::PosedCamera& camera : cameras_) {
    const std::vector<Strip> strips = strips_of(reference, camera, layers, all, ranks.size());
    std::vector<core::PixelWindow>& windows = windows_.emplace_back();
    for (int rank = 0; rank < ranks.size(); ++rank) {
      const std::span<const Strip> own = strips_of_rank(strips, rank);
      windows.push_back(window_of(own));
      needed[rank] = hull(needed[rank], rows_of(own));
    }
  }
  if (ranks.rank() == 0) {
    for (int rank = 1; rank < ranks.size(); ++rank) {
      std::vector<uint8_t> texels;
      for_each_row(image, needed[rank], [&](const uint8_t* row, int count) {
        texels.insert(texels.end(), row, row + count);
      });
      const distributed::Send send = distributed::send_to(rank, std::span(texels));
      ranks.start("texels", {&send, 1}, {}).wait();
    }
  } else {
    const RowRange& own = needed[ranks.rank()];
    part_ = room_for(reference, layers, own);
    std::vector<uint8_t> texels(4 * core::texel_count(part_.layers));
    const distributed::Receive receive = distributed::receive_from(0, std::span(texels));
    ranks.start("texels", {}, {&receive, 1}).wait();
    const uint8_t* from = texels.data();
    for_each_row(part_, own, [&](uint8_t* row, int count) {
      std::copy_n(from, count, row);
      from += count;
    });
  }
}

void ViewShare::gather(const std::vector<core::PixelWindow>& windows, const core::Camera& camera,
                       int root, int channels, core::ImageF& picture) {
  const core::PixelWindow& own = windows[ranks_.rank()];
  const auto values = [&](core::ImageF& image, int row, int rows) {
    return std::span(&image.at(0, row), int64_t{rows} * image.width * image.channels);
  };
  core::ImageF drawn = std::exchange(picture, {});
  std::vector<distributed::Send> sends;
  std::vector<distributed::Receive> receives;
  if (!own.empty()) sends.push_back(distributed::send_to(root, values(drawn, 0, own.height)));
  if (ranks_.rank() == root) {
    picture.resize(camera.width, camera.height, channels);
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      if (windows[rank].empty()) continue;
      receives.push_back(distributed::receive_from(
          rank, values(picture, windows[rank].top, windows[rank].height)));
    }
  }
  ranks_.start("pictures", sends, receives).wait();
}

void ViewShare::draw(int view, int root, render::MultiplaneOutput& output) {
  const std::vector<core::PixelWindow>& windows = windows_[view];
  const core::PixelWindow& own = windows[ranks_.rank()];
  if (!own.empty()) {
    render::MultiplaneOptions options;
    options.disparity = true;
    options.window = own;
    renderer_->forward(*drawn_, cameras_[view], options, output);
  }
  if (ranks_.size() == 1) return;
  gather(windows, cameras_[view].camera, root, 3, output.color);
  gather(windows, cameras_[view].camera, root, 1, output.alpha);
  gather(windows, cameras_[view].camera, root, 1, output.disparity);
}

}  // namespace tessera::models
