// SPDX-License-Identifier: MIT
#include "distributed/point_partition.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace tessera::distributed {
namespace {

// A cut's place is found by its higher, then its lower digit.
constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;
// Sides that differ by less than a sixteenth count as equal, so that other points of the same
// square are cut across the same one: what cameras look at, and what they see.
constexpr int64_t kSlack = 16;

}  // namespace

// Chooses the cuts of the boxes of one level, all of them together.
class PointPartition::LevelCutter {
 public:
  // box_of[i]: of points[i]; those of boxes before the level's first one, `begin`, take no part.
  LevelCutter(Communicator& ranks, std::string_view tag, std::span<const LatticePoint> points,
              std::span<const int64_t> weights, std::span<const int> box_of, int begin)
      : ranks_(ranks),
        tag_(tag),
        points_(points),
        weights_(weights),
        box_of_(box_of),
        begin_(begin) {}

  void cut(std::span<Box> level) const {
    choose_axes(level);
    std::vector<Search> searches(level.size());
    for (size_t b = 0; b < level.size(); ++b) searches[b].parts = level[b].parts;
    for (const int shift : {kDigitBits, 0}) find_digit(level, shift, searches);
    for (size_t b = 0; b < level.size(); ++b) level[b].cut = searches[b].nearest_cut();
  }

 private:
  // For the layer in which the weight reaches the first half's share.
  struct Search {
    int parts = 1;
    int layer = 0;       // those of its digits that are found
    int64_t before = 0;  // weight of all layers below these
    int64_t within = 0;  // and of those that have these digits
    int64_t share = -1;  // times `parts`

    void find_digit(std::span<const int64_t> sums) {
      if (share < 0) {
        for (const int64_t sum : sums) within += sum;
        share = within * (parts / 2);
      }
      int digit = 0;
      while (digit + 1 < kDigits && (before + sums[digit]) * parts < share) before += sums[digit++];
      layer = layer * kDigits + digit;
      within = sums[digit];
    }
    int nearest_cut() const {
      const int64_t missing = share - before * parts;
      return missing <= within * parts - missing ? layer : layer + 1;
    }
  };

  // The longest side of the points in each box.
  void choose_axes(std::span<Box> level) const {
    // The least of a coordinate and of its negative, by box and axis.
    std::vector<std::array<int64_t, 6>> bounds(level.size());
    for (std::array<int64_t, 6>& box : bounds) box.fill(std::numeric_limits<int32_t>::max());
    for (size_t i = 0; i < points_.size(); ++i) {
      if (box_of_[i] < begin_) continue;
      std::array<int64_t, 6>& box = bounds[box_of_[i] - begin_];
      for (int axis = 0; axis < 3; ++axis) {
        const int64_t at = points_[i][axis];
        box[axis] = std::min(box[axis], at);
        box[3 + axis] = std::min(box[3 + axis], -at);
      }
    }
    ranks_.all_reduce(tag_, Reduction::kMin, std::span(bounds.data()->data(), 6 * bounds.size()));
    for (size_t b = 0; b < level.size(); ++b) {
      const auto length = [&](int axis) { return -bounds[b][3 + axis] - bounds[b][axis]; };
      for (const int axis : {1, 2}) {
        if (kSlack * length(axis) > (kSlack + 1) * length(level[b].axis)) level[b].axis = axis;
      }
    }
  }

  void find_digit(std::span<const Box> level, int shift, std::span<Search> searches) const {
    std::vector<int64_t> sums(level.size() * kDigits, 0);
    for (size_t i = 0; i < points_.size(); ++i) {
      if (box_of_[i] < begin_) continue;
      const size_t b = box_of_[i] - begin_;
      const int digits = points_[i][level[b].axis] >> shift;
      if (digits / kDigits == searches[b].layer)
        sums[b * kDigits + digits % kDigits] += weights_[i];
    }
    ranks_.all_reduce(tag_, Reduction::kSum, std::span(sums));
    for (size_t b = 0; b < level.size(); ++b) {
      searches[b].find_digit(std::span(sums).subspan(b * kDigits, kDigits));
    }
  }

  Communicator& ranks_;
  const std::string_view tag_;
  const std::span<const LatticePoint> points_;
  const std::span<const int64_t> weights_;
  const std::span<const int> box_of_;
  const int begin_;
};

PointPartition::PointPartition(Communicator& ranks, std::string_view tag,
                               std::span<const LatticePoint> points,
                               std::span<const int64_t> weights, int parts) {
  boxes_.push_back({0, parts});
  std::vector<int> box_of(points.size(), 0);
  const auto is_cut = [](const Box& box) { return box.parts > 1; };
  for (size_t begin = 0; std::any_of(boxes_.begin() + begin, boxes_.end(), is_cut);) {
    const size_t end = boxes_.size();
    LevelCutter(ranks, tag, points, weights, box_of, static_cast<int>(begin))
        .cut(std::span(boxes_).subspan(begin));
    for (size_t b = begin; b < end; ++b) {
      if (!is_cut(boxes_[b])) continue;
      boxes_[b].half = static_cast<int>(boxes_.size());
      const int first = boxes_[b].first, all = boxes_[b].parts, half = all / 2;
      boxes_.push_back({first, half});
      boxes_.push_back({first + half, all - half});
    }
    for (size_t i = 0; i < points.size(); ++i) {
      const Box& box = boxes_[box_of[i]];
      if (is_cut(box)) box_of[i] = box.half_of(points[i]);
    }
    begin = end;
  }
}

int PointPartition::part(const LatticePoint& point) const {
  const Box* box = boxes_.data();
  while (box->parts > 1) box = &boxes_[box->half_of(point)];
  return box->first;
}

}  // namespace tessera::distributed
