// SPDX-License-Identifier: MIT
#include "models/gaussian/sharded/sharded_renderer.h"

#include <span>
#include <vector>

#include "models/gaussian/settings.h"
#include "models/gaussian/sharded/message_coding.h"
#include "models/gaussian/sharded/tile_costs.h"
#include "render/gaussian/backends/cpu.h"

namespace tessera::models {

// The settings of a run that has none of its own: messages are exact.
ShardedRenderer::ShardedRenderer(distributed::Communicator& ranks, core::ThreadPool& pool)
    : ranks_(ranks),
      exchange_(ranks, pool, make_message_coding({}, pool), true),
      projection_(std::make_unique<render::CpuProjection>(pool, render::chosen_cpu_kernels())),
      blending_(pool, render::chosen_cpu_kernels()) {}

void ShardedRenderer::draw(const core::GaussianCloud& own, const core::PosedCamera& camera,
                           const render::RasterizeOptions& options, int at, core::ImageF& picture) {
  const core::PixelWindow whole = {0, 0, camera.camera.width, camera.camera.height};
  projection_->forward(own, camera, options);
  const Round round =
      blocks(0, whole, ranks_.size(), TileCosts().next(ranks_, 0, *projection_, whole));
  exchange_.begin(own, {&projection_, 1}, 0);
  exchange_.route({&round, 1});
  exchange_.start_splats(0);
  exchange_.finish_splats(0);
  for (const DrawnWindow& block : windows_of(round, ranks_.rank())) {
    blending_.forward(exchange_.splats(0), block.window, options, output_);
  }
  if (at == ranks_.rank()) picture.resize(whole.width, whole.height, 3);
  join_blocks(round, at, picture);
}

void ShardedRenderer::join_blocks(const Round& round, int at, core::ImageF& picture) {
  std::vector<distributed::Send> sends;
  if (const auto& block = output_.color.data; !windows_of(round, ranks_.rank()).empty()) {
    sends.push_back(distributed::send_to(at, std::span(block.data(), block.size())));
  }
  std::vector<core::ImageF> blocks(at == ranks_.rank() ? round.size() : 0);
  std::vector<distributed::Receive> receives;
  for (size_t b = 0; b < blocks.size(); ++b) {
    const core::PixelWindow& window = round[b].window;
    blocks[b].resize(window.width, window.height, picture.channels);
    receives.push_back(distributed::receive_from(
        round[b].rank, std::span(blocks[b].data.data(), blocks[b].data.size())));
  }
  ranks_.start("blocks", sends, receives).wait();
  for (size_t b = 0; b < blocks.size(); ++b) {
    const core::PixelWindow& window = round[b].window;
    core::copy_pixels(blocks[b], 0, 0, picture, window.left, window.top, window.width,
                      window.height);
  }
}

}  // namespace tessera::models
