// Texels of planes that ranks own by rows: those that a rank draws with from their owners, and
// their gradients back.
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "core/array.h"
#include "core/image.h"
#include "core/multiplane_image.h"
#include "core/thread_pool.h"
#include "distributed/communicator.h"
#include "models/multiplane/sharded/strips.h"

namespace tessera::models {

// Values of all planes for some rows of the reference picture.
struct PlaneRows {
  RowRange rows;
  core::Array<float> values;  // [plane][row][column][4]
};

class RowExchange {
 public:
  // Every rank holds planes of one window each, with all columns and the rows `held`, its own
  // among them; each plane is the only layer of its page.
  RowExchange(distributed::Communicator& ranks, const RowRange& all, const RowRange& held,
              const core::MultiplaneImageF& image, core::ThreadPool& pool);

  const RowRange& own() const { return own_; }

  // Collective. `needed` are the rows that each rank needs; puts those that others own into the
  // own pages.
  void fetch(std::span<const RowRange> needed, std::vector<core::ImageF>& pages);

  // What of `pages` is a strip's is taken out of them, which leaves zero there.
  PlaneRows take(const RowRange& rows, std::vector<core::ImageF>& pages) const;

  // Collective. `own_parts` are the gradients of the strips that this rank drew. Adds to the rows
  // of `sums` that are this rank's those of all strips, from the first to the last.
  void add_gradients(std::span<const Strip> strips, std::span<const PlaneRows> own_parts,
                     std::vector<core::ImageF>& sums);

  // Collective. All rows of all planes, on rank 0; elsewhere nothing.
  PlaneRows gather(const std::vector<core::ImageF>& pages);

 private:
  RowRange owned_by(int rank) const { return owned_rows(all_, rank, ranks_.size()); }
  int64_t row_values() const { return int64_t{4} * width_; }
  int64_t value_count(const RowRange& rows) const { return rows.count() * row_values() * planes_; }
  PlaneRows copied(const RowRange& rows, const std::vector<core::ImageF>& pages) const;
  PlaneRows copied(const RowRange& rows, const PlaneRows& from) const;
  PlaneRows room_for(const RowRange& rows) const;
  float* row_of(std::vector<core::ImageF>& pages, int plane, int row) const;

  distributed::Communicator& ranks_;
  core::ThreadPool& pool_;
  RowRange all_, held_, own_;
  int width_ = 0;
  int planes_ = 0;
  int left_ = 0;  // of the layer on its page
  int top_ = 0;
};

}  // namespace tessera::models
