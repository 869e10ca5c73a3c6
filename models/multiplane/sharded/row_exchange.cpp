// SPDX-License-Identifier: MIT
#include "models/multiplane/sharded/row_exchange.h"

#include <algorithm>
#include <list>

namespace tessera::models {
namespace {

std::span<const float> values_of(const PlaneRows& rows) {
  return {rows.values.data(), static_cast<size_t>(rows.values.size())};
}
std::span<float> values_of(PlaneRows& rows) {
  return {rows.values.data(), static_cast<size_t>(rows.values.size())};
}

}  // namespace

RowExchange::RowExchange(distributed::Communicator& ranks, const RowRange& all,
                         const RowRange& held, const core::MultiplaneImageF& image,
                         core::ThreadPool& pool)
    : ranks_(ranks),
      pool_(pool),
      all_(all),
      held_(held),
      own_(owned_rows(all, ranks.rank(), ranks.size())),
      width_(image.layers.front().window.width),
      planes_(static_cast<int>(image.layers.size())),
      left_(image.layers.front().x),
      top_(image.layers.front().y) {}

float* RowExchange::row_of(std::vector<core::ImageF>& pages, int plane, int row) const {
  return &pages[plane].at(left_, top_ + row - held_.begin);
}

PlaneRows RowExchange::room_for(const RowRange& rows) const {
  PlaneRows room;
  room.rows = rows;
  room.values.resize(value_count(rows));
  return room;
}

PlaneRows RowExchange::copied(const RowRange& rows, const std::vector<core::ImageF>& pages) const {
  PlaneRows copy = room_for(rows);
  float* to = copy.values.data();
  for (int plane = 0; plane < planes_; ++plane) {
    for (int row = rows.begin; row < rows.end; ++row, to += row_values()) {
      std::copy_n(&pages[plane].at(left_, top_ + row - held_.begin), row_values(), to);
    }
  }
  return copy;
}

PlaneRows RowExchange::copied(const RowRange& rows, const PlaneRows& from) const {
  PlaneRows copy = room_for(rows);
  const int64_t values = rows.count() * row_values();
  for (int plane = 0; plane < planes_; ++plane) {
    const int64_t first = int64_t{plane} * from.rows.count() + rows.begin - from.rows.begin;
    std::copy_n(from.values.data() + first * row_values(), values,
                copy.values.data() + plane * values);
  }
  return copy;
}

void RowExchange::fetch(std::span<const RowRange> needed, std::vector<core::ImageF>& pages) {
  const int self = ranks_.rank();
  std::list<PlaneRows> leaving, coming;
  std::vector<distributed::Send> sends;
  std::vector<distributed::Receive> receives;
  for (int other = 0; other < ranks_.size(); ++other) {
    if (other == self) continue;
    const RowRange theirs = intersection(own_, needed[other]);
    if (!theirs.empty()) {
      const PlaneRows& rows = leaving.emplace_back(copied(theirs, pages));
      sends.push_back(distributed::send_to(other, values_of(rows)));
    }
    const RowRange ours = intersection(owned_by(other), needed[self]);
    if (!ours.empty()) {
      PlaneRows& rows = coming.emplace_back(room_for(ours));
      receives.push_back(distributed::receive_from(other, values_of(rows)));
    }
  }
  ranks_.start("texels", sends, receives).wait();
  for (const PlaneRows& rows : coming) {
    const float* from = rows.values.data();
    for (int plane = 0; plane < planes_; ++plane) {
      for (int row = rows.rows.begin; row < rows.rows.end; ++row, from += row_values()) {
        std::copy_n(from, row_values(), row_of(pages, plane, row));
      }
    }
  }
}

PlaneRows RowExchange::take(const RowRange& rows, std::vector<core::ImageF>& pages) const {
  PlaneRows taken = room_for(rows);
  pool_.parallel_for(planes_, 1, [&](int64_t begin, int64_t end, int) {
    float* to = taken.values.data() + begin * rows.count() * row_values();
    for (auto plane = static_cast<int>(begin); plane < end; ++plane) {
      for (int row = rows.begin; row < rows.end; ++row, to += row_values()) {
        float* from = row_of(pages, plane, row);
        std::copy_n(from, row_values(), to);
        std::fill_n(from, row_values(), 0.0F);
      }
    }
  });
  return taken;
}

void RowExchange::add_gradients(std::span<const Strip> strips, std::span<const PlaneRows> own_parts,
                                std::vector<core::ImageF>& sums) {
  const int self = ranks_.rank();
  std::list<PlaneRows> leaving, coming;
  std::vector<const PlaneRows*> parts;  // of strips, from the first to the last
  std::vector<distributed::Send> sends;
  std::vector<distributed::Receive> receives;
  size_t drawn = 0;
  for (const Strip& strip : strips) {
    if (strip.rank != self) {
      const RowRange ours = intersection(own_, strip.rows);
      if (ours.empty()) continue;
      PlaneRows& rows = coming.emplace_back(room_for(ours));
      receives.push_back(distributed::receive_from(strip.rank, values_of(rows)));
      parts.push_back(&rows);
      continue;
    }
    const PlaneRows& part = own_parts[drawn++];
    parts.push_back(&part);
    for (int other = 0; other < ranks_.size(); ++other) {
      const RowRange theirs = intersection(owned_by(other), strip.rows);
      if (other == self || theirs.empty()) continue;
      const PlaneRows& rows = leaving.emplace_back(copied(theirs, part));
      sends.push_back(distributed::send_to(other, values_of(rows)));
    }
  }
  ranks_.start("texel gradients", sends, receives).wait();
  pool_.parallel_for(planes_, 1, [&](int64_t begin, int64_t end, int) {
    for (const PlaneRows* part : parts) {
      const RowRange rows = intersection(own_, part->rows);
      for (auto plane = static_cast<int>(begin); plane < end; ++plane) {
        for (int row = rows.begin; row < rows.end; ++row) {
          const int64_t place = int64_t{plane} * part->rows.count() + row - part->rows.begin;
          const float* from = part->values.data() + place * row_values();
          float* to = row_of(sums, plane, row);
          for (int64_t i = 0; i < row_values(); ++i) to[i] += from[i];
        }
      }
    }
  });
}

PlaneRows RowExchange::gather(const std::vector<core::ImageF>& pages) {
  const PlaneRows own = copied(own_, pages);
  PlaneRows all;
  std::list<PlaneRows> coming;
  std::vector<distributed::Send> sends;
  std::vector<distributed::Receive> receives;
  if (ranks_.rank() != 0) {
    if (!own_.empty()) sends.push_back(distributed::send_to(0, values_of(own)));
  } else {
    all = room_for(all_);
    for (int other = 1; other < ranks_.size(); ++other) {
      PlaneRows& rows = coming.emplace_back(room_for(owned_by(other)));
      if (!rows.rows.empty()) receives.push_back(distributed::receive_from(other, values_of(rows)));
    }
  }
  ranks_.start("texels", sends, receives).wait();
  if (ranks_.rank() != 0) return all;
  const auto put = [&](const PlaneRows& part) {
    const int64_t values = part.rows.count() * row_values();
    for (int plane = 0; plane < planes_; ++plane) {
      const int64_t row = int64_t{plane} * all_.count() + part.rows.begin - all_.begin;
      std::copy_n(part.values.data() + plane * values, values,
                  all.values.data() + row * row_values());
    }
  };
  put(own);
  for (const PlaneRows& rows : coming) put(rows);
  return all;
}

}  // namespace tessera::models
