// SPDX-License-Identifier: MIT
#include "models/gaussian/checkpoint_shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/error.h"
#include "core/file_io.h"

namespace tessera::models {
namespace {

static_assert(std::endian::native == std::endian::little, "shards are written as they lie");

namespace fs = std::filesystem;

constexpr std::array<char, 8> kMagic = {'T', 'E', 'S', 'S', 'G', 'S', 'C', 'K'};

struct ShardHeader {
  std::array<char, 8> magic;
  uint32_t version;
  uint32_t shard;
  uint32_t parameter_planes;
  uint32_t statistics_planes;
  uint64_t count;
};
static_assert(sizeof(ShardHeader) == 32);

// 64-bit FNV-1a over little-endian words of 8 bytes; a last, shorter one is filled with zeros.
class Checksum {
 public:
  void add(const void* data, size_t size) {
    const auto* bytes = static_cast<const uint8_t*>(data);
    while (size > 0 && pending_ > 0) take(bytes, size, 1);
    while (size >= sizeof(uint64_t)) take(bytes, size, sizeof(uint64_t));
    if (size > 0) take(bytes, size, size);
  }
  uint64_t value() const { return pending_ > 0 ? mixed(word_) : hash_; }

 private:
  uint64_t mixed(uint64_t word) const { return (hash_ ^ word) * 0x100000001B3U; }
  void take(const uint8_t*& bytes, size_t& size, size_t count) {
    std::memcpy(reinterpret_cast<uint8_t*>(&word_) + pending_, bytes, count);
    bytes += count;
    size -= count;
    pending_ += count;
    if (pending_ < sizeof(word_)) return;
    hash_ = mixed(word_);
    word_ = 0;
    pending_ = 0;
  }

  uint64_t hash_ = 0xCBF29CE484222325U;
  uint64_t word_ = 0;
  size_t pending_ = 0;
};

std::string shard_name(int shard) {
  return fmt::format("shard_{:03}.bin", shard);
}

}  // namespace

uint64_t shard_bytes(uint64_t parameter_planes, uint64_t statistics_planes, uint64_t count) {
  return sizeof(ShardHeader) +
         count * (sizeof(uint64_t) + sizeof(float) * (3 * parameter_planes + statistics_planes));
}

ShardEntry write_shard(const fs::path& folder, const GaussianState& state, int shard) {
  const int64_t count = state.size();
  core::AtomicFile file(folder / shard_name(shard));
  Checksum checksum;
  const auto put = [&](const void* data, size_t size) {
    file.write(data, size);
    checksum.add(data, size);
  };
  const auto put_planes = [&](const core::Planes& planes) {
    for (int p = 0; p < planes.plane_count(); ++p) {
      put(planes.plane(p), static_cast<size_t>(count) * sizeof(float));
    }
  };
  const ShardHeader header = {kMagic,
                              kCheckpointVersion,
                              static_cast<uint32_t>(shard),
                              static_cast<uint32_t>(state.cloud.parameters.plane_count()),
                              static_cast<uint32_t>(state.statistics.plane_count()),
                              static_cast<uint64_t>(count)};
  put(&header, sizeof(header));
  put(state.cloud.ids.data(), static_cast<size_t>(count) * sizeof(uint64_t));
  put_planes(state.cloud.parameters);
  put_planes(state.first_moments);
  put_planes(state.second_moments);
  put_planes(state.statistics);
  ShardEntry entry = {shard_name(shard), static_cast<uint64_t>(count), file.bytes_written(),
                      fmt::format("{:016x}", checksum.value())};
  file.commit();
  return entry;
}

void read_shard(const fs::path& path, const ShardEntry& entry, uint32_t shard,
                const IndexRange& placed, const IndexRange& wanted, GaussianState& state) {
  const core::Array<uint8_t> bytes = core::read_file(path, entry.bytes);
  Checksum checksum;
  checksum.add(bytes.data(), static_cast<size_t>(bytes.size()));
  if (fmt::format("{:016x}", checksum.value()) != entry.checksum) {
    throw core::IoError(path, "was changed or damaged: its checksum is not the manifest's");
  }
  ShardHeader header;
  if (static_cast<uint64_t>(bytes.size()) < sizeof(header))
    throw core::IoError(path, "is too short");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.magic != kMagic || header.version != kCheckpointVersion || header.shard != shard ||
      header.count != entry.gaussians ||
      static_cast<int>(header.parameter_planes) != state.cloud.parameters.plane_count() ||
      static_cast<int>(header.statistics_planes) != state.statistics.plane_count()) {
    throw core::IoError(path, "does not fit the manifest");
  }
  const int64_t begin = std::max(placed.begin, wanted.begin);
  const int64_t count = std::min(placed.end, wanted.end) - begin;
  if (count <= 0) return;
  const uint8_t* from = bytes.data() + sizeof(header);
  const auto take = [&](auto* to) {
    std::memcpy(to + (begin - wanted.begin), from + (begin - placed.begin) * sizeof(*to),
                static_cast<size_t>(count) * sizeof(*to));
    from += header.count * sizeof(*to);
  };
  take(state.cloud.ids.data());
  for (core::Planes* planes :
       {&state.cloud.parameters, &state.first_moments, &state.second_moments, &state.statistics}) {
    for (int p = 0; p < planes->plane_count(); ++p) take(planes->plane(p));
  }
}

}  // namespace tessera::models
